//! The storage quota of an owner's keys.
//!
//! Counting reads every key, so a count is cached for a while, and every write is added to it.
//! Writes of this process are therefore always counted; before a write is refused, the keys are
//! counted again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use store::{Key, Pages, Prefix, Store, StoreFault};

use crate::handler_services::limits::ServiceLimits;

/// The cached usage of every owner.
#[derive(Debug, Default)]
pub struct KeyQuota(Mutex<BTreeMap<String, Usage>>);

#[derive(Debug, Clone, Copy)]
struct Usage {
    keys: usize,
    bytes: usize,
    at_ms: u64,
}

/// Why a write is refused.
#[derive(Debug, thiserror::Error)]
pub enum QuotaFault {
    #[error("there are {keys} keys; {max} are allowed; delete some first")]
    Keys { keys: usize, max: usize },
    #[error("the keys have {bytes} bytes; {max} are allowed; delete some first")]
    Bytes { bytes: usize, max: usize },
    #[error(transparent)]
    Store(#[from] StoreFault),
}

/// How long a cached count is used to allow a write, and to refuse one.
const ALLOW_AGE_MAX_MS: u64 = 60_000;
const REFUSE_AGE_MAX_MS: u64 = 1_000;

/// Owners whose count is cached.
const OWNERS_MAX: usize = 1_000;

const PAGE: usize = 1_000;

impl KeyQuota {
    /// Checks that this many more bytes fit under a key with this prefix.
    pub async fn check(
        &self,
        store: &dyn Store,
        limits: &ServiceLimits,
        owner_prefix: &str,
        (key, bytes): (&Key, usize),
        now_ms: u64,
    ) -> Result<(), QuotaFault> {
        let bytes = bytes + key.as_str().len();
        let known = self
            .known(owner_prefix)
            .filter(|known| now_ms.saturating_sub(known.at_ms) < ALLOW_AGE_MAX_MS);
        let mut counted = match known {
            Some(known) => known,
            None => count(store, owner_prefix, now_ms).await?,
        };
        if limits.check_keys(counted.keys + 1, counted.bytes + bytes).is_err() {
            if now_ms.saturating_sub(counted.at_ms) >= REFUSE_AGE_MAX_MS {
                counted = count(store, owner_prefix, now_ms).await?;
            }
            let is_new = store.kv().get(key).await?.is_none();
            let keys = counted.keys + usize::from(is_new);
            let checked = limits.check_keys(keys, counted.bytes + bytes);
            if checked.is_err() {
                self.keep(owner_prefix, counted);
                return checked;
            }
        }
        counted.keys += 1;
        counted.bytes += bytes;
        self.keep(owner_prefix, counted);
        Ok(())
    }

    /// Discards the cached count after a deletion.
    pub fn forget(&self, owner_prefix: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(owner_prefix);
    }

    fn known(&self, owner_prefix: &str) -> Option<Usage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(owner_prefix).copied()
    }

    fn keep(&self, owner_prefix: &str, counted: Usage) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= OWNERS_MAX {
            all.clear();
        }
        all.insert(owner_prefix.to_owned(), counted);
    }
}

impl ServiceLimits {
    fn check_keys(&self, keys: usize, bytes: usize) -> Result<(), QuotaFault> {
        let Self { kv_keys_max, kv_bytes_max, .. } = *self;
        if keys > kv_keys_max {
            return Err(QuotaFault::Keys { keys: keys - 1, max: kv_keys_max });
        }
        if bytes > kv_bytes_max {
            return Err(QuotaFault::Bytes { bytes, max: kv_bytes_max });
        }
        Ok(())
    }
}

async fn count(store: &dyn Store, owner_prefix: &str, now_ms: u64) -> Result<Usage, StoreFault> {
    let mut counted = Usage { keys: 0, bytes: 0, at_ms: now_ms };
    // An invalid prefix has no keys, because none can be written.
    let Ok(prefix) = owner_prefix.parse::<Prefix>() else { return Ok(counted) };
    let mut pages = Pages::of(PAGE);
    while let Some(request) = pages.request() {
        let entries = pages.items(store.kv().list(&prefix, request).await?);
        counted.keys += entries.len();
        let sizes =
            entries.iter().map(|entry| entry.key.as_str().len() + entry.value.as_str().len());
        counted.bytes += sizes.sum::<usize>();
    }
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use store::{Expected, Expiry, Json, Key, SqliteOptions, SqliteStore, Store};

    use super::{KeyQuota, QuotaFault};
    use crate::ServiceLimits;

    const PREFIX: &str = "tool-kv/ana/";

    struct World {
        store: SqliteStore,
        space: KeyQuota,
        limits: ServiceLimits,
        now: u64,
    }

    impl World {
        fn new(kv_keys_max: usize, kv_bytes_max: usize) -> Self {
            let store = SqliteStore::temporary(SqliteOptions::machine()).unwrap();
            let limits = ServiceLimits { kv_keys_max, kv_bytes_max, ..ServiceLimits::ORDINARY };
            Self { store, space: KeyQuota::default(), limits, now: 0 }
        }

        async fn put(&mut self, name: &str, text: &str) -> Result<(), QuotaFault> {
            self.now += 1_000;
            let key: Key = format!("{PREFIX}{name}").parse().unwrap();
            let json = Json::of(&text).unwrap();
            let weight = (&key, json.as_str().len());
            self.space.check(&self.store, &self.limits, PREFIX, weight, self.now).await?;
            let kv = self.store.kv();
            kv.set(&key, json, Expected::Any, Expiry::Never).await.unwrap();
            Ok(())
        }
    }

    #[tokio::test]
    async fn the_number_of_keys_is_limited_and_existing_keys_can_be_written() {
        let mut world = World::new(2, 10_000);
        world.put("a", "1").await.unwrap();
        world.put("b", "2").await.unwrap();
        for text in ["3", "4", "5"] {
            world.put("b", text).await.unwrap();
        }
        let checked = world.put("c", "6").await.unwrap_err();
        assert_eq!(checked.to_string(), "there are 2 keys; 2 are allowed; delete some first");
        let gone: Key = format!("{PREFIX}a").parse().unwrap();
        world.store.kv().delete(&gone, Expected::Any).await.unwrap();
        world.space.forget(PREFIX);
        world.put("c", "6").await.unwrap();
    }

    #[tokio::test]
    async fn the_size_of_all_keys_is_limited() {
        let mut world = World::new(100, 1_000);
        let long = "x".repeat(300);
        world.put("a", &long).await.unwrap();
        world.put("b", &long).await.unwrap();
        world.put("c", &long).await.unwrap();
        assert!(matches!(world.put("d", &long).await, Err(QuotaFault::Bytes { .. })));
        // Other owners have their own quota.
        let key: Key = "tool-kv/ben/a".parse().unwrap();
        let weight = (&key, 300);
        let owner_prefix = "tool-kv/ben/";
        world
            .space
            .check(&world.store, &world.limits, owner_prefix, weight, world.now)
            .await
            .unwrap();
    }
}
