//! The effect ledger in the store: what is known about each call that writes.
//!
//! `policy` defines the states and their transitions; this module stores them. Each transition
//! is a compare-and-set on the entry's key, so only one of several processes makes it.

use std::time::Duration;

use contract::Contract;
use policy::{
    ConversationId, GuardFault, InvalidTransition, LedgerEntry, LedgerEvent, LedgerState,
    Resolution, Timestamp,
};
use serde::Serialize;
use store::{Expected, Expiry, Json, Pages, Revision, StoreFault};

use crate::engine::Engine;
use crate::store_keys;

/// An entry as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerLine {
    /// What a person types to name it.
    pub id: String,
    #[serde(flatten)]
    pub entry: LedgerEntry,
    #[serde(skip)]
    pub(crate) revision: Revision,
}

/// Why a transition was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum LedgerFault {
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error(transparent)]
    Wrong(#[from] InvalidTransition),
    #[error("there is no entry `{0}`, or the prefix is ambiguous")]
    NoEntry(String),
    #[error("the ledger cannot be read: {0}")]
    Unreadable(String),
}

fn unreadable(why: impl std::fmt::Display) -> LedgerFault {
    LedgerFault::Unreadable(why.to_string())
}

impl Engine {
    /// Every entry, newest change last.
    pub async fn ledger(&self) -> Result<Vec<LedgerLine>, LedgerFault> {
        let mut lines =
            self.ledger_under(&store_keys::ledger().map_err(unreadable)?, usize::MAX).await?;
        lines.sort_by_key(|line| line.entry.changed_at());
        Ok(lines)
    }

    /// The newest entries with an unknown outcome that `is_wanted` accepts, newest change last.
    /// Holds at most a page more than `most` in memory, however long the ledger is.
    pub async fn doubts(
        &self,
        most: usize,
        is_wanted: impl Fn(&LedgerEntry) -> bool,
    ) -> Result<Vec<LedgerLine>, LedgerFault> {
        let mut doubts = Vec::new();
        let prefix = store_keys::ledger().map_err(unreadable)?;
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            for stored in pages.items(self.store().kv().list(&prefix, request).await?) {
                let entry: LedgerEntry = stored.value.to().map_err(unreadable)?;
                let is_open =
                    matches!(entry.state, LedgerState::InDoubt { .. }) || self.is_overdue(&entry);
                if is_open && is_wanted(&entry) {
                    let id = id_of(stored.key.as_str());
                    doubts.push(LedgerLine { id, entry, revision: stored.revision });
                }
            }
            doubts.sort_by_key(|line: &LedgerLine| line.entry.changed_at());
            doubts.drain(..doubts.len().saturating_sub(most));
        }
        Ok(doubts)
    }

    /// The entry whose id begins with `start`.
    pub async fn ledger_entry(&self, start: &str) -> Result<LedgerLine, LedgerFault> {
        let mut found = self.ledger().await?.into_iter().filter(|line| line.id.starts_with(start));
        match (found.next(), found.next()) {
            (Some(line), None) => Ok(line),
            _ => Err(LedgerFault::NoEntry(start.to_owned())),
        }
    }

    /// Records what a person found out about a call in doubt.
    pub async fn resolve(&self, start: &str, what: Resolution) -> Result<LedgerLine, LedgerFault> {
        let mut line = self.ledger_entry(start).await?;
        if self.is_overdue(&line.entry) {
            let because = "the process that ran it ended without a result".to_owned();
            line = self.step(line, LedgerEvent::Lose { because }).await?;
        }
        self.step(line, LedgerEvent::Resolve(what)).await
    }

    /// Whether the call started so long ago that its process must be gone.
    pub fn is_overdue(&self, entry: &LedgerEntry) -> bool {
        let lease = self.registry().lease();
        let limit = match self.tool(&lease, entry.tool.as_str()) {
            Some(tool) => tool.contract.timeout(),
            None => Duration::from_millis(Contract::TIMEOUT_MS_MAX.into()),
        };
        entry.is_overdue(limit, self.now())
    }

    /// The entries of a conversation, for the verdict.
    pub(crate) async fn ledger_of(
        &self,
        conversation: &ConversationId,
    ) -> Result<Vec<LedgerLine>, GuardFault> {
        let fault = |why: String| GuardFault(format!("the ledger: {why}"));
        let prefix = store_keys::ledger_of(conversation).map_err(|bad| fault(bad.to_string()))?;
        let most = self.wiring().limits.ledger_entries_max;
        self.ledger_under(&prefix, most).await.map_err(|why| fault(why.to_string()))
    }

    /// Writes a new entry; fails if there is one.
    pub(crate) async fn intend(&self, entry: LedgerEntry) -> Result<LedgerLine, LedgerFault> {
        self.write(entry, Expected::Absent).await
    }

    /// Makes a transition of an entry. Of several processes that try the same one, one succeeds.
    pub(crate) async fn step(
        &self,
        line: LedgerLine,
        event: LedgerEvent,
    ) -> Result<LedgerLine, LedgerFault> {
        let now = Timestamp(self.wiring().clock.now().as_millis());
        let entry = line.entry.advance(event, now)?;
        self.write(entry, Expected::Revision(line.revision)).await
    }

    /// Removes the outcomes of a deleted conversation. The ledger keeps the fact of each effect;
    /// entries in doubt stay complete, because a person has yet to resolve them.
    pub(crate) async fn delete_outcomes(&self, id: &ConversationId) -> Result<(), LedgerFault> {
        let prefix = store_keys::ledger_of(id).map_err(unreadable)?;
        for line in self.ledger_under(&prefix, usize::MAX).await? {
            let Some(state) = line.entry.state.without_content() else { continue };
            let entry = LedgerEntry { state, ..line.entry };
            self.write(entry, Expected::Revision(line.revision)).await?;
        }
        Ok(())
    }

    async fn write(
        &self,
        entry: LedgerEntry,
        expected: Expected,
    ) -> Result<LedgerLine, LedgerFault> {
        let key = store_keys::ledger_entry(&entry.conversation, &entry.idempotency_key)
            .map_err(unreadable)?;
        let json = Json::of(&entry).map_err(unreadable)?;
        let revision = self.store().kv().set(&key, json, expected, Expiry::Never).await?;
        Ok(LedgerLine { id: id_of(key.as_str()), entry, revision })
    }

    async fn ledger_under(
        &self,
        prefix: &store::Prefix,
        most: usize,
    ) -> Result<Vec<LedgerLine>, LedgerFault> {
        let mut lines = Vec::new();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            if lines.len() >= most {
                return Err(unreadable("a conversation has too many entries"));
            }
            for stored in pages.items(self.store().kv().list(prefix, request).await?) {
                let entry = stored.value.to().map_err(unreadable)?;
                let id = id_of(stored.key.as_str());
                lines.push(LedgerLine { id, entry, revision: stored.revision });
            }
        }
        Ok(lines)
    }
}

/// The last part of the key, by which a person names the entry.
fn id_of(key: &str) -> String {
    key.rsplit('/').next().unwrap_or(key).to_owned()
}
