//! Tells when the questions to an owner change, for whoever shows them.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use engine::{ApprovalFault, ApprovalRecord};
use store::{Change, StoreFault, Subscription};

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::state::AppState;
use crate::stream::sse;

/// An owner's ear to the questions.
pub(crate) struct ApprovalFeed {
    app: AppState,
    owner: String,
    feed: Subscription<Change>,
}

impl ApprovalFeed {
    pub(crate) async fn follow(app: &AppState, owner: &str) -> Result<Self, Unanswerable> {
        let feed = app.desk.follow_approvals().await?;
        Ok(Self { app: app.clone(), owner: owner.to_owned(), feed })
    }

    /// Waits until a question to the owner comes, is answered or goes.
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

    /// Whose a question was that is gone, nobody can say.
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

/// For a page without an open conversation: `change`, whenever the list is to be read again.
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
