//! Forms and widgets of tools, and where a form is submitted.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::{Extension, Json};
use conversation::{FormTarget, filled_form, form_arguments, form_reply};
use engine::CallOrigin;
use policy::HookKind;
use registry::{Feature, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::routes::tools::origin;
use crate::routes::tools::run_tool::{RunResult, run_by_hand};
use crate::state::AppState;
use crate::stream::event::Event;

#[derive(Deserialize)]
pub(crate) struct FeaturesQuery {
    conversation: Option<String>,
}

/// The forms of all tools that are on. `{conversation_id}` is filled in.
pub(crate) async fn features(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(FeaturesQuery { conversation }): Query<FeaturesQuery>,
) -> HandlerResult<Json<Vec<Value>>> {
    let conversation = conversation.filter(|id| !id.is_empty());
    let origin = origin(&app, &owner, conversation.as_deref()).await?;
    Ok(Json(features_in(&app, &origin, conversation.is_some()).await?))
}

/// A form or a widget, and whether its tool's condition holds.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ShownFeature<'a> {
    tool: &'a str,
    feature: Value,
    available: bool,
}

/// The current forms of a conversation.
pub(crate) async fn features_in(
    app: &AppState,
    origin: &CallOrigin,
    fill: bool,
) -> HandlerResult<Vec<Value>> {
    let off = app.engine.switched_off().await?;
    // Release the lease before evaluating conditions: new tools would have to wait for them.
    let tools: Vec<_> = {
        let lease = app.engine.registry().lease();
        app.engine.tools(&lease).filter(|tool| tool.ui.is_some()).cloned().collect()
    };
    let is_on =
        |tool: &&Arc<Tool>| !off.iter().any(|one| one.tool == tool.contract.tool_id.as_str());
    let tools: Vec<_> = tools.iter().filter(is_on).cloned().collect();
    let hidden = hidden(app, origin, &tools).await;
    let feature = |tool: &Arc<Tool>| {
        let (id, ui) = (tool.contract.tool_id.as_str(), tool.ui.as_ref()?);
        let feature = match fill {
            true => filled_form(ui, &origin.conversation.0),
            false => ui.clone(),
        };
        Some(json!(ShownFeature { tool: id, feature, available: !hidden.contains(id) }))
    };
    Ok(tools.iter().filter_map(feature).collect())
}

/// Tools whose conditions do not hold. Evaluated concurrently: one that hangs delays no other.
async fn hidden(app: &AppState, origin: &CallOrigin, tools: &[Arc<Tool>]) -> BTreeSet<String> {
    let mut asked = JoinSet::new();
    for tool in tools.iter().filter(|tool| tool.has(Feature::Conditional)).cloned() {
        let (app, origin) = (app.clone(), origin.clone());
        asked.spawn(async move {
            let holds = app.engine.available(&origin, &tool).await.is_ok();
            (!holds).then(|| tool.contract.tool_id.to_string())
        });
    }
    asked.join_all().await.into_iter().flatten().collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmitForm {
    tool: String,
    /// The name of a handler; for a tool without handlers, the tool itself or one in the same file,
    /// which is then called as a model would call it.
    handler: String,
    #[serde(default)]
    params: Value,
    conversation: Option<String>,
}

/// What the page does with a handler's answer; a handler may return more fields.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "handlers make it; this is how it is described")]
pub(crate) struct HandlerReply {
    success: Option<bool>,
    message: Option<Value>,
    error: Option<Value>,
    clear_inputs: Option<Vec<String>>,
    refresh_components: Option<Vec<String>>,
    close_modal: Option<bool>,
    /// The question that the person has to answer first.
    waiting: Option<Value>,
}

pub(crate) async fn submit(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    JsonBody(SubmitForm { tool, handler, params, conversation }): JsonBody<SubmitForm>,
) -> HandlerResult<Json<Value>> {
    let origin = origin(&app, &owner, conversation.as_deref()).await?;
    if app.engine.switched_off().await?.iter().any(|one| one.tool == tool) {
        return Err(Fault::conflict("the tool is switched off", "switch it on"));
    }
    let (tool, target) = {
        let lease = app.engine.registry().lease();
        let no_handler = || Fault::not_found("no tool has such a handler");
        let tool = app.engine.tool(&lease, &tool).ok_or_else(no_handler)?;
        let tools = app.engine.tools(&lease);
        let target = FormTarget::find(tool, &handler, tools.map(|tool| &**tool));
        let target = target.ok_or_else(no_handler)?;
        (tool.clone(), target)
    };
    // It may have become unavailable since the form was drawn.
    if let Err(because) = app.engine.available(&origin, &tool).await {
        return Err(Fault::conflict(because, "load the forms again"));
    }
    Ok(Json(match target {
        FormTarget::Handler => {
            // A separate task: the handler completes even if the person disconnects.
            let handled = tokio::spawn(async move {
                app.engine.run_hook(&origin, &tool, HookKind::Ui(handler), params).await
            });
            form_reply(handled.await.map_err(|fault| Fault::ours(&fault))?)
        }
        FormTarget::Call(id) => called(&app, &origin, id, params).await?,
    }))
}

/// The form calls a tool: validated, decided and approved like any call.
async fn called(
    app: &AppState,
    origin: &CallOrigin,
    tool: String,
    params: Value,
) -> HandlerResult<Value> {
    let params = {
        let lease = app.engine.registry().lease();
        form_arguments(app.engine.tool(&lease, &tool).map(|tool| &**tool), params)
    };
    let ran = run_by_hand(app, origin, tool, params).await?;
    let RunResult { ok, content, waiting, .. } = &ran;
    if !waiting.is_null() {
        let asked = Event::custom("approval", waiting.clone());
        app.side_events.send(&origin.conversation, asked).await;
        let message = "Waiting for your approval.";
        return Ok(json!({ "success": true, "message": message, "waiting": waiting }));
    }
    let text = content.as_str().or_else(|| content["message"].as_str());
    Ok(match ok {
        true => json!({ "success": true, "message": text, "content": content }),
        false => json!({ "success": false, "error": text, "content": content }),
    })
}
