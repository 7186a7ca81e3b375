//! Deletes a conversation with everything kept for it.

use policy::ConversationId;
use services::{conversation_keys, tool_kv_prefix};
use store::{Expected, Key, PageRequest};

use super::Conversations;
use crate::fault::{ConversationFault, bad_name};
use crate::store_keys;

impl Conversations {
    /// Takes a conversation away: its questions, its notes, its events, and the keys that tools
    /// keep for it. That its writes happened stays in the ledger,
    /// without what came back. Nobody may be answering in it.
    pub async fn delete(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let lease = self.lease(id).await?;
        let forgotten = self.forget_held(id).await;
        drop(lease);
        forgotten
    }

    async fn forget_held(&self, id: &ConversationId) -> Result<(), ConversationFault> {
        let conversation = self.get(id).await?;
        let origin = self.origin_of(id, &conversation, 0);
        self.engine.delete_conversation(id).await?;
        self.forget_keys(&origin.client, id).await?;
        let chosen =
            services::store_keys::conversation_personas(id).map_err(|bad| bad_name(&bad))?;
        self.engine.store().kv().delete(&chosen, Expected::Any).await?;
        let log = store_keys::log(id).map_err(|bad| bad_name(&bad))?;
        self.engine.store().log().erase(&log).await?;
        Ok(())
    }

    /// What tools kept for the conversation: what was noted when it was written, and of older
    /// keys those that have its id in their name.
    async fn forget_keys(&self, owner: &str, id: &ConversationId) -> Result<(), ConversationFault> {
        conversation_keys::delete_noted(self.engine.store(), id).await?;
        let home = tool_kv_prefix(owner);
        let prefix = home.parse().map_err(|bad| bad_name(&bad))?;
        // Only these could have the same key in their names.
        let others = self.ids().await?;
        let mut page = PageRequest::first(500);
        loop {
            let found = self.engine.store().kv().keys(&prefix, page).await?;
            for key in &found.items {
                let name = key.as_str().strip_prefix(&home).unwrap_or_default();
                if conversation_keys::names(name, &id.0)
                    && !self.is_others(key, name, id, &others).await?
                {
                    self.engine.store().kv().delete(key, Expected::Any).await?;
                }
            }
            match found.next {
                Some(next) => page = PageRequest::after(next, 500),
                None => break,
            }
        }
        self.engine.freed_space(owner);
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
