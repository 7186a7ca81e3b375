//! The audit log: its newest lines, and figures about them.

use policy::{AuditLine, Metrics};
use store::{Record, Sequence, StoreFault};

use crate::engine::Engine;
use crate::store_keys;

impl Engine {
    /// Figures about the latest calls, per tool.
    pub async fn metrics(&self, calls_max: usize) -> Result<Metrics, StoreFault> {
        let lines = self.audit(calls_max).await?;
        let lease = self.registry().lease();
        Ok(Metrics::of(&lines, |name| self.tool(&lease, name).is_some()))
    }

    /// The newest lines of the audit, oldest first.
    pub async fn audit(&self, most: usize) -> Result<Vec<AuditLine>, StoreFault> {
        let log = store_keys::audit()?;
        let Some(last) = self.store().log().last(&log).await? else { return Ok(Vec::new()) };
        let first = last.0.saturating_sub(most as u64 - 1).max(1);
        let mut lines = Vec::new();
        let mut next = Sequence(first);
        while next <= last {
            let records = self.store().log().read(&log, next, most).await?;
            let Some(newest) = records.last().map(|record| record.sequence) else { break };
            lines.extend(records.iter().filter_map(|Record { body, .. }| body.to().ok()));
            next = newest.next();
        }
        Ok(lines)
    }
}
