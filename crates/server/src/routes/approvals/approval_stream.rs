//! Notifies clients when the open questions of an owner change.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use engine::{ApprovalFault, ApprovalRecord};
use store::{Change, StoreFault, Subscription};

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::state::AppState;
use crate::stream::sse;

/// Follows the open questions of an owner.
pub(crate) struct ApprovalFeed {
    app: AppState,
    owner: String,
    feed: Subscription<Change>,
}

impl ApprovalFeed {
    pub(crate) async fn follow(app: &AppState, owner: &str) -> Result<Self, ApprovalFault> {
        let feed = app.engine.follow_approvals().await?;
        Ok(Self { app: app.clone(), owner: owner.to_owned(), feed })
    }

    /// Waits until a question of the owner is asked, answered or withdrawn.
    pub(crate) async fn changed(&mut self) -> Result<(), ApprovalFault> {
        loop {
            match self.feed.next().await {
                Ok(change) if self.concerns(&change) => return Ok(()),
                Ok(_) | Err(StoreFault::Busy { .. }) => {}
                Err(StoreFault::Forgotten { .. }) => {
                    self.feed = self.app.engine.follow_approvals().await?;
                    return Ok(());
                }
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    /// The owner of a deleted question is unknown.
    fn concerns(&self, change: &Change) -> bool {
        match change {
            Change::Set(entry) => entry
                .value
                .to::<ApprovalRecord>()
                .is_ok_and(|asked| asked.origin.client == self.owner),
            Change::Deleted { .. } => true,
        }
    }
}

/// For a page without an open conversation: sends `change` when the list changes.
pub(crate) async fn stream(
    State(app): State<AppState>,
    Extension(Owner(owner)): Extension<Owner>,
) -> HandlerResult<Response> {
    let permit = app.streams.acquire(&owner)?;
    let mut questions = ApprovalFeed::follow(&app, &owner).await?;
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
