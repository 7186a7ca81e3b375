//! What tools draw: forms and widgets, and a person's own runs of a tool.

use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use contract::{Call, CallId};
use engine::{Room, Settled, Waiting};
use policy::SideKind;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::door::Owner;
use crate::fault::{Answer, Fault};
use crate::tokens::random_name;
use crate::tools::room;

#[derive(Deserialize)]
pub(crate) struct In {
    conversation: Option<String>,
}

/// The forms of all tools that are on, with the conversation's id filled in.
pub(crate) async fn features(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Query(In { conversation }): Query<In>,
) -> Answer<Json<Vec<Value>>> {
    let room = room(&app, &owner, conversation.as_deref()).await?;
    Ok(Json(features_in(&app, &room).await?))
}

/// The forms as they are now in one room.
pub(crate) async fn features_in(app: &App, room: &Room) -> Answer<Vec<Value>> {
    let off = app.desk.switched_off().await?;
    let lease = app.desk.registry().lease();
    let mut features = Vec::new();
    for tool in app.desk.tools(&lease) {
        let id = tool.contract.tool_id.as_str();
        let Some(ui) = &tool.ui else { continue };
        if off.iter().any(|one| one.tool == id) {
            continue;
        }
        let available = app.desk.available(room, tool).await.is_ok();
        let feature = filled(ui, &room.conversation.0);
        features.push(json!({ "tool": id, "feature": feature, "available": available }));
    }
    Ok(features)
}

/// `{conversation_id}` in every text, names of fields too.
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submitted {
    tool: String,
    handler: String,
    #[serde(default)]
    params: Value,
    conversation: Option<String>,
}

pub(crate) async fn submit(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Body(Submitted { tool, handler, params, conversation }): Body<Submitted>,
) -> Answer<Json<Value>> {
    let room = room(&app, &owner, conversation.as_deref()).await?;
    if app.desk.switched_off().await?.iter().any(|one| one.tool == tool) {
        return Err(Fault::conflict("the tool is switched off", "switch it on"));
    }
    let lease = app.desk.registry().lease();
    let no_handler = || Fault::not_found("no tool has such a handler");
    let tool = app.desk.tool(&lease, &tool).ok_or_else(no_handler)?;
    if !tool.ui_handlers.contains(&handler) {
        return Err(no_handler());
    }
    // It may have become unavailable since the form was drawn.
    if let Err(because) = app.desk.available(&room, tool).await {
        return Err(Fault::conflict(because, "load the forms again"));
    }
    let reply = app.desk.side(&room, tool, SideKind::Ui(handler), params).await;
    Ok(Json(match reply {
        Ok(Value::Null) => json!({ "success": true }),
        Ok(reply) => reply,
        Err(because) => json!({ "success": false, "error": because }),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ByHand {
    conversation: Option<String>,
    #[serde(default)]
    args: Value,
}

/// A person's own run passes the same checks as a model's.
pub(crate) async fn run(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(tool): Path<String>,
    Body(ByHand { conversation, args }): Body<ByHand>,
) -> Answer<Json<Value>> {
    let room = room(&app, &owner, conversation.as_deref()).await?;
    let id = random_name().map_err(|fault| Fault::ours(&fault))?;
    let args = if args.is_null() { json!({}) } else { args };
    let call = Call { id: CallId(format!("{BY_HAND}{id}")), tool, args };
    Ok(Json(told(&app.desk.settle(&room, &call).await)))
}

/// The calls that a person made; no turn waits for them.
const BY_HAND: &str = "hand-";

pub(crate) fn is_by_hand(call: &CallId) -> bool {
    call.0.starts_with(BY_HAND)
}

/// How a person's own call ended.
pub(crate) fn told(settled: &Settled) -> Value {
    let content = match &settled.outcome {
        Ok(data) => data.clone(),
        Err(error) => json!({ "type": error.kind, "message": error.message }),
    };
    let waiting = match &settled.waiting {
        Some(Waiting::Approval(asked)) => {
            json!({ "request": asked.request.id, "preview": asked.request.preview })
        }
        Some(Waiting::InDoubt(_)) => json!({ "inDoubt": settled.tool }),
        None => Value::Null,
    };
    json!({
        "call": settled.call,
        "verdict": settled.verdict,
        "ok": settled.outcome.is_ok(),
        "content": content,
        "waiting": waiting,
        "notes": settled.notes,
    })
}
