//! One async lock per key.
//!
//! For callers of one process that read, decide and then write under a name. The calls of a
//! conversation, for example, are judged one at a time and then run concurrently: without the
//! lock, concurrent calls would all see the same remaining budget.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// A set of locks, each made when its key is first used.
#[derive(Debug, Default)]
pub struct KeyedLock(Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>);

/// Holds the lock of one key until it is dropped.
pub type KeyedLockGuard = OwnedMutexGuard<()>;

/// Unused locks are removed when the map reaches this size.
const KEYS_MAX: usize = 1_024;

impl KeyedLock {
    pub async fn lock(&self, key: &str) -> KeyedLockGuard {
        self.get(key).lock_owned().await
    }

    fn get(&self, key: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(key).and_then(Weak::upgrade) {
            return lock;
        }
        if locks.len() >= KEYS_MAX {
            locks.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::default();
        locks.insert(key.to_owned(), Arc::downgrade(&lock));
        lock
    }
}
