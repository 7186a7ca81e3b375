//! Notifies clients when the inbox of an owner changes.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use conversation::{ApprovalChange, ApprovalFeed};
use engine::ApprovalFault;
use store::{Change, StoreFault, Subscription};

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::inbox::prefix;
use crate::state::AppState;
use crate::stream::sse;

/// Follows the inbox of an owner: open questions and notices.
pub(crate) struct OpenQuestions {
    owner: String,
    feed: ApprovalFeed,
    notices: Subscription<Change>,
    app: AppState,
}

impl OpenQuestions {
    pub(crate) async fn follow(app: &AppState, owner: &str) -> Result<Self, ApprovalFault> {
        Ok(Self {
            owner: owner.to_owned(),
            feed: ApprovalFeed::follow(&app.engine).await?,
            notices: notices(app, owner).await?,
            app: app.clone(),
        })
    }

    /// Waits until something of the owner begins or ceases to wait, or may have.
    pub(crate) async fn changed(&mut self) -> Result<(), ApprovalFault> {
        loop {
            tokio::select! {
                change = self.feed.next() => match change? {
                    ApprovalChange::Set(asked) if asked.origin.client != self.owner => {}
                    // The owner of a deleted question is unknown.
                    ApprovalChange::Set(_) | ApprovalChange::Gone | ApprovalChange::Missed => {
                        return Ok(());
                    }
                },
                change = self.notices.next() => match change {
                    Ok(_) => return Ok(()),
                    Err(StoreFault::Busy { .. }) => {}
                    Err(StoreFault::Forgotten { .. }) => {
                        self.notices = notices(&self.app, &self.owner).await?;
                        return Ok(());
                    }
                    Err(fault) => return Err(fault.into()),
                },
            }
        }
    }
}

/// The owner's notices from now on.
async fn notices(app: &AppState, owner: &str) -> Result<Subscription<Change>, StoreFault> {
    let kv = app.engine.store().kv();
    kv.watch(&prefix(owner)?, kv.revision().await?).await
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
