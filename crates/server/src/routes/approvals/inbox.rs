//! The inbox: everything that waits for this person, over all conversations and programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::inbox::{InboxNotice, InboxNotices};
use crate::routes::approvals::in_doubt::{self, CallInDoubt};
use crate::routes::approvals::questions::{HandlerQuestion, InboxQuestion};
use crate::routes::approvals::{Question, questions, titles};
use crate::state::AppState;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Inbox {
    /// Questions of tools, in conversations and from programs.
    approvals: Vec<Question>,
    /// Questions of handlers, in conversations.
    questions: Vec<InboxQuestion>,
    /// Calls whose outcome is unknown.
    doubts: Vec<CallInDoubt>,
    /// Anything else.
    notices: Vec<InboxNotice>,
}

pub(crate) async fn show(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Json<Inbox>> {
    Ok(Json(Inbox {
        approvals: questions(&app, &owner).await?,
        questions: handler_questions(&app, &owner).await?,
        doubts: in_doubt::calls(&app, &owner).await?,
        notices: notices(&app, &owner).await?,
    }))
}

/// More calls that ask are not listed.
const ASKING_MAX: usize = 200;

/// The questions of handlers in the conversations of an owner. Programs answer those of their
/// own calls.
pub(crate) async fn handler_questions(
    app: &AppState,
    owner: &str,
) -> HandlerResult<Vec<InboxQuestion>> {
    let open = app.conversations.all_questions(owner, ASKING_MAX).await?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let titles = titles(app, owner).await?;
    let lines = open.into_iter().filter_map(|(conversation, open)| {
        let title = titles.get(&conversation.0)?.clone();
        let question = HandlerQuestion::of(open);
        Some(InboxQuestion { conversation: conversation.0, title, question })
    });
    Ok(lines.collect())
}

/// The notices of an owner.
pub(crate) async fn notices(app: &AppState, owner: &str) -> HandlerResult<Vec<InboxNotice>> {
    Ok(InboxNotices::new(app.engine.shared_store()).list(owner).await?)
}
