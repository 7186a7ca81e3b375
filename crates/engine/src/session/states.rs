//! The session states in memory, by conversation.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use policy::ConversationId;
use store::Json;

use super::state::SessionState;

/// The session state of every conversation used so far.
#[derive(Debug, Default)]
pub(crate) struct SessionStates {
    /// Never locked across an await.
    states: Mutex<HashMap<ConversationId, SessionState>>,
}

/// How many conversations are held in memory; the store has them all.
const CONVERSATIONS_MAX: usize = 10_000;

impl SessionStates {
    pub(crate) fn get(&self, conversation: &ConversationId) -> Option<SessionState> {
        self.lock().get(conversation).cloned()
    }

    /// Adds a state that was read from the store, unless there is one already.
    pub(crate) fn put_first(
        &self,
        conversation: &ConversationId,
        state: SessionState,
    ) -> SessionState {
        let mut states = self.lock();
        if states.len() >= CONVERSATIONS_MAX {
            states.clear();
        }
        states.entry(conversation.clone()).or_insert(state).clone()
    }

    pub(crate) fn update(
        &self,
        conversation: &ConversationId,
        turn: u64,
        update: impl FnOnce(&mut SessionState),
    ) {
        let mut states = self.lock();
        let state = states
            .entry(conversation.clone())
            .or_insert_with(|| SessionState::new(conversation, turn));
        update(state);
    }

    pub(crate) fn remove(&self, conversation: &ConversationId) {
        self.lock().remove(conversation);
    }

    pub(crate) fn json(&self, conversation: &ConversationId) -> Option<Json> {
        self.lock().get(conversation).and_then(|state| Json::of(state).ok())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, SessionState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
