//! A person's messages: sent, edited, regenerated, deleted; stops turns.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use conversation::{ConversationFault, LaterTurns, TextAnswer};
use policy::ConversationId;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::{Empty, JsonBody};
use crate::state::AppState;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    #[schemars(length(min = 1))]
    text: String,
}

pub(crate) async fn send(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(NewMessage { text }): JsonBody<NewMessage>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    match app.conversations.answer_in_text(&id, &text).await? {
        // A plain yes or no answers the open question and is not a message.
        TextAnswer::Answered { asked, turn, .. } => {
            app.turns.resume(&app, &owner, &id).await?;
            let body = json!({ "turn": turn, "answered": asked.request.id });
            Ok((StatusCode::ACCEPTED, Json(body)))
        }
        TextAnswer::WhichOne(open) => {
            let message = format!("{} questions are open", open.len());
            Err(Fault::conflict(message, "answer each one in its own place"))
        }
        TextAnswer::Message { .. } => accepted(say(&app, &owner, &id, &text).await?),
    }
}

/// Sends a message, with its placeholders filled in.
pub(crate) async fn say(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    text: &str,
) -> HandlerResult<u64> {
    let text = services::names_in(app.engine.store(), owner, id).await?.fill(text);
    let saying = async |app: &AppState, id: &ConversationId| app.conversations.say(id, &text).await;
    begin(app, owner, id, saying).await
}

fn accepted(turn: u64) -> HandlerResult<(StatusCode, Json<Value>)> {
    Ok((StatusCode::ACCEPTED, Json(json!({ "turn": turn }))))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditMessage {
    turn: u64,
    text: String,
}

/// Deletes the turn and all later ones, and sends another text.
pub(crate) async fn edit(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(EditMessage { turn, text }): JsonBody<EditMessage>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    let text = services::names_in(app.engine.store(), &owner, &id).await?.fill(&text);
    let saying = async |app: &AppState, id: &ConversationId| {
        app.conversations.say_again(id, Some(turn), Some(&text)).await
    };
    accepted(begin(&app, &owner, &id, saying).await?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Regenerate {
    /// The last turn if it is missing.
    turn: Option<u64>,
}

/// Deletes the turn and all later ones, and sends the same text again.
pub(crate) async fn regenerate(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Regenerate { turn }): JsonBody<Regenerate>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    let saying = async |app: &AppState, id: &ConversationId| {
        app.conversations.say_again(id, turn, None).await
    };
    accepted(begin(&app, &owner, &id, saying).await?)
}

/// Sends a message while no turn runs, and runs its turn.
async fn begin(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    saying: impl AsyncFnOnce(&AppState, &ConversationId) -> Result<u64, ConversationFault>,
) -> HandlerResult<u64> {
    let slot = app.turns.reserve(id).await?;
    let channel = app.turns.channel(id).await?;
    // Before the message is in the log: after a crash in between it would stay unanswered.
    let was_open = app.index.will_begin(owner, id).await?;
    let turn = match saying(app, id).await {
        Ok(turn) => turn,
        Err(fault) => {
            if !was_open {
                app.index.mark_closed(owner, id).await?;
            }
            return Err(fault.into());
        }
    };
    app.index.mark_open(owner, id).await?;
    app.turns.run(app, owner, slot, channel);
    Ok(turn)
}

#[derive(Deserialize)]
pub(crate) struct RemoveQuery {
    /// Whether to delete later turns too.
    after: Option<bool>,
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((id, turn)): Path<(String, u64)>,
    Query(RemoveQuery { after }): Query<RemoveQuery>,
) -> HandlerResult<StatusCode> {
    let id = app.index.id(&owner, &id).await?;
    let _slot = app.turns.reserve(&id).await?;
    let later = if after == Some(true) { LaterTurns::Remove } else { LaterTurns::Keep };
    app.conversations.rewind(&id, turn, later).await?;
    app.index.changed(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn stop(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    let stopped = app.turns.stop(&id) || stop_open(&app, &owner, &id).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": stopped }))))
}

/// Stops an open turn that no server runs: it waits for a person, or its server died.
async fn stop_open(app: &AppState, owner: &str, id: &ConversationId) -> HandlerResult<bool> {
    let _slot = app.turns.reserve(id).await?;
    let stopped = app.conversations.stop(id).await?;
    if stopped {
        app.index.mark_closed(owner, id).await?;
    }
    Ok(stopped)
}
