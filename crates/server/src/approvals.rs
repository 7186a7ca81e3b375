//! Questions to a person: listed, and answered once.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use engine::Asked;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::body::Body;
use crate::by_hand::{is_by_hand, settle};
use crate::door::Owner;
use crate::fault::{Answer, Fault};

pub(crate) async fn list(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
) -> Answer<Json<Vec<Value>>> {
    let open = open(&app, &owner).await?;
    let line = |Asked { request, .. }: &Asked| {
        json!({
            "id": request.id,
            "conversation": request.conversation,
            "call": request.call,
            "tool": request.tool,
            "args": request.args,
            "preview": request.preview,
            "why": request.why,
            "askedAt": request.asked_at,
            "expiresAt": request.expires_at,
            "mayBeRemembered": request.may_be_remembered,
        })
    };
    Ok(Json(open.iter().map(line).collect()))
}

/// The owner's questions, and nobody else's.
async fn open(app: &App, owner: &str) -> Answer<Vec<Asked>> {
    let mut open = app.desk.open_approvals().await?;
    open.retain(|asked| asked.room.client == owner);
    Ok(open)
}

/// What a person answers; the policy reads it again and decides what it is worth.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Given {
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

pub(crate) async fn answer(
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    Body(given): Body<Given>,
) -> Answer<(StatusCode, Json<Value>)> {
    let known = open(&app, &owner).await?.into_iter().any(|asked| asked.request.id.0 == id);
    if !known {
        let fix = "it was answered, withdrawn or is too old; look at the conversation";
        return Err(Fault::conflict("this question does not wait for an answer", fix));
    }
    let mut payload = serde_json::to_value(&given).map_err(|fault| Fault::ours(&fault))?;
    payload["request"] = id.into();
    let asked = app.desk.answer(&payload.to_string()).await?;
    if is_by_hand(&asked.call.id) {
        let settled = settle(&app, &asked.room, &asked.call).await;
        return Ok((StatusCode::ACCEPTED, Json(json!({ "settled": settled }))));
    }
    app.runner.resume(&app, &owner, &asked.room.conversation).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "conversation": asked.room.conversation }))))
}
