//! Questions to a person: listed, and answered once.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use engine::Asked;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::by_hand::{Ran, is_by_hand, settle};
use crate::door::Owner;
use crate::fault::{Answer, Fault};

/// A question to a person. Times are milliseconds since 1970.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    id: String,
    conversation: String,
    call: String,
    tool: String,
    args: Value,
    preview: Value,
    why: Value,
    asked_at: u64,
    expires_at: u64,
    may_be_remembered: bool,
}

pub(crate) async fn list(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
) -> Answer<Json<Vec<Question>>> {
    let open = open(&app, &owner).await?;
    let line = |Asked { request, .. }: Asked| Question {
        id: request.id.0,
        conversation: request.conversation.0,
        call: request.call.0,
        tool: request.tool.to_string(),
        args: request.args,
        preview: json!(request.preview),
        why: json!(request.why),
        asked_at: request.asked_at.0,
        expires_at: request.expires_at.0,
        may_be_remembered: request.may_be_remembered,
    };
    Ok(Json(open.into_iter().map(line).collect()))
}

/// The owner's questions, and nobody else's.
async fn open(app: &App, owner: &str) -> Answer<Vec<Asked>> {
    let mut open = app.desk.open_approvals().await?;
    open.retain(|asked| asked.room.client == owner);
    Ok(open)
}

/// What a person answers; the policy reads it again and decides what it is worth.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GivenAnswer")]
pub(crate) struct Given {
    /// `approve`, `decline`, `edit` or `instead`.
    answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    args: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

/// What goes on now: the turn of a conversation, this call, or nothing until a program asks
/// again.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct GoesOn {
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    /// How a call that a person made has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    settled: Option<Ran>,
}

pub(crate) async fn answer(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Body(given): Body<Given>,
) -> Answer<(StatusCode, Json<GoesOn>)> {
    let payload = serde_json::to_value(&given).map_err(|fault| Fault::ours(&fault))?;
    let asked = take(&app, &owner, &id, payload).await?;
    if is_by_hand(&asked.call.id) {
        let settled = settle(&app, &asked.room, &asked.call).await?;
        let goes_on = GoesOn { settled: Some(settled), ..GoesOn::default() };
        return Ok((StatusCode::ACCEPTED, Json(goes_on)));
    }
    // A program's call runs when the program sends it again.
    let id = asked.room.conversation;
    if app.shelf.has(&owner, &id).await? {
        app.runner.resume(&app, &owner, &id).await?;
        let goes_on = GoesOn { conversation: Some(id.0), ..GoesOn::default() };
        return Ok((StatusCode::ACCEPTED, Json(goes_on)));
    }
    Ok((StatusCode::ACCEPTED, Json(GoesOn::default())))
}

/// Takes an answer to one of the owner's questions that wait.
pub(crate) async fn take(app: &App, owner: &str, id: &str, mut given: Value) -> Answer<Asked> {
    let known = open(app, owner).await?.into_iter().any(|asked| asked.request.id.0 == id);
    if !known {
        let fix = "it was answered, withdrawn or is too old; look at the conversation";
        return Err(Fault::conflict("this question does not wait for an answer", fix));
    }
    given["request"] = id.into();
    Ok(app.desk.answer(&given.to_string()).await?)
}
