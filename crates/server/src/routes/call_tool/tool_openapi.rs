//! The OpenAPI document of the tools that a program may call.
//!
//! Must hold: every reference points inside the document; a tool without arguments has no
//! body, and no operation has parameters, because some programs take either for arguments of
//! the tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::{Extension, Json};
use contract::ErrorType;
use dialect::normalise;
use engine::ToolFilter;
use registry::{Registry, Tool, exposed_tools};
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::envelope::Approval;
use crate::auth::caller::Caller;
use crate::routes::openapi::Access;
use crate::state::AppState;

#[derive(Deserialize)]
pub(crate) struct DocumentQuery {
    /// Ids with commas; `a*` selects all that begin with `a`.
    tools: Option<String>,
}

/// All tools of this caller, or the selected ones.
pub(crate) async fn shown(
    State(app): State<AppState>,
    Extension(caller): Extension<Caller>,
    Query(DocumentQuery { tools }): Query<DocumentQuery>,
    headers: HeaderMap,
) -> Json<Value> {
    let wanted = wanted(tools.as_deref());
    let may = |id: &str| caller.tools.allows(id) && wanted.allows(id);
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    // The middleware validated the host; behind a proxy only the page's own name is known.
    let base = host.map_or_else(|| app.page_url.clone(), |host| format!("http://{host}/"));
    Json(document(&app.engine.registry().lease(), may, &base, app.authenticator.access()))
}

/// Parses `a,b*`; without it, all tools are selected.
fn wanted(tools: Option<&str>) -> ToolFilter {
    let names = tools.map(|tools| tools.split(',').map(|name| name.trim().to_owned()).collect());
    names.map_or(ToolFilter::All, ToolFilter::Only)
}

/// The document of a registry's tools, for a server with a token whose page is at `base`.
pub fn tools_document(registry: &Registry, tools: Option<&str>, base: &str) -> Value {
    let wanted = wanted(tools);
    document(registry, |id| wanted.allows(id), base, Access::WithToken)
}

fn document(registry: &Registry, may: impl Fn(&str) -> bool, base: &str, access: Access) -> Value {
    let mut tools = exposed_tools(registry);
    tools.retain(|_, tool| may(tool.contract.tool_id.as_str()));
    let mut schemas = common();
    for (name, tool) in &tools {
        let contract = &tool.contract;
        schemas.extend(component(name, &contract.parameters));
        schemas.extend(contract.returns.as_ref().and_then(|it| component(&data_of(name), it)));
    }
    let paths: Map<_, _> =
        tools.iter().map(|(name, tool)| (format!("/{name}"), path(name, tool, &schemas))).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Ghosthand",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "servers": [{ "url": format!("{base}api/call") }],
        "security": access.security(),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
        },
    })
}

const ABOUT: &str = "Each operation calls one tool. A request with an `Idempotency-Key` header runs \
    once: the same request under the same key gets the first answer again, for a day. A call that \
    a person must agree to is answered with 409 and `approval`; send it again when they have.";

fn path(name: &str, tool: &Arc<Tool>, schemas: &BTreeMap<String, Value>) -> Value {
    let summary = tool.contract.description.trim();
    let answer = |what: &str, schema: Value| {
        let content = json!({ "application/json": { "schema": schema } });
        json!({ "description": what, "content": content })
    };
    let refusal = |what: &str| answer(what, reference("Refusal"));
    let mut operation = json!({
        "operationId": name,
        "summary": summary,
        "description": tool.summary.trim(),
        "responses": {
            "200": answer("The tool's result", success(name, schemas)),
            "409": refusal("Approval required, or a conflict"),
            "422": refusal("The arguments do not match the schema"),
            "default": refusal("The call was refused or failed"),
        },
    });
    if takes_arguments(schemas.get(name)) {
        let content = json!({ "application/json": { "schema": reference(name) } });
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    json!({ "post": operation })
}

fn takes_arguments(schema: Option<&Value>) -> bool {
    let closed_and_empty = |schema: &Value| {
        let properties = schema.get("properties").and_then(Value::as_object);
        let more = ["patternProperties", "allOf", "anyOf", "oneOf", "$ref", "additionalProperties"];
        let has = |name: &str| schema.get(name).is_some_and(|value| *value != json!(false));
        properties.is_none_or(Map::is_empty) && !more.iter().any(|name| has(name))
    };
    schema.is_some_and(|schema| !closed_and_empty(schema))
}

fn success(name: &str, schemas: &BTreeMap<String, Value>) -> Value {
    let data = data_of(name);
    let data = if schemas.contains_key(&data) { reference(&data) } else { json!({}) };
    json!({
        "type": "object",
        "required": ["ok", "data"],
        "properties": { "ok": { "const": true }, "data": data, "meta": reference("Meta") },
    })
}

fn data_of(name: &str) -> String {
    format!("{name}.data")
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A tool's schema in the document; an invalid one is left out.
fn component(name: &str, schema: &Value) -> Option<(String, Value)> {
    let mut schema = match schema.is_null() {
        true => json!({ "type": "object" }),
        false => normalise(schema).ok()?.schema,
    };
    let home = format!("#/components/schemas/{name}");
    lead_home(&mut schema, &home);
    Some((name.to_owned(), schema))
}

/// Rewrites the references of a schema for its place in the document.
fn lead_home(schema: &mut Value, home: &str) {
    let Value::Object(fields) = schema else { return };
    fields.remove("$schema");
    for (keyword, value) in fields {
        match (keyword.as_str(), value) {
            ("$ref", Value::String(target)) => {
                if let Some(place) = target.strip_prefix('#') {
                    *target = format!("{home}{place}");
                }
            }
            ("enum" | "const" | "default" | "examples", _) => {}
            ("properties" | "patternProperties" | "$defs" | "dependentSchemas", named) => {
                let named = named.as_object_mut().into_iter().flatten();
                named.for_each(|(_, schema)| lead_home(schema, home));
            }
            (_, Value::Array(schemas)) => {
                schemas.iter_mut().for_each(|schema| lead_home(schema, home));
            }
            (_, schema) => lead_home(schema, home),
        }
    }
}

/// Schemas that all tools share. Names of tools have no capitals.
fn common() -> BTreeMap<String, Value> {
    let text = json!({ "type": "string" });
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    let approval = settings.into_generator().into_root_schema_for::<Approval>();
    let error = json!({
        "type": "object",
        "required": ["message"],
        "properties": {
            "type": { "enum": ErrorType::WORDS },
            "code": text,
            "message": text,
            "fix": text,
            "retryable": { "type": "boolean" },
            "details": {},
        },
    });
    let refusal = json!({
        "type": "object",
        "required": ["error"],
        "properties": {
            "ok": { "const": false }, "error": error, "approval": reference("Approval"),
            "inDoubt": {
                "type": "object",
                "description": "The call started and its outcome is unknown; a person has to check",
            },
            "intents": { "type": "array", "items": { "type": "object" } },
            "meta": reference("Meta"),
        },
    });
    let meta = json!({
        "type": "object",
        "properties": {
            "toolId": text, "toolVersion": text, "registryVersion": text,
            "duration": { "type": "integer", "description": "Milliseconds in the handler" },
            "responseSchemaVersion": text,
        },
    });
    let named = [("Approval", json!(approval)), ("Refusal", refusal), ("Meta", meta)];
    named.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}
