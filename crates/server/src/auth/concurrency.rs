//! How many of a kind each owner has at once: open streams, questions beside conversations.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::fault::{HandlerResult, Fault};

type Taken = Arc<Mutex<BTreeMap<String, usize>>>;

/// The seats of all owners.
pub(crate) struct ConcurrencyLimit {
    each_max: usize,
    /// Said to whoever wants one more.
    full: &'static str,
    /// Held for one look.
    taken: Taken,
}

/// One of them. Dropped, its seat is free.
pub(crate) struct Permit {
    owner: String,
    taken: Taken,
}

impl ConcurrencyLimit {
    pub(crate) fn new(each_max: usize, full: &'static str) -> Self {
        Self { each_max, full, taken: Taken::default() }
    }

    pub(crate) fn acquire(&self, owner: &str) -> HandlerResult<Permit> {
        let mut taken = lock(&self.taken);
        let count = taken.entry(owner.to_owned()).or_default();
        if *count >= self.each_max {
            return Err(Fault::too_many(self.full));
        }
        *count += 1;
        Ok(Permit { owner: owner.to_owned(), taken: Arc::clone(&self.taken) })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(count) = lock(&self.taken).get_mut(&self.owner) {
            *count = count.saturating_sub(1);
        }
    }
}

fn lock(taken: &Taken) -> MutexGuard<'_, BTreeMap<String, usize>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}
