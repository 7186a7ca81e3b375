//! The questions that handlers ask, in a text turn or a voice session: listed, and answered by a
//! person on any surface. The turn or the session goes on; the first answer counts.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{Action, CallId, HandlerAnswer};
use conversation::{AnsweredIn, FormQuestion, OpenQuestion};
use engine::QuestionFault;
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::auth::middleware::Owner;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::JsonBody;
use crate::state::AppState;

/// A question that waits for a person.
#[derive(Serialize, JsonSchema)]
pub(crate) struct HandlerQuestion {
    call: String,
    tool: String,
    /// The handler's name for it; the answer names it, too.
    name: String,
    message: String,
    /// The JSON Schema of `content`.
    schema: Value,
}

impl HandlerQuestion {
    pub(crate) fn of(OpenQuestion { call, tool, question }: OpenQuestion) -> Self {
        let FormQuestion { name, message, schema } = question;
        Self { call: call.0, tool, name, message, schema }
    }
}

/// The same with the conversation where it waits.
#[derive(Serialize, JsonSchema)]
pub(crate) struct InboxQuestion {
    pub conversation: String,
    /// Of the conversation.
    pub title: String,
    #[serde(flatten)]
    pub question: HandlerQuestion,
}

impl InboxQuestion {
    /// The same for every reader.
    pub(crate) fn id(&self) -> String {
        let Self { conversation, question: HandlerQuestion { call, name, .. }, .. } = self;
        format!("{conversation}/{call}/{name}")
    }
}

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Json<Vec<HandlerQuestion>>> {
    let id = app.index.id(&owner, &id).await?;
    let open = app.conversations.questions(&id).await?;
    Ok(Json(open.into_iter().map(HandlerQuestion::of).collect()))
}

/// A person's answer; it must fit the question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionAnswer {
    name: String,
    action: AnswerAction,
    /// What was filled in, with `accept`.
    #[serde(default)]
    content: Value,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum AnswerAction {
    Accept,
    Decline,
    Cancel,
}

impl From<AnswerAction> for Action {
    fn from(action: AnswerAction) -> Self {
        match action {
            AnswerAction::Accept => Action::Accept,
            AnswerAction::Decline => Action::Decline,
            AnswerAction::Cancel => Action::Cancel,
        }
    }
}

pub(crate) async fn answer(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((id, call)): Path<(String, String)>,
    JsonBody(QuestionAnswer { name, action, content }): JsonBody<QuestionAnswer>,
) -> HandlerResult<StatusCode> {
    let (id, call) = (app.index.id(&owner, &id).await?, CallId(call));
    let answer = HandlerAnswer { action: action.into(), content };
    match take(&app, &owner, &id, &call, &name, answer).await? {
        AnsweredIn::Turn => app.turns.resume(&app, &owner, &id).await?,
        AnsweredIn::VoiceSession => {}
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Records the answer; the caller lets the turn go on.
pub(crate) async fn take(
    app: &AppState,
    owner: &str,
    id: &ConversationId,
    call: &CallId,
    name: &str,
    answer: HandlerAnswer,
) -> HandlerResult<AnsweredIn> {
    if !app.conversations.get(id).await?.waits_for_answers(call) {
        return Ok(app.conversations.answer_question(id, call, name, answer).await?);
    }
    // Before the answer is stored: after a crash in between, the turn would not go on.
    let was_open = app.index.will_begin(owner, id).await?;
    let answered = app.conversations.answer_question(id, call, name, answer).await;
    match answered {
        Ok(answered) => return Ok(answered),
        // It expired. The turn asks again; if somebody else answered just now, it goes on anyway.
        Err(QuestionFault::NotAsked) => app.turns.resume(app, owner, id).await?,
        Err(_) if !was_open => app.index.mark_closed(owner, id).await?,
        Err(_) => {}
    }
    Ok(answered?)
}

impl From<QuestionFault> for Fault {
    fn from(fault: QuestionFault) -> Self {
        match fault {
            QuestionFault::NotAsked | QuestionFault::AlreadyAnswered => Fault::conflict(
                "this question is not open",
                "it was answered, it expired and is asked again, or its call has ended",
            ),
            fault @ QuestionFault::Unfit { .. } => {
                Fault::bad_request(fault.to_string(), "send what the `schema` describes")
            }
            fault @ QuestionFault::Store(_) => Fault::ours(&fault),
        }
    }
}
