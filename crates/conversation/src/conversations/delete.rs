//! Deletes a conversation with everything that is stored for it.

use policy::{ConversationId, LedgerEntry, LedgerState};
use services::{conversation_keys, tool_kv_prefix};
use store::{Expected, Key, Pages, StoreFault};

use super::Conversations;
use crate::fault::{ConversationFault, bad_name};
use crate::store_keys;

impl Conversations {
    /// Deletes a conversation: its questions, its session state, its events, its files that no
    /// other conversation has, and the keys that tools stored for it. The ledger keeps the fact
    /// of each write, without its result. No process may be answering in it.
    pub async fn delete(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let lease = self.lease(id).await?;
        let forgotten = self.forget_with_lease(id).await;
        lease.release().await;
        forgotten
    }

    /// Deletes a conversation without a trace: the ledger keeps nothing but calls whose outcome is
    /// unknown. That is safe, because no call of a deleted conversation is ever tried again.
    pub async fn erase(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let lease = self.lease(id).await?;
        let erased = async {
            self.get(id).await?;
            self.forget_effects(id).await?;
            self.forget_with_lease(id).await
        };
        let erased = erased.await;
        lease.release().await;
        erased
    }

    /// Removes the ledger's entries, but those whose outcome a person has yet to find out.
    async fn forget_effects(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let prefix = engine::ledger_of(id).map_err(|bad| bad_name(&bad))?;
        let kv = self.engine.store().kv();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            for stored in pages.items(kv.list(&prefix, request).await?) {
                let entry: LedgerEntry = stored.value.to().map_err(StoreFault::from)?;
                if !is_unknown(&entry.state) {
                    kv.delete(&stored.key, Expected::Revision(stored.revision)).await?;
                }
            }
        }
        Ok(())
    }

    async fn forget_with_lease(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let conversation = self.get(id).await?;
        let origin = self.origin_of(id, &conversation, 0);
        self.engine.delete_conversation(id).await?;
        self.forget_keys(&origin.client, id).await?;
        self.release_files(id).await?;
        self.delete_folders(&origin.client, id).await?;
        let chosen =
            services::store_keys::conversation_personas(id).map_err(|bad| bad_name(&bad))?;
        self.engine.store().kv().delete(&chosen, Expected::Any).await?;
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        self.engine.store().log().erase(&log).await?;
        self.logs.forget(&log);
        Ok(())
    }

    /// The keys that tools stored for the conversation: those that were recorded when they were
    /// written and, of older keys, those with its id in their name.
    async fn forget_keys(&self, owner: &str, id: &ConversationId) -> Result<(), ConversationFault> {
        conversation_keys::delete_noted(self.engine.store(), id).await?;
        let home = tool_kv_prefix(owner);
        let prefix = home.parse().map_err(|bad| bad_name(&bad))?;
        // Only ids that contain this one can be in the same keys.
        let others = self.ids().await?;
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            for key in &pages.items(self.engine.store().kv().keys(&prefix, request).await?) {
                let name = key.as_str().strip_prefix(&home).unwrap_or_default();
                if conversation_keys::names(name, &id.0)
                    && !self.is_of_another(key, name, id, &others).await?
                {
                    self.engine.store().kv().delete(key, Expected::Any).await?;
                }
            }
        }
        self.engine.freed_space(owner);
        Ok(())
    }

    /// Whether a key belongs to another conversation whose id is in its name too: the one that
    /// wrote it, otherwise the one with the longer id, which contains the shorter one.
    async fn is_of_another(
        &self,
        key: &Key,
        name: &str,
        id: &ConversationId,
        others: &[ConversationId],
    ) -> Result<bool, ConversationFault> {
        for other in others.iter().filter(|other| *other != id) {
            if conversation_keys::names(name, &other.0)
                && (conversation_keys::names(&other.0, &id.0)
                    || conversation_keys::is_noted(self.engine.store(), other, key).await?)
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the call may have taken effect, and nobody knows how it ended.
fn is_unknown(state: &LedgerState) -> bool {
    match state {
        LedgerState::Started { .. } | LedgerState::InDoubt { .. } => true,
        LedgerState::Intended | LedgerState::Done { .. } | LedgerState::Failed { .. } => false,
    }
}
