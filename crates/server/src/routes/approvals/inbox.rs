//! The inbox: everything that waits for this person, over all conversations and programs.

use axum::extract::State;
use axum::{Extension, Json};
use schemars::JsonSchema;
use serde::Serialize;

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::inbox::{InboxNotice, InboxNotices};
use crate::routes::approvals::in_doubt::{self, CallInDoubt};
use crate::routes::approvals::{Question, questions};
use crate::state::AppState;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Inbox {
    /// Questions of tools, in conversations and from programs.
    approvals: Vec<Question>,
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
        doubts: in_doubt::calls(&app, &owner).await?,
        notices: notices(&app, &owner).await?,
    }))
}

/// The notices of an owner.
pub(crate) async fn notices(app: &AppState, owner: &str) -> HandlerResult<Vec<InboxNotice>> {
    Ok(InboxNotices::new(app.engine.shared_store()).list(owner).await?)
}
