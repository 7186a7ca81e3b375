//! Notifies clients when the inbox of an owner changes.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use conversation::{ApprovalChange, ApprovalFeed};
use engine::{ApprovalFault, Engine};
use store::{Change, StoreFault, Subscription};

use crate::auth::middleware::Owner;
use crate::fault::HandlerResult;
use crate::inbox::prefix;
use crate::state::AppState;
use crate::stream::sse;

/// Follows the inbox of an owner: approvals, questions of handlers, and notices.
pub(crate) struct OpenQuestions {
    owner: String,
    feed: ApprovalFeed,
    notices: Subscription<Change>,
    questions: Subscription<Change>,
    app: AppState,
}

impl OpenQuestions {
    pub(crate) async fn follow(app: &AppState, owner: &str) -> Result<Self, ApprovalFault> {
        Ok(Self {
            owner: owner.to_owned(),
            feed: ApprovalFeed::follow(&app.engine).await?,
            notices: notices(app, owner).await?,
            questions: app.engine.watch_questions().await?,
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
                change = self.questions.next() => match change {
                    Ok(change) => {
                        let client = Engine::asking_client(&change);
                        if client.is_none_or(|client| client == self.owner) {
                            return Ok(());
                        }
                    }
                    Err(StoreFault::Busy { .. }) => {}
                    Err(StoreFault::Forgotten { .. }) => {
                        self.questions = self.app.engine.watch_questions().await?;
                        return Ok(());
                    }
                    Err(fault) => return Err(fault.into()),
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
