//! Which profiles a conversation has read: the ground of every post that it saves.
//!
//! The program keeps the record in its store, so that a call that was approved in another process
//! is judged by what its conversation did, not by what a process remembers.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use contract::BoxFuture;

/// Profile names with the version that was read.
pub type ReadVersions = BTreeMap<String, u64>;

/// The record, by conversation.
pub trait ProfileReads: Send + Sync {
    /// What a conversation has read; a fault in words.
    fn read_in<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<ReadVersions, String>>;

    fn record<'a>(
        &'a self,
        conversation: &'a str,
        profile: &'a str,
        version: u64,
    ) -> BoxFuture<'a, Result<(), String>>;
}

/// A record in memory, for one process.
#[derive(Debug, Default)]
pub struct ReadsInMemory(Mutex<BTreeMap<String, ReadVersions>>);

impl ProfileReads for ReadsInMemory {
    fn read_in<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<ReadVersions, String>> {
        let reads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = reads.get(conversation).cloned().unwrap_or_default();
        Box::pin(async move { Ok(found) })
    }

    fn record<'a>(
        &'a self,
        conversation: &'a str,
        profile: &'a str,
        version: u64,
    ) -> BoxFuture<'a, Result<(), String>> {
        let mut reads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reads.entry(conversation.to_owned()).or_default().insert(profile.to_owned(), version);
        Box::pin(async { Ok(()) })
    }
}
