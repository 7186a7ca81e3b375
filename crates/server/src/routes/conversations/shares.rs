//! Shared links: created, listed, updated, revoked by their owner; opened by anybody.

mod entry_html;
mod html;
pub(crate) mod page;

use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::auth::middleware::Owner;
use crate::conversations::shares::{Share, ShareChoice};
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::{Empty, JsonBody};
use crate::state::AppState;

const SECONDS_MIN: u32 = 60;
const SECONDS_MAX: u32 = 366 * 24 * 3_600;
const SECONDS_USUAL: u32 = 7 * 24 * 3_600;

/// What to share, and for how long.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct NewShare {
    /// From a minute to a year; a week if it is missing.
    #[schemars(range(min = 60, max = 31_622_400))]
    expires_in_seconds: u32,
    /// Tool calls with their arguments and results.
    tools: bool,
    /// Pictures and other files of messages.
    files: bool,
}

impl Default for NewShare {
    fn default() -> Self {
        Self { expires_in_seconds: SECONDS_USUAL, tools: false, files: false }
    }
}

/// A link that was just created.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CreatedShare {
    #[serde(flatten)]
    share: Share,
    /// The path of the link, with its secret. It is in no other answer.
    path: String,
}

pub(crate) async fn create(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(NewShare { expires_in_seconds, tools, files }): JsonBody<NewShare>,
) -> HandlerResult<(StatusCode, Json<CreatedShare>)> {
    if !(SECONDS_MIN..=SECONDS_MAX).contains(&expires_in_seconds) {
        let fix = format!("give `expiresInSeconds` from {SECONDS_MIN} to {SECONDS_MAX}");
        return Err(Fault::bad_request("a link cannot last that long", fix));
    }
    let line = app.index.line(&owner, &id).await?;
    if line.temporary {
        let fix = "branch it, and share the copy";
        return Err(Fault::conflict("a temporary conversation cannot be shared", fix));
    }
    let last_event = last_event(&app, &line.id).await?;
    let lasts = Duration::from_secs(expires_in_seconds.into());
    let choice = ShareChoice { lasts, tools, files };
    let (share, secret) = app.shares.create(&owner, &line, last_event, choice).await?;
    Ok((StatusCode::CREATED, Json(CreatedShare { share, path: format!("/s/{secret}") })))
}

async fn last_event(app: &AppState, conversation: &str) -> HandlerResult<u64> {
    let records = app.conversations.events(&ConversationId(conversation.to_owned())).await?;
    records.last().map(|record| record.sequence).ok_or_else(Fault::no_conversation)
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Vec<Share>>> {
    Ok(Json(app.shares.list(&owner).await?))
}

/// Shares what is in the conversation now, under the same link.
pub(crate) async fn update(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<Json<Share>> {
    let share = app.shares.find(&owner, &id).await?;
    let line = app.index.line(&owner, &share.conversation).await?;
    let last_event = last_event(&app, &line.id).await?;
    Ok(Json(app.shares.update(&owner, &id, &line.title, last_event).await?))
}

pub(crate) async fn revoke(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<StatusCode> {
    app.shares.revoke(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}
