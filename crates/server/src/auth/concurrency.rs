//! Limits how many of something each owner has at the same time: streams, edits by the model.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::fault::{Fault, HandlerResult};

type Counts = Arc<Mutex<BTreeMap<String, usize>>>;

/// A limit for each owner.
pub struct ConcurrencyLimit {
    per_owner_max: usize,
    /// The message of the refusal.
    refusal: &'static str,
    /// Never held across an await.
    counts: Counts,
}

/// The right to one of them, until it is dropped.
pub struct Permit {
    owner: String,
    counts: Counts,
}

impl ConcurrencyLimit {
    pub fn new(per_owner_max: usize, refusal: &'static str) -> Self {
        Self { per_owner_max, refusal, counts: Counts::default() }
    }

    pub fn acquire(&self, owner: &str) -> HandlerResult<Permit> {
        let mut counts = lock(&self.counts);
        let count = counts.entry(owner.to_owned()).or_default();
        if *count >= self.per_owner_max {
            return Err(Fault::too_many(self.refusal));
        }
        *count += 1;
        Ok(Permit { owner: owner.to_owned(), counts: Arc::clone(&self.counts) })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(count) = lock(&self.counts).get_mut(&self.owner) {
            *count = count.saturating_sub(1);
        }
    }
}

fn lock(counts: &Counts) -> MutexGuard<'_, BTreeMap<String, usize>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}
