//! Notifies clients when the open questions of an owner change.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use conversation::{ApprovalChange, ApprovalFeed};
use engine::ApprovalFault;

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::state::AppState;
use crate::stream::sse;

/// Follows the open questions of an owner.
pub(crate) struct OpenQuestions {
    owner: String,
    feed: ApprovalFeed,
}

impl OpenQuestions {
    pub(crate) async fn follow(app: &AppState, owner: &str) -> Result<Self, ApprovalFault> {
        Ok(Self { owner: owner.to_owned(), feed: ApprovalFeed::follow(&app.engine).await? })
    }

    /// Waits until a question of the owner is asked, answered or withdrawn, or may have been.
    pub(crate) async fn changed(&mut self) -> Result<(), ApprovalFault> {
        loop {
            match self.feed.next().await? {
                ApprovalChange::Set(asked) if asked.origin.client != self.owner => {}
                // The owner of a deleted question is unknown.
                ApprovalChange::Set(_) | ApprovalChange::Gone | ApprovalChange::Missed => {
                    return Ok(());
                }
            }
        }
    }
}

/// For a page without an open conversation: sends `change` when the list changes.
pub(crate) async fn stream(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Response> {
    let permit = app.streams.acquire(&owner)?;
    let mut questions = OpenQuestions::follow(&app, &owner).await?;
    let (to, response) = sse::open();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                changed = questions.changed() => {
                    let event = sse::event(None, "change", "{}");
                    if changed.is_err() || to.send(event).await.is_err() {
                        break;
                    }
                }
                () = to.closed() => break,
                () = app.in_flight.shutting_down() => break,
            }
        }
        drop(permit);
    });
    Ok(response)
}
