//! Which profiles a conversation has read, kept in the store.

use std::sync::Arc;
use std::time::Duration;

use pen::tools::{ProfileReads, ReadVersions};
use policy::BoxFuture;
use services::key_segment;
use store::{BadName, Expected, Expiry, Json, Key, Store, StoreFault};

/// How long a record lives after the last read.
const KEPT: Duration = Duration::from_secs(180 * 24 * 3_600);
/// How often a concurrent write is retried.
const TRIES: usize = 20;

/// The record in one store.
pub(crate) struct StoredReads(Arc<dyn Store>);

impl StoredReads {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    async fn add(&self, key: &Key, profile: &str, version: u64) -> Result<(), StoreFault> {
        for _ in 0..TRIES {
            let found = self.0.kv().get(key).await?;
            let expected =
                found.as_ref().map_or(Expected::Absent, |entry| Expected::Revision(entry.revision));
            let mut read: ReadVersions =
                found.and_then(|entry| entry.value.to().ok()).unwrap_or_default();
            read.insert(profile.to_owned(), version);
            let json = Json::of(&read).map_err(|bad| unusable(bad.to_string()))?;
            match self.0.kv().set(key, json, expected, Expiry::After(KEPT)).await {
                Ok(_) => return Ok(()),
                Err(StoreFault::Conflict { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(unusable("other programs write it all the time".to_owned()))
    }
}

impl ProfileReads for StoredReads {
    fn read_in<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<ReadVersions, String>> {
        Box::pin(async move {
            let key = key(conversation).map_err(|bad| bad.to_string())?;
            let found = self.0.kv().get(&key).await.map_err(|fault| fault.to_string())?;
            Ok(found.and_then(|entry| entry.value.to().ok()).unwrap_or_default())
        })
    }

    fn record<'a>(
        &'a self,
        conversation: &'a str,
        profile: &'a str,
        version: u64,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let key = key(conversation).map_err(|bad| bad.to_string())?;
            self.add(&key, profile, version).await.map_err(|fault| fault.to_string())
        })
    }
}

fn key(conversation: &str) -> Result<Key, BadName> {
    format!("pen-read/{}", key_segment(&[conversation])).parse()
}

fn unusable(because: String) -> StoreFault {
    StoreFault::Unusable { because }
}
