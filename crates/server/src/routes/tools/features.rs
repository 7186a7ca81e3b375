//! Forms and widgets of tools, and where a form is submitted.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::{Extension, Json};
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
            true => filled(ui, &origin.conversation.0),
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

/// Fills `{conversation_id}` into every string, including field names.
fn filled(value: &Value, id: &str) -> Value {
    let fill = |text: &str| text.replace("{conversation_id}", id);
    match value {
        Value::String(text) => fill(text).into(),
        Value::Array(items) => items.iter().map(|item| filled(item, id)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (fill(name), filled(value, id)));
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
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

/// Where a form is submitted.
enum Target {
    Handler,
    Call(String),
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
        let target = target(tool, &handler, tools.map(|tool| &**tool)).ok_or_else(no_handler)?;
        (tool.clone(), target)
    };
    // It may have become unavailable since the form was drawn.
    if let Err(because) = app.engine.available(&origin, &tool).await {
        return Err(Fault::conflict(because, "load the forms again"));
    }
    Ok(Json(match target {
        Target::Handler => {
            // A separate task: the handler completes even if the person disconnects.
            let handled = tokio::spawn(async move {
                app.engine.run_hook(&origin, &tool, HookKind::Ui(handler), params).await
            });
            reply_of(handled.await.map_err(|fault| Fault::ours(&fault))?)
        }
        Target::Call(id) => called(&app, &origin, id, params).await?,
    }))
}

/// A tool's own handler, or the tool of this name in the same file.
fn target<'a>(
    tool: &Tool,
    name: &str,
    mut tools: impl Iterator<Item = &'a Tool>,
) -> Option<Target> {
    if tool.ui_handlers.iter().any(|handler| handler == name) {
        return Some(Target::Handler);
    }
    let is_meant = |other: &&Tool| {
        other.handler.file() == tool.handler.file()
            && other.has(Feature::Callable)
            && (other.contract.tool_id.as_str() == name || other.item_name() == Some(name))
    };
    tools.find(is_meant).map(|meant| Target::Call(meant.contract.tool_id.to_string()))
}

/// The handler's answer; anything but an object is wrapped into one.
fn reply_of(reply: Result<Value, String>) -> Value {
    match reply {
        Ok(reply @ Value::Object(_)) => reply,
        Ok(Value::Null) => json!({ "success": true }),
        Ok(Value::Bool(success)) => json!({ "success": success }),
        Ok(Value::String(message)) => json!({ "success": true, "message": message }),
        Ok(content @ (Value::Number(_) | Value::Array(_))) => {
            json!({ "success": true, "content": content })
        }
        Err(because) => json!({ "success": false, "error": because }),
    }
}

/// The form calls a tool: validated, decided and approved like any call.
async fn called(
    app: &AppState,
    origin: &CallOrigin,
    tool: String,
    mut params: Value,
) -> HandlerResult<Value> {
    if let Some(fields) = params.as_object_mut() {
        let lease = app.engine.registry().lease();
        let tool = app.engine.tool(&lease, &tool);
        let takes = |name: &str| {
            let pointer = format!("/properties/{name}");
            tool.is_some_and(|tool| tool.contract.parameters.pointer(&pointer).is_some())
        };
        // Every form sends it; few tools take it.
        if !takes("conversation_id") {
            fields.remove("conversation_id");
        }
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{filled, reply_of};

    /// GD-12
    #[test]
    fn gd_12_the_conversation_id_is_filled_in_everywhere() {
        let ui = json!({
            "kv_key": "hp-{conversation_id}",
            "widget_config": { "max_value_key": "max-{conversation_id}" },
            "layout": { "components": [{
                "type": "modal",
                "components": [{ "data_source": {
                    "type": "persona_properties", "key": "n-{conversation_id}", "include_user": true,
                } }],
            }] },
            "by {conversation_id}": [1, null, "{other}"],
        });
        let expected = json!({
            "kv_key": "hp-c1",
            "widget_config": { "max_value_key": "max-c1" },
            "layout": { "components": [{
                "type": "modal",
                "components": [{ "data_source": {
                    "type": "persona_properties", "key": "n-c1", "include_user": true,
                } }],
            }] },
            "by c1": [1, null, "{other}"],
        });
        assert_eq!(filled(&ui, "c1"), expected);
    }

    /// GD-11
    #[test]
    fn gd_11_a_reply_stays_unchanged_and_other_values_are_wrapped() {
        let whole = json!({"success": false, "error": "No.", "clear_inputs": ["a"], "own": [1]});
        let check = |reply, expected| assert_eq!(reply_of(reply), expected);
        check(Ok(whole.clone()), whole);
        check(Ok(json!(null)), json!({"success": true}));
        check(Ok(json!(false)), json!({"success": false}));
        check(Ok(json!("Done.")), json!({"success": true, "message": "Done."}));
        check(Ok(json!([1])), json!({"success": true, "content": [1]}));
        check(Err("It fell.".into()), json!({"success": false, "error": "It fell."}));
    }
}
