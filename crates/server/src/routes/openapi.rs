//! The OpenAPI document, generated from the operations and from the types that they read and
//! write.

use axum::Json;
use axum::extract::State;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::operation::{BodySpec, OperationSpec};
use super::table::NAME;
use crate::routes::conversations::settings::GivenSettings;
use crate::state::AppState;

pub(crate) async fn show(State(app): State<AppState>) -> Json<Value> {
    Json(app.openapi.clone())
}

/// Whether requests need a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    WithToken,
    /// Anyone who reaches the server; a token is accepted too.
    Open,
}

impl Access {
    pub(crate) fn of(has_tokens: bool) -> Self {
        if has_tokens { Self::WithToken } else { Self::Open }
    }

    /// The security requirement of a document.
    pub(crate) fn security(self) -> Value {
        match self {
            Self::WithToken => json!([{ "bearer": [] }]),
            Self::Open => json!([{ "bearer": [] }, {}]),
        }
    }
}

/// The document of these operations.
pub(crate) fn document<'a>(
    operations: impl Iterator<Item = &'a OperationSpec>,
    access: Access,
) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    for operation in operations {
        let OperationSpec { method, path, summary, body, status, .. } = operation;
        let body = body.map(|BodySpec { schema, example }| {
            let example: Value = serde_json::from_str(example).unwrap_or_default();
            let content = json!({ "example": example, "schema": schema(&mut schemas) });
            json!({ "required": true, "content": { "application/json": content } })
        });
        let schema = operation.answer.map(|schema| schema(&mut schemas));
        let is_stream = path.ends_with("/stream") || path.ends_with("/agui");
        let kind = if is_stream { "text/event-stream" } else { "application/json" };
        let mut entry = json!({
            "summary": summary,
            "operationId": format!("{method}{}", path.replace(['/', '{', '}', '.'], "_")),
            "parameters": parameters(operation),
            "responses": {
                status.to_string(): answer(summary, *status, kind, schema),
                "default": { "$ref": "#/components/responses/Fault" },
            },
        });
        if let Some(body) = body {
            entry["requestBody"] = body;
        }
        if operation.streams_body {
            let content = json!({ "application/octet-stream": {} });
            entry["requestBody"] = json!({ "required": true, "content": content });
        }
        for other in operation.media_types {
            entry["responses"]["200"]["content"][other] = json!({});
        }
        let path = paths.entry((*path).to_owned()).or_insert_with(|| json!({}));
        path[*method] = entry;
    }
    json!({
        "openapi": "3.1.0",
        "security": access.security(),
        "info": { "title": "Ghostpad", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "components": {
            "schemas": schemas.take_definitions(true),
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "responses": { "Fault": {
                "description": "What is wrong, and what to do",
                "content": { "application/json": { "schema": fault_schema() } },
            } },
        },
    })
}

fn answer(summary: &str, status: u16, kind: &str, schema: Option<Value>) -> Value {
    match (status, schema) {
        (204, _) => json!({ "description": summary }),
        (_, Some(schema)) => {
            json!({ "description": summary, "content": { kind: { "schema": schema } } })
        }
        (_, None) => json!({ "description": summary, "content": { kind: {} } }),
    }
}

fn fault_schema() -> Value {
    let text = json!({ "type": "string" });
    let fields = json!({ "code": text, "message": text, "fix": text });
    let error = json!({ "type": "object", "properties": fields });
    json!({ "type": "object", "properties": { "error": error }, "required": ["error"] })
}

fn parameters(operation: &OperationSpec) -> Vec<Value> {
    let names =
        operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = names.map(|name| {
        let schema = in_path(name);
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let in_query = operation.query.iter().map(|one| {
        json!({ "name": one.name, "in": "query", "required": one.required, "schema": one.schema })
    });
    in_path.chain(in_query).collect()
}

fn in_path(name: &str) -> Value {
    match name {
        "turn" => json!({ "type": "integer", "minimum": 0, "maximum": i64::MAX }),
        "index" => json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX }),
        "kind" => json!({ "type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$" }),
        _ => json!({ "type": "string", "pattern": NAME, "minLength": 1 }),
    }
}

crate::described! {
    Conversation {
        earlier: u64,
        id: String,
        title: String,
        temporary: bool,
        archived: bool,
        model: Option<String>,
        mode: Option<String>,
        settings: GivenSettings,
        entries: Vec<Value>,
        open: bool,
        running: bool,
        waiting: Vec<Value>,
        last: Value,
    }
    /// A tool's envelope. `meta` is present if it ran, `said` if it streamed text.
    Called {
        ok: bool,
        data: Value,
        intents: Vec<Value>,
        verdict: String,
        meta: Option<Value>,
        notes: Option<Vec<String>>,
        said: Option<Vec<String>>,
    }
    /// Passages with `document`, `file`, `page`, `first_line`, `last_line`, `excerpt`, `score`.
    FoundPassages { passages: Vec<Value>, searched: u64, }
    DocumentSection { document: String, file: String, text: String, }
    Begun { turn: u64, }
    Stopped { stopped: bool, }
    /// Any fields; the page uses these two.
    Snippet { title: Option<String>, content: Option<Value>, }
    /// One call in the audit. Arguments are names and sizes, never values.
    Audited {
        event: String,
        at: u64,
        tool: String,
        registry_version: String,
        call: String,
        conversation: String,
        mode: String,
        verdict: String,
        rule: String,
        ok: bool,
        error: Option<String>,
        duration: Option<u64>,
        over_budget: bool,
        degraded: bool,
        result_bytes: u64,
        args: Value,
        edited: Option<bool>,
    }
}
