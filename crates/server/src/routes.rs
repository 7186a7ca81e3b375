//! Every operation of the API, once: the router and the OpenAPI document are made of it.

pub(crate) mod ai_edit;
pub(crate) mod approvals;
pub(crate) mod call_tool;
pub(crate) mod conversations;
pub(crate) mod json_body;
pub(crate) mod kv;
mod openapi;
pub(crate) mod persona_properties;
pub(crate) mod personas;
mod session;
pub(crate) mod settings;
pub(crate) mod snippets;
pub(crate) mod tools;
mod usage;

use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, delete, get, post, put};
use axum::{Json, Router};
use serde_json::{Map, Value, json};

use self::approvals::{approval_stream, in_doubt};
use self::conversations::{agui, export, live_stream, messages};
use self::openapi::Shapes;
use self::tools::{features, left_out, run_tool};
use crate::assets::static_files;
use crate::auth::{middleware, sign_in};
use crate::cards;
use crate::fault::Fault;
use crate::state::AppState;

/// One operation.
struct Operation {
    method: &'static str,
    path: &'static str,
    about: &'static str,
    /// What a good body looks like.
    body: Option<&'static str>,
    status: u16,
    route: fn() -> MethodRouter<AppState>,
}

macro_rules! operations {
    ($($method:ident $path:literal $handler:path, $status:literal, $body:expr, $about:literal;)+) => {
        const OPERATIONS: &[Operation] = &[$(Operation {
            method: stringify!($method),
            path: $path,
            about: $about,
            body: $body,
            status: $status,
            route: || $method($handler),
        }),+];
    };
}

operations! {
    get "/api/session" session::session, 200, None, "Who is asking, and which model answers";
    delete "/api/session" session::sign_out, 204, None,
        "Sign this browser out: its cookie lets nobody in any more";
    get "/api/conversations" conversations::list, 200, None,
        "The owner's conversations, newest first; `search` looks into titles and what was said";
    post "/api/conversations" conversations::create, 201, Some(r#"{"title":"A talk"}"#),
        "Begin a conversation";
    get "/api/conversations/{id}" conversations::show, 200, None, "A conversation as people see it";
    put "/api/conversations/{id}" conversations::rename, 204, Some(r#"{"title":"A talk"}"#),
        "Give a conversation another title";
    delete "/api/conversations/{id}" conversations::remove, 204, None,
        "Remove a conversation with its keys";
    post "/api/conversations/{id}/messages" messages::send, 202, Some(r#"{"text":"Hello"}"#),
        "Say something; the answer comes over the stream";
    delete "/api/conversations/{id}/messages/{turn}" messages::remove, 204, None,
        "Take a turn back; with `after=true` also all later ones";
    post "/api/conversations/{id}/edit" messages::edit, 202, Some(r#"{"turn":1,"text":"Hi"}"#),
        "Say other words instead: the turn and all after it are taken back";
    post "/api/conversations/{id}/regenerate" messages::regenerate, 202, Some("{}"),
        "Say the words of the last turn, or of `turn`, again";
    post "/api/conversations/{id}/stop" messages::stop, 202, Some("{}"), "Stop the running turn";
    get "/api/conversations/{id}/stream" live_stream::stream, 200, None,
        "The live stream: AG-UI events over SSE, resumable with Last-Event-ID";
    post "/api/conversations/{id}/branch" export::branch, 201, Some(r#"{"event":1}"#),
        "Copy a conversation up to an event into a new one";
    get "/api/conversations/{id}/export" export::export, 200, None,
        "A conversation as a file: `as=json` or `as=md`";
    post "/api/conversations/import" export::import, 201,
        Some(r#"{"title":"A talk","entries":[{"entry":"user","turn":1,"text":"Hello"}]}"#),
        "Bring a file of `export?as=json` back as a new conversation; nothing in it can run";
    post "/api/agui" agui::run, 200,
        Some(r#"{"threadId":"a","runId":"1","messages":[{"id":"m","role":"user","content":"Hi"}]}"#),
        "One run as AG-UI clients start it: a `RunAgentInput` in, the events of the run out";
    get "/api/tools" tools::list, 200, None, "Every tool, with its flags and whether it is on";
    get "/api/tools/left-out" left_out::list, 200, None,
        "Tools that are left out because of their faults, each with every fault and its place";
    post "/api/tools/{id}/switch" tools::switch, 204, Some(r#"{"on":true}"#),
        "Switch a tool on or off";
    post "/api/files/switch" tools::switch_file, 204, Some(r#"{"file":"FILE","on":true}"#),
        "Switch all tools of a file on or off";
    get "/api/tools/{id}/why" tools::why, 200, None,
        "What would be decided about a call now, stage by stage";
    post "/api/tools/{id}/run" run_tool::run, 200, Some(r#"{"args":{}}"#),
        "Run a tool by hand, from a form made of its schema";
    post "/api/call/{tool}" call_tool::call, 200, Some(r#"{"text":"Hello"}"#),
        "Call a tool with these arguments; the same `Idempotency-Key` never runs it twice";
    get "/api/call/openapi.json" call_tool::shown, 200, None,
        "The caller's tools as a document of their own, one operation each; `tools=a,b*` picks";
    get "/api/features" features::features, 200, None,
        "The forms and widgets of tools, for a conversation";
    post "/api/tool_submit" features::submit, 200,
        Some(r#"{"tool":"look","handler":"save","params":{}}"#),
        "Send a tool's form to its handler";
    get "/api/kv" kv::get_some, 200, None,
        "Values of the owner's keys: `key=` for each; `conversation=` fills placeholders in";
    put "/api/kv/{key}" kv::set, 204, Some(r#"{"value":1}"#), "Set a value";
    delete "/api/kv/{key}" kv::remove, 204, None, "Delete a key";
    get "/api/kv/{key}/list" kv::range, 200, None, "Items of a list: `start`, `stop`, `conversation`";
    post "/api/kv/{key}/push" kv::push, 200, Some(r#"{"value":1}"#), "Put an item behind a list";
    delete "/api/kv/{key}/item/{index}" kv::remove_item, 200, None, "Take an item out of a list";
    get "/api/personas" personas::list, 200, None, "The owner's personas";
    post "/api/personas" personas::create, 201, Some(r#"{"name":"Ada"}"#), "Make a persona";
    put "/api/personas/{id}" personas::change, 204, Some(r#"{"name":"Ada"}"#), "Change a persona";
    delete "/api/personas/{id}" personas::remove, 204, None, "Remove a persona";
    get "/api/conversations/{id}/personas" personas::chosen, 200, None,
        "Who was chosen for a conversation";
    put "/api/conversations/{id}/personas" personas::choose, 204, Some(r#"{"ids":[]}"#),
        "Say who takes part in a conversation";
    get "/api/settings" settings::settings, 200, None, "The owner's settings";
    put "/api/settings" settings::set_settings, 204, Some(r#"{"userName":"Ana"}"#),
        "Keep the owner's settings";
    get "/api/library" snippets::kinds, 200, None, "The kinds of snippets there are";
    get "/api/library/{kind}" snippets::snippets, 200, None, "Snippets of a kind";
    post "/api/library/{kind}" snippets::add_snippet, 201, Some(r#"{"title":"A","content":"B"}"#),
        "Keep a snippet";
    get "/api/library/{kind}/{id}" snippets::snippet, 200, None, "A snippet";
    put "/api/library/{kind}/{id}" snippets::set_snippet, 204, Some(r#"{"title":"A","content":"B"}"#),
        "Change a snippet";
    delete "/api/library/{kind}/{id}" snippets::remove_snippet, 204, None, "Remove a snippet";
    post "/api/ai_edit" ai_edit::edit, 200,
        Some(r#"{"text":"helo","instruction":"correct the spelling"}"#),
        "Have the model change a text";
    post "/api/suggest" ai_edit::suggest, 200, Some(r#"{"conversation":"ID"}"#),
        "Have the model propose what to say next";
    get "/api/audit" usage::audit, 200, None, "The newest calls in the owner's conversations";
    get "/api/usage" usage::usage, 200, None, "Tokens of a conversation";
    get "/api/approvals" approvals::list, 200, None,
        "The owner's questions that wait for an answer";
    get "/api/approvals/stream" approval_stream::stream, 200, None,
        "`change`, over SSE, whenever that list is to be read again";
    post "/api/approvals/{id}" approvals::answer, 202, Some(r#"{"answer":"approve"}"#),
        "Answer a question; the turn goes on by itself, a program's call when it is made again";
    get "/api/doubts" in_doubt::list, 200, None,
        "Calls of the owner's programs of which nobody knows how they ended";
    get "/api/cards" cards::list, 200, None,
        "The owner's newest runs of flashcards, and who makes them";
    post "/api/cards" cards::begin, 201,
        Some(r#"{"text":"Suns rej. Kaķis skrien.","name":"Animals","from":"lv","to":"uk"}"#),
        "Write a text down as a run; the same text is the same run, and nothing is sent yet";
    get "/api/cards/{run}" cards::show, 200, None, "A run: how far it is, what is wrong, its cost";
    delete "/api/cards/{run}" cards::remove, 204, None, "Remove a run with its text and its cards";
    post "/api/cards/{run}/work" cards::work, 202, Some("{}"),
        "Make the cards, or go on; how far it is comes over the stream";
    get "/api/cards/{run}/stream" cards::stream::stream, 200, None,
        "How far a run is, over SSE: `progress`, and `end`";
    post "/api/cards/{run}/retry" cards::retry, 202, Some(r#"{"sentences":[0]}"#),
        "Ask again: about these sentences, those of a card, or all without cards";
    post "/api/cards/{run}/skip" cards::skip, 200, Some(r#"{"sentences":[0]}"#),
        "Give up on these sentences, or on all without cards";
    post "/api/cards/{run}/stop" cards::stop, 202, Some("{}"), "Stop the work on a run";
    get "/api/cards/{run}/deck" cards::deck::deck, 200, None, "The cards of a run";
    get "/api/cards/{run}/sentences" cards::deck::sentences, 200, None,
        "The text, sentence by sentence, with its words marked";
    put "/api/cards/{run}/deck" cards::deck::change, 204,
        Some(r#"{"card":"lv:word:suns","translation":"собака"}"#), "Change a card";
    post "/api/cards/{run}/visible" cards::deck::visible, 204,
        Some(r#"{"cards":["lv:word:suns"],"visible":false}"#), "Show or hide cards everywhere";
    post "/api/cards/{run}/restore" cards::deck::restore, 204,
        Some(r#"{"card":"lv:word:suns"}"#), "The card as it came";
    post "/api/cards/{run}/undo" cards::deck::undo, 200, Some("{}"),
        "Take back the newest change of the cards";
    get "/api/cards/{run}/export" cards::files::export, 200, None,
        "The cards as a file: `as` json, jsonl, csv, txt or apkg";
    post "/api/cards/import" cards::files::import, 200,
        Some(r#"{"name":"deck","content":"[{\"base_form\":\"suns\"}]","from":"lv","to":"uk"}"#),
        "Bring cards of a file into a run, or say what that would change";
    get "/api/cards/known" cards::deck::known, 200, None, "Words of a language that the owner knows";
    put "/api/cards/known" cards::deck::set_known, 204,
        Some(r#"{"language":"lv","learned":["un"]}"#), "Say which words are known, and which not";
    get "/api/openapi.json" openapi, 200, None, "This document";
}

/// The whole server.
pub(crate) fn router(app: &AppState, more: Router) -> Router {
    let (mut api, mut patient) = (Router::new(), Router::new());
    for operation in OPERATIONS {
        let mut route = (operation.route)();
        if let Some(max) = file_max(operation.path, app) {
            route = route.layer(DefaultBodyLimit::max(max));
        }
        match operation.path {
            // A tool has a limit of its own.
            "/api/call/{tool}" => patient = patient.route(operation.path, route),
            path => api = api.route(path, route),
        }
    }
    let api = api
        .layer(from_fn_with_state(app.clone(), in_time))
        .merge(patient)
        .layer(from_fn_with_state(app.clone(), middleware::owner));
    let more = more.layer(from_fn_with_state(app.clone(), middleware::owner)).with_state(());
    Router::new()
        .merge(api)
        .route("/", get(static_files::index))
        .route("/cards", get(static_files::cards))
        .route("/assets/{*path}", get(static_files::asset))
        .route("/login", get(sign_in::show).post(sign_in::let_in))
        .route("/health", get(session::health))
        .route("/metrics", get(usage::metrics))
        .fallback(|| async { Fault::not_found("there is nothing at this address") })
        .method_not_allowed_fallback(other_method)
        .layer(map_response(refusals_as_json))
        // What others serve here speaks for itself.
        .merge(more)
        .layer(DefaultBodyLimit::max(app.limits.body_bytes_max))
        .layer(from_fn_with_state(app.clone(), middleware::place))
        .with_state(app.clone())
}

/// A method that the address does not take. Which ones it takes stands in `Allow`, which the
/// router adds; whoever asks for just that gets it.
async fn other_method(method: Method) -> Response {
    match method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => Fault::wrong_method(&method).into_response(),
    }
}

/// What of a refusal in plain words is passed on.
const REFUSAL_BYTES_MAX: usize = 4_096;

/// Refusals of the framework come as plain text; clients of the API read JSON.
async fn refusals_as_json(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_text = kind.is_some_and(|kind| kind.starts_with("text/plain"));
    if !is_text || !response.status().is_client_error() {
        return response;
    }
    let status = response.status();
    let said = to_bytes(response.into_body(), REFUSAL_BYTES_MAX).await.unwrap_or_default();
    Fault::refused(status, &String::from_utf8_lossy(&said)).into_response()
}

/// How large a body may be, and how long it may take to come.
pub(crate) fn body_max(path: &str, app: &AppState) -> (usize, Duration) {
    let time = app.limits.body_time_max;
    match file_max(path, app) {
        Some(max) => (max, time.saturating_mul(10)),
        None if path == "/mcp" => (app.limits.body_bytes_max.saturating_mul(2), time),
        None => (app.limits.body_bytes_max, time),
    }
}

/// Where a file may be sent, and how large.
fn file_max(path: &str, app: &AppState) -> Option<usize> {
    match path {
        "/api/conversations/import" => Some(app.limits.import_bytes_max),
        "/api/cards/import" => Some(app.limits.cards_import_bytes_max),
        _ => None,
    }
}

/// An answer comes in time or not at all. A stream's answer is there as soon as it begins.
async fn in_time(
    axum::extract::State(app): axum::extract::State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    match tokio::time::timeout(app.limits.answer_time_max, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Fault::too_slow().into_response(),
    }
}

async fn openapi() -> Json<Value> {
    Json(document())
}

/// The OpenAPI document of the table.
fn document() -> Value {
    let mut paths = Map::new();
    let mut shapes = Shapes::new();
    for operation in OPERATIONS {
        let Operation { method, path, about, body, status, .. } = operation;
        let shape = shapes.of(method, path);
        let is_stream = path.ends_with("/stream") || path.ends_with("/agui");
        let kind = if is_stream { "text/event-stream" } else { "application/json" };
        let mut entry = json!({
            "summary": about,
            "operationId": format!("{method}{}", path.replace(['/', '{', '}', '.'], "_")),
            "parameters": parameters(method, path),
            "responses": {
                status.to_string(): answer(about, *status, kind, shape.answer),
                "default": { "$ref": "#/components/responses/Fault" },
            },
        });
        if let Some(body) = body {
            let example: Value = serde_json::from_str(body).unwrap_or_default();
            entry["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "example": example } },
            });
            if let Some(schema) = shape.body {
                entry["requestBody"]["content"]["application/json"]["schema"] = schema;
            }
        }
        for (_, other) in FILES.iter().filter(|(place, _)| place == path) {
            entry["responses"]["200"]["content"][other] = json!({});
        }
        let path = paths.entry((*path).to_owned()).or_insert_with(|| json!({}));
        path[*method] = entry;
    }
    json!({
        "openapi": "3.1.0",
        "security": [{ "bearer": [] }, {}],
        "info": { "title": "Ghostpad", "version": env!("CARGO_PKG_VERSION") },
        "paths": paths,
        "components": {
            "schemas": shapes.named(),
            "securitySchemes": { "bearer": { "type": "http", "scheme": "bearer" } },
            "responses": { "Fault": {
                "description": "What is wrong, and what to do",
                "content": { "application/json": { "schema": fault_schema() } },
            } },
        },
    })
}

fn answer(about: &str, status: u16, kind: &str, schema: Option<Value>) -> Value {
    match (status, schema) {
        (204, _) => json!({ "description": about }),
        (_, Some(schema)) => {
            json!({ "description": about, "content": { kind: { "schema": schema } } })
        }
        (_, None) => json!({ "description": about, "content": { kind: {} } }),
    }
}

fn fault_schema() -> Value {
    let text = json!({ "type": "string" });
    let fields = json!({ "code": text, "message": text, "fix": text });
    let error = json!({ "type": "object", "properties": fields });
    json!({ "type": "object", "properties": { "error": error }, "required": ["error"] })
}

fn parameters(method: &str, path: &str) -> Vec<Value> {
    let names = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = names.map(|name| {
        let schema = in_path(name);
        json!({ "name": name, "in": "path", "required": true, "schema": schema })
    });
    let asked = QUERIES.iter().filter(|(place, _)| method == "get" && *place == path);
    let in_query = asked.flat_map(|(_, names)| *names).map(|name| {
        let required = (path, *name) == ("/api/cards/known", "language");
        json!({ "name": name, "in": "query", "required": required, "schema": in_query(path, name) })
    });
    in_path.chain(in_query).collect()
}

/// A name of something: any text without control characters.
const NAME: &str = r"^[^\u0000-\u001f\u007f-\u009f]*$";

fn in_path(name: &str) -> Value {
    match name {
        "turn" => json!({ "type": "integer", "minimum": 0, "maximum": i64::MAX }),
        "index" => json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX }),
        "kind" => json!({ "type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$" }),
        _ => json!({ "type": "string", "pattern": NAME, "minLength": 1 }),
    }
}

fn in_query(path: &str, name: &str) -> Value {
    match (path, name) {
        (_, "start" | "stop") => {
            json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX })
        }
        ("/api/conversations/{id}/export", "as") => {
            json!({ "type": "string", "enum": ["json", "md"] })
        }
        (_, "as") => json!({ "type": "string", "enum": ["json", "jsonl", "csv", "txt", "apkg"] }),
        (_, "language") => json!({ "type": "string", "pattern": "^[a-z]{2,3}$" }),
        (_, "conversation" | "key") => json!({ "type": "string", "pattern": NAME }),
        _ => json!({ "type": "string" }),
    }
}

/// What an export may be beside JSON.
const FILES: &[(&str, &str)] = &[
    ("/api/conversations/{id}/export", "text/markdown"),
    ("/api/cards/{run}/export", "text/csv"),
    ("/api/cards/{run}/export", "text/plain"),
    ("/api/cards/{run}/export", "application/jsonl"),
    ("/api/cards/{run}/export", "application/octet-stream"),
];

/// What can be asked for behind the `?`.
const QUERIES: &[(&str, &[&str])] = &[
    ("/api/conversations", &["search"]),
    ("/api/conversations/{id}/stream", &["after"]),
    ("/api/conversations/{id}/export", &["as"]),
    ("/api/tools/{id}/why", &["conversation", "args"]),
    ("/api/call/openapi.json", &["tools"]),
    ("/api/features", &["conversation"]),
    ("/api/kv", &["key", "keys", "conversation"]),
    ("/api/kv/{key}/list", &["start", "stop", "conversation"]),
    ("/api/usage", &["conversation"]),
    ("/api/cards", &["locale"]),
    ("/api/cards/{run}", &["locale"]),
    ("/api/cards/{run}/sentences", &["locale"]),
    ("/api/cards/{run}/export", &["as", "locale"]),
    ("/api/cards/known", &["language"]),
];
