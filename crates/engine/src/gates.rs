//! One gate per name: who has passed works alone, and those behind wait.
//!
//! The calls of a conversation pass to be judged one after the other, and then run side by
//! side: without it, calls made at once would all see the same budget left.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// The gates of the names that somebody works on.
#[derive(Debug, Default)]
pub struct Gates(Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>);

/// The right to work on a name, until it is dropped.
pub type Turnstile = OwnedMutexGuard<()>;

/// Gates that nobody uses are cleared away when there are this many.
const GATES_MAX: usize = 1_024;

impl Gates {
    pub async fn pass(&self, name: &str) -> Turnstile {
        self.gate(name).lock_owned().await
    }

    fn gate(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(name).and_then(Weak::upgrade) {
            return gate;
        }
        if gates.len() >= GATES_MAX {
            gates.retain(|_, gate| gate.strong_count() > 0);
        }
        let gate = Arc::default();
        gates.insert(name.to_owned(), Arc::downgrade(&gate));
        gate
    }
}
