//! A conversation on its shelf: followed while others write to it, and taken away.

use policy::ConversationId;
use services::{conversation_keys, tool_kv_prefix};
use store::{Expected, Key, PageRequest, Sequence, StoreFault, Subscription};

use super::opening::{Stamped, TalkFault, named};
use super::record::Record;
use crate::engine::Engine;
use crate::keys;

/// The events of a conversation, first those that are there, then each new one.
#[derive(Debug)]
pub struct TalkFeed(Subscription<store::Record>);

impl TalkFeed {
    /// The next event, as soon as there is one. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<Record, TalkFault> {
        let record = self.0.next().await?;
        let sequence = record.sequence.0;
        let Stamped { at, event } = record
            .body
            .to()
            .map_err(|bad| TalkFault::Unreadable { sequence, because: bad.to_string() })?;
        Ok(Record { sequence, at, event })
    }
}

impl Engine {
    /// Every event after the one of this number, as it is written, by whatever process.
    pub async fn follow_talk(
        &self,
        id: &ConversationId,
        after: u64,
    ) -> Result<TalkFeed, TalkFault> {
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        Ok(TalkFeed(self.store().log().follow(&log, Sequence(after).next()).await?))
    }

    /// Takes a conversation away: its questions, its notes, its events, and the keys that tools
    /// keep for it. That its writes happened stays in the ledger,
    /// without what came back. Nobody may be answering in it.
    pub async fn forget_talk(&self, id: &ConversationId) -> Result<(), TalkFault> {
        let hold = self.hold(id).await?;
        let forgotten = self.forget_held(id).await;
        drop(hold);
        forgotten
    }

    async fn forget_held(&self, id: &ConversationId) -> Result<(), TalkFault> {
        let talk = self.talk(id).await?;
        let origin = self.origin_of(id, &talk, 0);
        let unusable = |because: String| StoreFault::Unusable { because };
        self.forget_input(id).await?;
        self.forget_approvals(id).await.map_err(|fault| unusable(fault.to_string()))?;
        self.forget_outcomes(id).await.map_err(|fault| unusable(fault.to_string()))?;
        self.delete_session(id).await?;
        self.forget_keys(&origin.client, id).await?;
        let chosen = services::store_keys::conversation_personas(id).map_err(|bad| named(&bad))?;
        self.store().kv().delete(&chosen, Expected::Any).await?;
        let log = keys::talk(id).map_err(|bad| named(&bad))?;
        self.store().log().erase(&log).await?;
        Ok(())
    }

    /// What tools kept for the conversation: what was noted when it was written, and of older
    /// keys those that have its id in their name.
    async fn forget_keys(&self, owner: &str, id: &ConversationId) -> Result<(), TalkFault> {
        conversation_keys::delete_noted(self.store(), id).await?;
        let home = tool_kv_prefix(owner);
        let prefix = home.parse().map_err(|bad| named(&bad))?;
        // Only these could have the same key in their names.
        let others = self.talks().await?;
        let mut page = PageRequest::first(500);
        loop {
            let found = self.store().kv().keys(&prefix, page).await?;
            for key in &found.items {
                let name = key.as_str().strip_prefix(&home).unwrap_or_default();
                if conversation_keys::names(name, &id.0)
                    && !self.is_others(key, name, id, &others).await?
                {
                    self.store().kv().delete(key, Expected::Any).await?;
                }
            }
            match found.next {
                Some(next) => page = PageRequest::after(next, 500),
                None => break,
            }
        }
        self.freed_space(owner);
        Ok(())
    }

    /// Does a key belong to another conversation whose id is in its name too? To the one that
    /// wrote it, or else to the longer id, which has the shorter one in it.
    async fn is_others(
        &self,
        key: &Key,
        name: &str,
        id: &ConversationId,
        others: &[ConversationId],
    ) -> Result<bool, TalkFault> {
        for other in others.iter().filter(|other| *other != id) {
            if conversation_keys::names(name, &other.0)
                && (conversation_keys::names(&other.0, &id.0)
                    || conversation_keys::is_noted(self.store(), other, key).await?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
