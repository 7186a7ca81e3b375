//! The effect ledger in the store: what each writing call is known to have done.
//!
//! The states and the steps between them are `policy`'s; here they are kept. Every step is
//! a compare-and-set on the entry's own key, so of several processes one takes it.

use std::time::Duration;

use contract::Contract;
use policy::{
    ConversationId, GuardFault, InvalidTransition, LedgerEntry, LedgerEvent, LedgerState,
    Resolution, Timestamp,
};
use serde::Serialize;
use store::{Expected, Expiry, Json, PageRequest, Revision, StoreFault};

use crate::engine::Engine;
use crate::store_keys;

/// An entry with the place it is kept at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LedgerLine {
    /// What a person types to name it.
    pub id: String,
    #[serde(flatten)]
    pub entry: LedgerEntry,
    #[serde(skip)]
    pub(crate) revision: Revision,
}

/// Why a step was not written.
#[derive(Debug, thiserror::Error)]
pub enum LedgerFault {
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error(transparent)]
    Wrong(#[from] InvalidTransition),
    #[error("there is no entry `{0}`, or more than one begins so")]
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

    /// The newest entries of which nobody knows how they ended, of those that are wanted;
    /// newest change last. However long the ledger is, no more is kept of it than is told.
    pub async fn doubts(
        &self,
        most: usize,
        is_wanted: impl Fn(&LedgerEntry) -> bool,
    ) -> Result<Vec<LedgerLine>, LedgerFault> {
        let mut doubts = Vec::new();
        let mut page = PageRequest::first(500);
        let prefix = store_keys::ledger().map_err(unreadable)?;
        loop {
            let found = self.store().kv().list(&prefix, page).await?;
            for stored in &found.items {
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
            match found.next {
                Some(next) => page = PageRequest::after(next, 500),
                None => return Ok(doubts),
            }
        }
    }

    /// The entry whose id begins like this.
    pub async fn ledger_entry(&self, start: &str) -> Result<LedgerLine, LedgerFault> {
        let mut found = self.ledger().await?.into_iter().filter(|line| line.id.starts_with(start));
        match (found.next(), found.next()) {
            (Some(line), None) => Ok(line),
            _ => Err(LedgerFault::NoEntry(start.to_owned())),
        }
    }

    /// A person found out what became of a call in doubt.
    pub async fn resolve(&self, start: &str, what: Resolution) -> Result<LedgerLine, LedgerFault> {
        let mut line = self.ledger_entry(start).await?;
        if self.is_overdue(&line.entry) {
            let because = "the process that ran it ended without a word".to_owned();
            line = self.step(line, LedgerEvent::Lose { because }).await?;
        }
        self.step(line, LedgerEvent::Resolve(what)).await
    }

    /// Did the call start so long ago that whoever ran it must be gone?
    pub fn is_overdue(&self, entry: &LedgerEntry) -> bool {
        let lease = self.registry().lease();
        let limit = match self.tool(&lease, entry.tool.as_str()) {
            Some(tool) => tool.contract.timeout(),
            None => Duration::from_millis(Contract::TIMEOUT_MS_MAX.into()),
        };
        entry.is_overdue(limit, self.now())
    }

    /// The entries of a conversation, for the judge.
    pub(crate) async fn ledger_of(
        &self,
        conversation: &ConversationId,
    ) -> Result<Vec<LedgerLine>, GuardFault> {
        let fault = |why: String| GuardFault(format!("the ledger: {why}"));
        let prefix = store_keys::ledger_of(conversation).map_err(|bad| fault(bad.to_string()))?;
        let most = self.wiring().limits.ledger_entries_max;
        self.ledger_under(&prefix, most).await.map_err(|why| fault(why.to_string()))
    }

    /// Writes a new entry, or fails if one is there.
    pub(crate) async fn intend(&self, entry: LedgerEntry) -> Result<LedgerLine, LedgerFault> {
        self.write(entry, Expected::Absent).await
    }

    /// Takes the next step of an entry; of all who try the same step, one succeeds.
    pub(crate) async fn step(
        &self,
        line: LedgerLine,
        event: LedgerEvent,
    ) -> Result<LedgerLine, LedgerFault> {
        let now = Timestamp(self.wiring().clock.now().as_millis());
        let entry = line.entry.advance(event, now)?;
        self.write(entry, Expected::Revision(line.revision)).await
    }

    /// A conversation is removed: of each effect the fact stays, and what came back goes.
    /// What is in doubt stays whole, because a person has yet to find out.
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
        let mut page = PageRequest::first(500);
        loop {
            let found = self.store().kv().list(prefix, page).await?;
            for stored in &found.items {
                let entry = stored.value.to().map_err(unreadable)?;
                let id = id_of(stored.key.as_str());
                lines.push(LedgerLine { id, entry, revision: stored.revision });
            }
            match found.next {
                Some(next) if lines.len() < most => page = PageRequest::after(next, 500),
                Some(_) => return Err(unreadable("a conversation has too many entries")),
                None => return Ok(lines),
            }
        }
    }
}

/// The last part of the key: enough for a person to name the entry.
fn id_of(key: &str) -> String {
    key.rsplit('/').next().unwrap_or(key).to_owned()
}
