//! The questions that handlers ask in a voice session: listed, and answered by a person elsewhere.
//!
//! The session notices the answer and goes on. The first answer counts.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{Action, CallId, HandlerAnswer};
use conversation::OpenQuestion;
use engine::QuestionFault;
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

pub(crate) async fn list(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path(id): Path<String>,
) -> HandlerResult<Json<Vec<HandlerQuestion>>> {
    let id = app.index.id(&owner, &id).await?;
    let open = app.conversations.questions(&id).await?;
    let line = |OpenQuestion { call, tool, name, message, schema }| HandlerQuestion {
        call: call.0,
        tool,
        name,
        message,
        schema,
    };
    Ok(Json(open.into_iter().map(line).collect()))
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

pub(crate) async fn answer(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
    Path((id, call)): Path<(String, String)>,
    JsonBody(QuestionAnswer { name, action, content }): JsonBody<QuestionAnswer>,
) -> HandlerResult<StatusCode> {
    let (id, call) = (app.index.id(&owner, &id).await?, CallId(call));
    let action = match action {
        AnswerAction::Accept => Action::Accept,
        AnswerAction::Decline => Action::Decline,
        AnswerAction::Cancel => Action::Cancel,
    };
    let answer = HandlerAnswer { action, content };
    match app.conversations.answer_question(&id, &call, &name, answer).await {
        Ok(()) => Ok(StatusCode::NO_CONTENT),
        Err(QuestionFault::NotAsked | QuestionFault::AlreadyAnswered) => Err(not_open()),
        Err(fault @ QuestionFault::Unfit { .. }) => {
            Err(Fault::bad_request(fault.to_string(), "send what the `schema` describes"))
        }
        Err(fault @ QuestionFault::Store(_)) => Err(Fault::ours(&fault)),
    }
}

fn not_open() -> Fault {
    Fault::conflict("this question is not open", "it was answered, or its call has ended")
}
