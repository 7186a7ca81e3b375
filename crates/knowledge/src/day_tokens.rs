//! How many tokens were sent to the embedding model today, by every process on the store.

use store::{Expected, Expiry, Json, Key, Store, StoreFault};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;
/// A count is of no use after its day.
const KEPT: std::time::Duration = std::time::Duration::from_secs(2 * 24 * 60 * 60);
const TRIES_MAX: usize = 20;

/// When the day of `now` ends, in UTC.
pub(crate) fn day_end(now: u64) -> u64 {
    (now / DAY_MS + 1).saturating_mul(DAY_MS)
}

/// For the person.
pub(crate) fn used_up(max: u64) -> String {
    format!(
        "the {max} tokens a day for embeddings are used up, so new passages are found by words \
         until tomorrow; `kb.embedding_tokens_per_day` sets the limit"
    )
}

pub(crate) async fn spent(store: &dyn Store, now: u64) -> Result<u64, StoreFault> {
    let entry = store.kv().get(&key(now)?).await?;
    Ok(entry.and_then(|entry| entry.value.to().ok()).unwrap_or(0))
}

pub(crate) async fn add(store: &dyn Store, now: u64, tokens: u64) -> Result<(), StoreFault> {
    let key = key(now)?;
    for _ in 0..TRIES_MAX {
        let entry = store.kv().get(&key).await?;
        let before: u64 = entry.as_ref().and_then(|entry| entry.value.to().ok()).unwrap_or(0);
        let expected = entry.map_or(Expected::Absent, |entry| Expected::Revision(entry.revision));
        let value = Json::of(&before.saturating_add(tokens))?;
        match store.kv().set(&key, value, expected, Expiry::After(KEPT)).await {
            Ok(_) => return Ok(()),
            Err(StoreFault::Conflict { .. }) => {}
            Err(fault) => return Err(fault),
        }
    }
    Err(StoreFault::Busy { because: "embeddings are counted by many at once".to_owned() })
}

fn key(now: u64) -> Result<Key, StoreFault> {
    Ok(format!("embedding-tokens/{}", now / DAY_MS).parse()?)
}
