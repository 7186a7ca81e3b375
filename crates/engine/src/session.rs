//! What the engine keeps for one conversation between its calls.
//!
//! [`state::SessionState`] is read from the store when a conversation is first used, held in
//! memory, and written in the background.

pub(crate) mod state;
mod states;

use std::ops::RangeInclusive;
use std::sync::Arc;

use policy::{ConversationId, GuardFault};
use store::{Expected, StoreFault};

use crate::background_writer::Task;
use crate::call::origin::CallOrigin;
use crate::engine::Engine;
use crate::store_keys;
use state::SessionState;
pub(crate) use states::SessionStates;

impl Engine {
    /// The session state of a conversation, from memory or from the store.
    pub(crate) async fn session(
        &self,
        conversation: &ConversationId,
        turn: u64,
    ) -> Result<SessionState, GuardFault> {
        if let Some(state) = self.inner.sessions.get(conversation) {
            return Ok(state);
        }
        let fault = |why: String| GuardFault(format!("the session state: {why}"));
        let key = store_keys::session_state(conversation).map_err(|bad| fault(bad.to_string()))?;
        let found = self.store().kv().get(&key).await.map_err(|why| fault(why.to_string()))?;
        let state = match found {
            Some(entry) => entry.value.to().map_err(|bad| fault(bad.to_string()))?,
            None => SessionState::new(conversation, turn),
        };
        Ok(self.inner.sessions.put_first(conversation, state))
    }

    /// Updates the session state of a conversation, which the caller has loaded before.
    pub(crate) fn update_session(
        &self,
        conversation: &ConversationId,
        turn: u64,
        update: impl FnOnce(&mut SessionState),
    ) {
        self.inner.sessions.update(conversation, turn, update);
    }

    /// Queues the session state for writing, so that other processes find it.
    pub(crate) async fn save_session(&self, conversation: &ConversationId) {
        self.inner.writer.put(Task::SessionState(conversation.clone())).await;
    }

    /// Deletes the session state of a conversation from memory and from the store.
    pub(crate) async fn delete_session(
        &self,
        conversation: &ConversationId,
    ) -> Result<(), StoreFault> {
        self.inner.sessions.remove(conversation);
        // A state that is queued must not be written after the deletion.
        self.inner.writer.flush().await;
        let key = store_keys::session_state(conversation)?;
        self.store().kv().delete(&key, Expected::Any).await.map(|_| ())
    }

    /// Forgets what tools answered in these turns, so that no later call reuses it.
    pub async fn forget_turns(&self, conversation: &ConversationId, turns: RangeInclusive<u64>) {
        // A state that cannot be read has nothing to forget; the fault is reported elsewhere.
        if self.session(conversation, *turns.end()).await.is_ok() {
            self.update_session(conversation, *turns.end(), |session| {
                session.memory.forget(&turns);
            });
            self.save_session(conversation).await;
        }
    }

    /// Records ids as if results of `tool` had contained them in this conversation.
    pub async fn set_seen_ids(
        &self,
        origin: &CallOrigin,
        tool: &str,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<(), GuardFault> {
        self.session(&origin.conversation, origin.turn).await?;
        self.update_session(&origin.conversation, origin.turn, |session| {
            Arc::make_mut(&mut session.seen).entry(tool.to_owned()).or_default().extend(ids);
        });
        Ok(())
    }

    /// Deletes what the engine keeps for a conversation: questions, approvals and session state.
    /// The ledger keeps the fact of each write, without its outcome.
    pub async fn delete_conversation(
        &self,
        conversation: &ConversationId,
    ) -> Result<(), StoreFault> {
        let unusable = |because: String| StoreFault::Unusable { because };
        self.delete_questions(conversation).await?;
        self.delete_approvals(conversation).await.map_err(|fault| unusable(fault.to_string()))?;
        self.delete_outcomes(conversation).await.map_err(|fault| unusable(fault.to_string()))?;
        self.delete_session(conversation).await
    }
}
