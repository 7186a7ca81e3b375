//! Which tools are switched off, and why: stored in the store, read from memory.
//!
//! The store is read once and then watched, so that switches of other processes apply here too.
//! Must hold: while the switches cannot be read, nothing runs.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use policy::GuardFault;
use serde::{Deserialize, Serialize};
use store::{Change, Expected, Expiry, Json, Key, Pages, Store, StoreFault, Subscription};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::engine::Engine;
use crate::store_keys;

/// A tool that is switched off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchedOff {
    pub tool: String,
    pub because: String,
}

type Off = BTreeMap<Key, SwitchedOff>;

/// The switches of one engine: read at the first call, and again when watching them failed.
#[derive(Debug, Default)]
pub(crate) struct Switches(Mutex<Option<Followed>>);

#[derive(Debug)]
struct Followed {
    off: Arc<RwLock<Off>>,
    follower: JoinHandle<()>,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl Switches {
    async fn off(&self, store: &Arc<dyn Store>) -> Result<Arc<RwLock<Off>>, StoreFault> {
        let mut followed = self.0.lock().await;
        if let Some(followed) = &*followed
            && !followed.follower.is_finished()
        {
            return Ok(Arc::clone(&followed.off));
        }
        Ok(Arc::clone(&followed.insert(follow(store).await?).off))
    }
}

/// Reads the switches and watches them.
async fn follow(store: &Arc<dyn Store>) -> Result<Followed, StoreFault> {
    let (off, mut feed) = read_and_watch(store.as_ref()).await?;
    let off = Arc::new(RwLock::new(off));
    let (followed, store) = (Arc::clone(&off), Arc::clone(store));
    let follower = tokio::spawn(async move {
        loop {
            let ended = match feed.next().await {
                Ok(change) => {
                    apply(&mut followed.write().unwrap_or_else(PoisonError::into_inner), change);
                    continue;
                }
                Err(StoreFault::Busy { .. }) => continue,
                // Too far behind: everything is read again.
                Err(StoreFault::Forgotten { .. }) => match read_and_watch(store.as_ref()).await {
                    Ok((off, newer)) => {
                        *followed.write().unwrap_or_else(PoisonError::into_inner) = off;
                        feed = newer;
                        continue;
                    }
                    Err(fault) => fault,
                },
                Err(fault) => fault,
            };
            // The program ends, or the next call reads the switches again.
            if ended != StoreFault::Closed {
                tracing::warn!(fault = %ended, "watching the switches failed");
            }
            return;
        }
    });
    Ok(Followed { off, follower })
}

/// The switches now, and every change after that.
async fn read_and_watch(store: &dyn Store) -> Result<(Off, Subscription<Change>), StoreFault> {
    let prefix = store_keys::switches()?;
    let revision = store.kv().revision().await?;
    let mut off = Off::new();
    let mut pages = Pages::of(500);
    while let Some(request) = pages.request() {
        for entry in pages.items(store.kv().list(&prefix, request).await?) {
            put(&mut off, entry.key, &entry.value);
        }
    }
    Ok((off, store.kv().watch(&prefix, revision).await?))
}

fn apply(off: &mut Off, change: Change) {
    match change {
        Change::Set(entry) => put(off, entry.key, &entry.value),
        Change::Deleted { key, .. } => drop(off.remove(&key)),
    }
}

/// A switch that cannot be read counts as off.
fn put(off: &mut Off, key: Key, value: &Json) {
    let because = "its switch cannot be read".to_owned();
    let unreadable = || SwitchedOff { tool: String::new(), because };
    let switched = value.to().unwrap_or_else(|_| unreadable());
    off.insert(key, switched);
}

impl Engine {
    /// Switches a tool on, or off for a reason that people read. Applies to every process on
    /// this store, from the next call on.
    pub async fn switch(&self, tool: &str, off: Option<&str>) -> Result<(), StoreFault> {
        let key = store_keys::switch(tool)?;
        let known = self.inner.switches.off(&self.inner.wiring.store).await?;
        match off {
            Some(because) => {
                let switched = SwitchedOff { tool: tool.to_owned(), because: because.to_owned() };
                let json = Json::of(&switched)?;
                self.store().kv().set(&key, json, Expected::Any, Expiry::Never).await?;
                known.write().unwrap_or_else(PoisonError::into_inner).insert(key, switched);
            }
            None => {
                self.store().kv().delete(&key, Expected::Any).await?;
                known.write().unwrap_or_else(PoisonError::into_inner).remove(&key);
            }
        }
        Ok(())
    }

    /// Every tool that is not offered: switched off by hand, or not set up.
    pub async fn switched_off(&self) -> Result<Vec<SwitchedOff>, StoreFault> {
        let known = self.inner.switches.off(&self.inner.wiring.store).await?;
        let known = known.read().unwrap_or_else(PoisonError::into_inner);
        let by_config = self.wiring().not_set_up.iter();
        let by_config = by_config
            .map(|(tool, because)| SwitchedOff { tool: tool.clone(), because: because.clone() });
        let mut all: Vec<_> = known.values().cloned().chain(by_config).collect();
        all.sort_by(|a, b| a.tool.cmp(&b.tool));
        Ok(all)
    }

    /// Why a tool is not offered; none if it is.
    pub async fn why_not_offered(&self, tool: &str) -> Result<Option<String>, GuardFault> {
        match self.wiring().not_set_up.get(tool) {
            Some(because) => Ok(Some(because.clone())),
            None => self.why_off(tool).await,
        }
    }

    /// Why a tool is switched off; none if it is on.
    pub async fn why_off(&self, tool: &str) -> Result<Option<String>, GuardFault> {
        let fault = |why: String| GuardFault(format!("the switches: {why}"));
        let known = self.inner.switches.off(&self.inner.wiring.store).await;
        let known = known.map_err(|why| fault(why.to_string()))?;
        let known = known.read().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            return Ok(None);
        }
        let key = store_keys::switch(tool).map_err(|bad| fault(bad.to_string()))?;
        Ok(known.get(&key).map(|switched| switched.because.clone()))
    }
}
