//! Tells when the questions to an owner change, for whoever shows them.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use engine::{ApprovalFault, ApprovalRecord};
use store::{Change, StoreFault, Subscription};

use crate::auth::middleware::Owner;
use crate::fault::Answer;
use crate::state::App;
use crate::stream::sse;

/// An owner's ear to the questions.
pub(crate) struct Questions {
    app: App,
    owner: String,
    feed: Subscription<Change>,
}

impl Questions {
    pub(crate) async fn follow(app: &App, owner: &str) -> Result<Self, ApprovalFault> {
        let feed = app.engine.follow_approvals().await?;
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
    State(app): State<App>,
    Extension(Owner(owner)): Extension<Owner>,
) -> Answer<Response> {
    let seat = app.seats.take(&owner)?;
    let mut questions = Questions::follow(&app, &owner).await?;
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
                () = app.calls.parting() => break,
            }
        }
        drop(seat);
    });
    Ok(response)
}
