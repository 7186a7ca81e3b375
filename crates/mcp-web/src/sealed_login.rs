//! A login in the store, sealed for its owner, its server and that server's address.
//!
//! Servers that share the store share the login. Must hold: one of them renews it at a time.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use contract::Secret;
use mcp::client::{KeeperLock, KeepsLogin};
use policy::BoxFuture;
use providers::Sealer;
use serde::{Deserialize, Serialize};
use store::{BadName, Expected, Expiry, Json, Key, Revision, Store, StoreFault};
use tokio::runtime::Handle;
use tokio::time::Instant;

/// Below it are the locks.
const LOCKS: &str = "mcp-login-lock/";
/// How long a lock lasts whose process died; longer than a renewal takes.
const LOCK_TIME: Duration = Duration::from_secs(40);
/// How long a process waits for another one's renewal.
const WAIT_MAX: Duration = Duration::from_secs(45);
const WAIT_PAUSE: Duration = Duration::from_millis(100);

pub(crate) struct SealedLogin {
    pub store: Arc<dyn Store>,
    pub sealer: Sealer,
    pub key: Key,
    /// What it is sealed for.
    pub place: String,
}

/// A key that is there while a process changes the login.
struct StoreLock {
    store: Arc<dyn Store>,
    key: Key,
    revision: Revision,
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        let (store, key, revision) = (Arc::clone(&self.store), self.key.clone(), self.revision);
        // Without a runtime the program is about to end, and the lock expires.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if let Err(fault) = store.kv().delete(&key, Expected::Revision(revision)).await {
                    tracing::debug!(%fault, "the lock of a login is left to expire");
                }
            });
        }
    }
}

#[derive(Serialize, Deserialize)]
struct StoredText {
    sealed: String,
}

/// What a login is sealed for.
pub(crate) fn place(name: &str, url: &str, who: &str) -> String {
    format!("mcp-login {name} {url} {who}")
}

impl KeepsLogin for SealedLogin {
    fn read(&self) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        Box::pin(async move {
            let found = self.store.kv().get(&self.key).await.map_err(|fault| fault.to_string())?;
            let Some(entry) = found else { return Ok(None) };
            let stored: StoredText = entry.value.to().map_err(|_| "it is damaged".to_owned())?;
            self.sealer
                .open(&stored.sealed, &self.place)
                .map(Some)
                .map_err(|fault| fault.to_string())
        })
    }

    fn write(&self, login: Option<Secret>) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async move {
            let Some(login) = login else {
                let deleted = self.store.kv().delete(&self.key, Expected::Any).await;
                return deleted.map(|one| one.is_some()).map_err(|fault| fault.to_string());
            };
            let sealed =
                self.sealer.seal(&login, &self.place).map_err(|fault| fault.to_string())?;
            let json = Json::of(&StoredText { sealed }).map_err(|fault| fault.to_string())?;
            let set = self.store.kv().set(&self.key, json, Expected::Any, Expiry::Never).await;
            set.map(|_| true).map_err(|fault| fault.to_string())
        })
    }

    fn lock(&self) -> BoxFuture<'_, Result<KeeperLock, String>> {
        Box::pin(async move {
            let told = |fault: &dyn std::fmt::Display| fault.to_string();
            let key: Key =
                format!("{LOCKS}{}", self.key).parse().map_err(|bad: BadName| told(&bad))?;
            let token = getrandom::u64().map_err(|fault| told(&fault))?;
            let value = Json::of(&token).map_err(|bad| told(&bad))?;
            let until = Instant::now() + WAIT_MAX;
            loop {
                let (kv, expiry) = (self.store.kv(), Expiry::After(LOCK_TIME));
                let revision = match kv.set(&key, value.clone(), Expected::Absent, expiry).await {
                    Ok(revision) => Some(revision),
                    // It may be ours, if the answer to an earlier try was lost.
                    Err(StoreFault::Conflict { .. }) => {
                        let found = kv.get(&key).await.map_err(|fault| told(&fault))?;
                        found.filter(|entry| entry.value == value).map(|entry| entry.revision)
                    }
                    Err(StoreFault::Unsure { .. }) => None,
                    Err(fault) => return Err(told(&fault)),
                };
                if let Some(revision) = revision {
                    let store = Arc::clone(&self.store);
                    return Ok(Box::new(StoreLock { store, key, revision }) as KeeperLock);
                }
                if Instant::now() >= until {
                    return Err("another server is renewing the login".to_owned());
                }
                tokio::time::sleep(WAIT_PAUSE).await;
            }
        })
    }
}
