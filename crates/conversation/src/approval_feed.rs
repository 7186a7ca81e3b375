//! Follows the approval requests of every conversation, whichever process changes them.

use engine::{ApprovalFault, ApprovalRecord, Engine};
use store::{Change, StoreFault, Subscription};

/// Every change of a request from now on.
pub struct ApprovalFeed {
    engine: Engine,
    changes: Subscription<Change>,
}

/// What happened to the requests.
#[derive(Debug, Clone, PartialEq)]
pub enum ApprovalChange {
    /// A request was asked, answered, used or withdrawn: this is its state now.
    Set(Box<ApprovalRecord>),
    /// A request was deleted, or cannot be read.
    Gone,
    /// Changes were missed: read the requests again.
    Missed,
}

impl ApprovalFeed {
    /// Follows the requests of every owner from now on.
    pub async fn follow(engine: &Engine) -> Result<Self, ApprovalFault> {
        Ok(Self { engine: engine.clone(), changes: engine.watch_approvals().await? })
    }

    /// The next change. Cancel-safe.
    pub async fn next(&mut self) -> Result<ApprovalChange, ApprovalFault> {
        loop {
            match self.changes.next().await {
                Ok(Change::Set(entry)) => {
                    let record = entry.value.to();
                    return Ok(record.map_or(ApprovalChange::Gone, ApprovalChange::Set));
                }
                Ok(Change::Deleted { .. }) => return Ok(ApprovalChange::Gone),
                Err(StoreFault::Busy { .. }) => {}
                Err(StoreFault::Forgotten { .. }) => {
                    self.changes = self.engine.watch_approvals().await?;
                    return Ok(ApprovalChange::Missed);
                }
                Err(fault) => return Err(fault.into()),
            }
        }
    }
}
