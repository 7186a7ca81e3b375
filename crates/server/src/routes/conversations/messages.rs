//! What a person says: it begins a turn, or stops one, or takes turns back.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use engine::{Later, Plain, TalkFault};
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
    let id = app.conversations.id(&owner, &id).await?;
    match app.desk.answer_plainly(&id, &text).await? {
        // A plain yes or no is the answer to the question that waits, and no message.
        Plain::Answered { asked, turn, .. } => {
            app.turns.resume(&app, &owner, &id).await?;
            let told = json!({ "turn": turn, "answered": asked.request.id });
            Ok((StatusCode::ACCEPTED, Json(told)))
        }
        Plain::WhichOne(open) => {
            let message = format!("{} questions wait for an answer", open.len());
            Err(Fault::conflict(message, "answer each of them where it is asked"))
        }
        Plain::Message { .. } => accepted(say(&app, &owner, &id, &text).await?),
    }
}

/// Says the person's words, with names in place of their placeholders.
pub(crate) async fn say(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    text: &str,
) -> HandlerResult<u64> {
    let text = app.desk.names(owner, id).await?.fill(text);
    let saying = async |app: &AppState, id: &ConversationId| app.desk.say(id, &text).await;
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

/// Takes the turn and all after it back, and says other words instead.
pub(crate) async fn edit(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(EditMessage { turn, text }): JsonBody<EditMessage>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.conversations.id(&owner, &id).await?;
    let text = app.desk.names(&owner, &id).await?.fill(&text);
    let saying = async |app: &AppState, id: &ConversationId| {
        app.desk.say_again(id, Some(turn), Some(&text)).await
    };
    accepted(begin(&app, &owner, &id, saying).await?)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Regenerate {
    /// The last one, if nothing is said.
    turn: Option<u64>,
}

/// Takes the turn and all after it back, and says the same words again.
pub(crate) async fn regenerate(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Regenerate { turn }): JsonBody<Regenerate>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.conversations.id(&owner, &id).await?;
    let saying =
        async |app: &AppState, id: &ConversationId| app.desk.say_again(id, turn, None).await;
    accepted(begin(&app, &owner, &id, saying).await?)
}

/// Says something while no turn runs, and runs the turn that it begins.
async fn begin(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    saying: impl AsyncFnOnce(&AppState, &ConversationId) -> Result<u64, TalkFault>,
) -> HandlerResult<u64> {
    let slot = app.turns.reserve(id).await?;
    let channel = app.turns.channel(id).await?;
    // Before the words are in the log: a server that dies between would leave them unanswered.
    let was_open = app.conversations.will_begin(owner, id).await?;
    let turn = match saying(app, id).await {
        Ok(turn) => turn,
        Err(fault) => {
            if !was_open {
                app.conversations.rested(owner, id).await?;
            }
            return Err(fault.into());
        }
    };
    app.conversations.began(owner, id).await?;
    app.turns.run(app, owner, slot, channel);
    Ok(turn)
}

#[derive(Deserialize)]
pub(crate) struct RemoveQuery {
    /// Do the turns after it go too?
    after: Option<bool>,
}

pub(crate) async fn remove(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((id, turn)): Path<(String, u64)>,
    Query(RemoveQuery { after }): Query<RemoveQuery>,
) -> HandlerResult<StatusCode> {
    let id = app.conversations.id(&owner, &id).await?;
    let _slot = app.turns.reserve(&id).await?;
    let later = if after == Some(true) { Later::Go } else { Later::Stay };
    app.desk.take_back(&id, turn, later).await?;
    app.conversations.changed(&owner, &id).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) async fn stop(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
    JsonBody(Empty {}): JsonBody<Empty>,
) -> HandlerResult<(StatusCode, Json<Value>)> {
    let id = app.conversations.id(&owner, &id).await?;
    let stopped = app.turns.stop(&id) || stop_open(&app, &owner, &id).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({ "stopped": stopped }))))
}

/// Stops a turn that is open and that nobody runs: it waits for a person, or its server died.
async fn stop_open(app: &AppState, owner: &str, id: &ConversationId) -> HandlerResult<bool> {
    let _slot = app.turns.reserve(id).await?;
    let stopped = app.desk.stop_talk(id).await?;
    if stopped {
        app.conversations.rested(owner, id).await?;
    }
    Ok(stopped)
}
