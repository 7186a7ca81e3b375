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
use crate::conversations::answering_model::check_model;
use crate::conversations::stop_requests;
use crate::fault::{Fault, HandlerResult};
use crate::routes::attachments::{MessageFile, kept};
use crate::routes::json_body::{Empty, JsonBody};
use crate::state::AppState;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMessage {
    /// It may also be empty if there are files.
    #[schemars(length(min = 1))]
    text: String,
    /// Files that were added before, by digest.
    #[serde(default)]
    files: Vec<MessageFile>,
    /// Answers this message instead of the conversation's model.
    model: Option<String>,
}

impl NewMessage {
    /// Only words.
    pub(crate) fn text(text: String) -> Self {
        Self { text, files: Vec::new(), model: None }
    }
}

pub(crate) async fn send(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(message): JsonBody<NewMessage>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    check_chosen(&app, message.model.as_deref()).await?;
    if !message.files.is_empty() {
        return accepted(say(&app, &owner, &id, message).await?);
    }
    match app.conversations.answer_in_text(&id, &message.text).await? {
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
        TextAnswer::Message { .. } => accepted(say(&app, &owner, &id, message).await?),
    }
}

/// Sends a message, with its placeholders filled in.
pub(crate) async fn say(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    message: NewMessage,
) -> HandlerResult<u64> {
    let NewMessage { text, files, model } = message;
    let files = kept(app, owner, id, &files).await?;
    let text = services::names_in(app.engine.store(), owner, id).await?.fill(&text);
    let saying = async |app: &AppState, id: &ConversationId| {
        let (text, files, model) = (text.as_str(), files.as_slice(), model.as_deref());
        app.conversations.say_message(id, conversation::NewMessage { text, files, model }).await
    };
    begin(app, owner, id, saying).await
}

async fn check_chosen(app: &AppState, model: Option<&str>) -> HandlerResult<()> {
    match model {
        Some(model) => check_model(app, model).await,
        None => Ok(()),
    }
}

fn accepted(turn: u64) -> HandlerResult<(StatusCode, Json<Value>)> {
    Ok((StatusCode::ACCEPTED, Json(json!({ "turn": turn }))))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditMessage {
    turn: u64,
    text: String,
    /// Answers this message instead of the conversation's model.
    model: Option<String>,
}

/// Sends another text in place of the turn and all later ones, which stay as a version.
pub(crate) async fn edit(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(EditMessage { turn, text, model }): JsonBody<EditMessage>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    check_chosen(&app, model.as_deref()).await?;
    let text = services::names_in(app.engine.store(), &owner, &id).await?.fill(&text);
    let saying = async |app: &AppState, id: &ConversationId| {
        app.conversations.say_again(id, Some(turn), Some(&text), model.as_deref()).await
    };
    accepted(begin(&app, &owner, &id, saying).await?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Regenerate {
    /// The last turn if it is missing.
    turn: Option<u64>,
    /// Answers instead of the conversation's model.
    model: Option<String>,
}

/// Sends the same text again, in place of the turn and all later ones, which stay as a version.
pub(crate) async fn regenerate(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Regenerate { turn, model }): JsonBody<Regenerate>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.index.id(&owner, &id).await?;
    check_chosen(&app, model.as_deref()).await?;
    let saying = async |app: &AppState, id: &ConversationId| {
        app.conversations.say_again(id, turn, None, model.as_deref()).await
    };
    accepted(begin(&app, &owner, &id, saying).await?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChooseVersion {
    /// The turn that the version begins with, from an entry's `versions`.
    turn: u64,
}

/// Uses another version of a turn, with the turns that followed it.
pub(crate) async fn choose_version(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(ChooseVersion { turn }): JsonBody<ChooseVersion>,
) -> HandlerResult<StatusCode> {
    let id = app.index.id(&owner, &id).await?;
    let _slot = app.turns.reserve(&id).await?;
    app.conversations.choose_version(&id, turn).await?;
    app.index.mark_closed(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
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
    let is_stopping = app.turns.stop(&id) | stop_elsewhere(&app, &id).await?;
    let stopped = is_stopping || stop_open(&app, &owner, &id).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": stopped }))))
}

/// Asks the other server that runs the turn to stop it; returns whether there is one.
async fn stop_elsewhere(app: &AppState, id: &ConversationId) -> HandlerResult<bool> {
    if app.conversations.held_by_node(id).await?.is_none() {
        return Ok(false);
    }
    let conversation = app.conversations.get(id).await?;
    let Some(turn) = conversation.open_turn() else { return Ok(false) };
    stop_requests::ask(app, id, turn.number).await?;
    Ok(true)
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
