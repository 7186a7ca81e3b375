//! One gate per conversation: calls are judged one after the other, and run side by side.
//!
//! Without it, calls made at once would all see the same budget left.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use policy::ConversationId;
use tokio::sync::OwnedMutexGuard;

/// The gates of the conversations in which calls are being judged.
#[derive(Debug, Default)]
pub(crate) struct Gates(Mutex<HashMap<ConversationId, Weak<tokio::sync::Mutex<()>>>>);

/// The right to be judged; dropped before the handler runs.
pub(crate) type Turnstile = OwnedMutexGuard<()>;

/// Gates that nobody uses are cleared away when there are this many.
const GATES_MAX: usize = 1_024;

impl Gates {
    pub(crate) async fn pass(&self, conversation: &ConversationId) -> Turnstile {
        self.gate(conversation).lock_owned().await
    }

    fn gate(&self, conversation: &ConversationId) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(conversation).and_then(Weak::upgrade) {
            return gate;
        }
        if gates.len() >= GATES_MAX {
            gates.retain(|_, gate| gate.strong_count() > 0);
        }
        let gate = Arc::default();
        gates.insert(conversation.clone(), Arc::downgrade(&gate));
        gate
    }
}
