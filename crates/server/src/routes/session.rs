//! The signed-in caller, and the health check.

pub(crate) mod logins;

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{Mode, Sight};
use registry::{Example, ExampleKind, Feature, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::conversations::answering_model::owners_model;
use crate::conversations::conversation_folders::ConversationFolder;
use crate::fault::HandlerResult;
use crate::routes::approvals::questions::InboxQuestion;
use crate::routes::approvals::{in_doubt, inbox};
use crate::state::AppState;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    owner: String,
    /// Whether this owner may switch tools.
    operator: bool,
    /// Answers new conversations.
    model: String,
    /// Whether the owner has no conversation yet.
    first_run: bool,
    files: FileLimits,
    /// Folders of conversations.
    folders: Vec<ConversationFolder>,
    /// Tools that a person may try first.
    tries: Vec<Try>,
    version: &'static str,
    /// Whether a browser is signed in and can sign out.
    signed_in: bool,
    /// How many calls have an unknown outcome; `/api/doubts` lists them.
    doubts: usize,
    /// How many notices wait in the inbox; `/api/inbox` lists them.
    notices: usize,
    /// The questions of handlers that wait, each as `CONVERSATION/CALL/NAME`; `/api/inbox` has
    /// them.
    questions: Vec<String>,
}

/// Limits of the files of messages.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileLimits {
    file_bytes_max: usize,
    per_message_max: usize,
    /// Whether the model sees pictures.
    pictures: bool,
}

/// A tool with valid example arguments.
#[derive(Serialize, JsonSchema)]
struct Try {
    tool: String,
    args: Value,
}

/// How many are offered, and the maximum length of each.
const TRIES_MAX: usize = 40;
const TRY_BYTES_MAX: usize = 90;

/// Tools that are on and have an example, or need no arguments.
async fn tries(app: &AppState) -> HandlerResult<Vec<Try>> {
    let off = app.engine.switched_off().await?;
    let lease = app.engine.registry().lease();
    let is_tried = |tool: &&Arc<Tool>| {
        let id = tool.contract.tool_id.as_str();
        tool.has(Feature::Callable)
            && !tool.contract.auto
            && tool.contract.allowed_modes.contains(&Mode::Text)
            && off.iter().all(|one| one.tool != id)
    };
    let one = |tool: &Arc<Tool>| {
        let is_call = |example: &&Example| example.kind == ExampleKind::Arguments;
        let example = tool.examples.iter().find(is_call).map(|example| example.value.clone());
        let needs = tool.contract.parameters["required"].as_array();
        let needs_nothing = needs.is_none_or(Vec::is_empty);
        let args = example.or_else(|| needs_nothing.then(|| json!({})));
        let tool = tool.contract.tool_id.to_string();
        let args = args.unwrap_or(Value::Null);
        (args.to_string().len() <= TRY_BYTES_MAX).then_some(Try { tool, args })
    };
    Ok(lease.in_order().into_iter().filter(is_tried).filter_map(one).take(TRIES_MAX).collect())
}

pub(crate) async fn session(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    headers: HeaderMap,
) -> HandlerResult<Json<Session>> {
    let model = owners_model(&app, &owner.0).await?;
    let first_run = app.index.list(&owner.0).await?.is_empty();
    let folders = app.index.folders(&owner.0).await?;
    let doubts = in_doubt::calls(&app, &owner.0).await?.len();
    let questions = inbox::handler_questions(&app, &owner.0).await?;
    Ok(Json(Session {
        questions: questions.iter().map(InboxQuestion::id).collect(),
        operator: app.authenticator.is_operator(&owner),
        notices: inbox::notices(&app, &owner.0).await?.len(),
        owner: owner.0,
        model: model.facts().to_string(),
        first_run,
        folders,
        files: FileLimits {
            file_bytes_max: app.limits.attachments.file_bytes_max,
            per_message_max: app.limits.attachments.per_message_max,
            pictures: model.sight() == Sight::Sees,
        },
        tries: tries(&app).await?,
        version: env!("CARGO_PKG_VERSION"),
        signed_in: app.logins.held(&headers).is_some(),
        doubts,
    }))
}

/// Invalidates the cookie of this browser, and all copies of it.
pub(crate) async fn sign_out(
    State(app): State<AppState>,
    headers: HeaderMap,
) -> HandlerResult<Response> {
    let gone = app.logins.end(&headers).await?;
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, gone)]).into_response())
}

/// Whether the process is alive. Reveals nothing about the content.
pub(crate) async fn health() -> Json<Value> {
    Json(json!({ "ok": true }))
}

/// Whether this server should get requests: its store answers, and it takes turns.
pub(crate) async fn ready(State(app): State<AppState>) -> Response {
    match app.cluster.why_not_ready().await {
        None => Json(json!({ "ok": true })).into_response(),
        Some(because) => {
            let body = Json(json!({ "ok": false, "because": because }));
            (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
        }
    }
}
