//! Tools: listed, switched, and explained.

pub(crate) mod features;
pub(crate) mod left_out;
pub(crate) mod run_tool;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{Call, CallId};
use engine::{CallOrigin, PaidBy, SwitchedOff};
use policy::{ArgumentsGiven, AuditLine, ConversationId};
use registry::{Feature, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::usage::own_audit;
use crate::state::AppState;

/// How many of a tool's newest calls are shown.
const LAST_CALLS_MAX: usize = 5;

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<ToolSummary>>> {
    let off = app.engine.switched_off().await?;
    let calls = own_audit(&app, &owner).await?;
    let lease = app.engine.registry().lease();
    let engine = app.engine.clone();
    let lines = move || engine.tools(&lease).map(|tool| line(tool, &off, &calls)).collect();
    Ok(Json(app.render_pool.run(lines).await?))
}

/// A tool in the page's panel.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ToolLine")]
pub(crate) struct ToolSummary {
    id: String,
    name: String,
    file: String,
    flags: Flags,
    description: String,
    category: Value,
    side_effects: Value,
    on: bool,
    /// Why it is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    /// The JSON Schema of its arguments.
    schema: Value,
    /// Its documentation as HTML.
    doc: String,
    last_calls: Vec<LastCall>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag that a person reads")]
struct Flags {
    callable: bool,
    streaming: bool,
    conditional: bool,
    status: bool,
    cleanup: bool,
    auto: bool,
    one_time: bool,
    asks_first: bool,
    ui: bool,
}

/// One call of the owner's, without its content.
#[derive(Serialize, JsonSchema)]
struct LastCall {
    /// Milliseconds since 1970.
    at: u64,
    call: String,
    conversation: String,
    verdict: String,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Milliseconds in the handler.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<u64>,
}

fn line(tool: &Tool, off: &[SwitchedOff], calls: &[AuditLine]) -> ToolSummary {
    let contract = &tool.contract;
    let id = contract.tool_id.as_str();
    let off = off.iter().find(|one| one.tool == id);
    ToolSummary {
        id: id.to_owned(),
        name: tool.item_name().unwrap_or(id).to_owned(),
        file: tool.handler.file().to_owned(),
        flags: Flags {
            callable: tool.has(Feature::Callable),
            streaming: tool.has(Feature::Streaming),
            conditional: tool.has(Feature::Conditional),
            status: tool.has(Feature::Status),
            cleanup: tool.has(Feature::Cleanup),
            auto: contract.auto,
            one_time: contract.one_time,
            asks_first: contract.requires_confirmation,
            ui: tool.ui.is_some(),
        },
        description: contract.description.clone(),
        category: json!(contract.category),
        side_effects: json!(contract.side_effects),
        on: off.is_none(),
        because: off.map(|off| off.because.clone()),
        schema: contract.parameters.clone(),
        doc: crate::render::markdown::to_html(&tool.documentation),
        last_calls: last_calls(id, calls),
    }
}

/// The newest first.
fn last_calls(tool: &str, calls: &[AuditLine]) -> Vec<LastCall> {
    let of_tool = calls.iter().rev().filter(|line| line.tool == tool);
    let call = |line: &AuditLine| LastCall {
        at: line.at.0,
        call: line.call.clone(),
        conversation: line.conversation.clone(),
        verdict: line.verdict.to_string(),
        ok: line.ok,
        error: line.error.map(|error| error.to_string()),
        duration: line.duration,
    };
    of_tool.take(LAST_CALLS_MAX).map(call).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switch {
    on: bool,
}

const BY_HAND: &str = "switched off by hand";

pub(crate) async fn switch(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Switch { on }): JsonBody<Switch>,
) -> HandlerResult<StatusCode> {
    let of_id = |tool: &Tool| tool.contract.tool_id.as_str() == id;
    set_switch(&app, &owner, of_id, on).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SwitchFile {
    file: String,
    on: bool,
}

pub(crate) async fn switch_file(
    State(app): State<AppState>,
    Extension(owner): Extension<Owner>,
    JsonBody(SwitchFile { file, on }): JsonBody<SwitchFile>,
) -> HandlerResult<StatusCode> {
    set_switch(&app, &owner, |tool| tool.handler.file() == file, on).await
}

/// The switches affect every owner, so only the operator may use them.
async fn set_switch(
    app: &AppState,
    owner: &Owner,
    is_meant: impl Fn(&Tool) -> bool,
    on: bool,
) -> HandlerResult<StatusCode> {
    if !app.authenticator.is_operator(owner) {
        return Err(Fault::not_operator());
    }
    let meant: Vec<String> = {
        let lease = app.engine.registry().lease();
        let meant = app.engine.tools(&lease).filter(|tool| is_meant(tool));
        meant.map(|tool| tool.contract.tool_id.to_string()).collect()
    };
    if meant.is_empty() {
        return Err(Fault::not_found("there is no such tool"));
    }
    for id in meant {
        app.engine.switch(&id, (!on).then_some(BY_HAND)).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize)]
pub(crate) struct WhyQuery {
    conversation: Option<String>,
    /// The arguments as JSON.
    args: Option<String>,
}

pub(crate) async fn why(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(tool): Path<String>,
    Query(WhyQuery { conversation, args }): Query<WhyQuery>,
) -> HandlerResult<Json<Vec<String>>> {
    let arguments =
        if args.is_some() { ArgumentsGiven::Arguments } else { ArgumentsGiven::NoArguments };
    let args = serde_json::from_str(args.as_deref().unwrap_or("{}"))
        .map_err(|fault| Fault::bad_request(fault.to_string(), "give `args` as JSON"))?;
    let origin = origin(&app, &owner, conversation.as_deref()).await?;
    let call = Call { id: CallId("page-why".to_owned()), tool, args };
    Ok(Json(app.engine.why(&origin, &call, arguments, PaidBy::Turn).await))
}

/// Where a person calls from: one of the owner's conversations, or none.
pub(crate) async fn origin(
    app: &AppState,
    owner: &str,
    id: Option<&str>,
) -> HandlerResult<CallOrigin> {
    let (conversation, opened, turn) = match id.filter(|id| !id.is_empty()) {
        Some(id) => {
            let id = app.index.id(owner, id).await?;
            let conversation = app.conversations.get(&id).await?;
            let turn = conversation.turns.last().map_or(0, |turn| turn.number);
            (id, conversation.opened.clone(), turn)
        }
        // Each call outside of conversations is a turn.
        None => (no_conversation(owner), None, app.engine.now().0),
    };
    Ok(CallOrigin {
        conversation,
        client: owner.to_owned(),
        mode: opened.as_ref().map_or(contract::Mode::Text, |opened| opened.mode),
        turn,
        somebody_to_ask: true,
        can_ask: Vec::new(),
        model: opened.map(|opened| opened.model),
        active: true,
    })
}

/// The id of the owner's calls outside of conversations.
pub(crate) fn no_conversation(owner: &str) -> ConversationId {
    ConversationId(format!("page-{owner}"))
}
