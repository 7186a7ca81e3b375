//! The lease on a run: one process works on it at a time.
//!
//! A key in the store that expires unless it is renewed. A killed process leaves it behind; on
//! the same machine that is detected at once, elsewhere it expires. Must hold: a lost lease is
//! never released or renewed in another's name.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, Revision, Store, StoreFault};
use tokio::task::JoinHandle;

use super::journal::{json, lease_key};
use super::run_info::RunId;
use crate::fault::CardsFault;

/// How long a run stays locked after its process died undetected.
const HELD: Duration = Duration::from_secs(15);

/// Who holds a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    /// The boot id of the machine, and its PID namespace.
    place: Option<String>,
    process: u32,
    /// When the process started, in clock ticks since boot.
    began: Option<u64>,
}

impl Holder {
    fn here() -> Self {
        let process = std::process::id();
        Self { place: place(), process, began: began(process) }
    }

    /// Is this process known to be gone?
    fn is_dead(&self) -> bool {
        let here = self.place.is_some() && self.place == place() && self.began.is_some();
        here && began(self.process) != self.began
    }
}

/// Known on Linux only.
fn place() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), space.display()))
}

fn began(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in brackets may contain anything; the fields after it are numbers.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(19)?.parse().ok()
}

/// A held run; it is renewed until this is dropped.
pub(crate) struct Lease {
    store: Arc<dyn Store>,
    key: Key,
    /// The revision of the newest renewal; 0 when the lease was lost.
    revision: Arc<AtomicU64>,
    renewal: JoinHandle<()>,
}

impl Lease {
    pub(crate) async fn take(store: &Arc<dyn Store>, run: &RunId) -> Result<Self, CardsFault> {
        let key = lease_key(run)?;
        let holder = json(&Holder::here())?;
        let first = match set(&**store, &key, holder.clone(), Expected::Absent).await {
            Ok(revision) => revision,
            Err(StoreFault::Conflict { .. }) => take_over(&**store, &key, holder.clone()).await?,
            Err(fault) => return Err(fault.into()),
        };
        let revision = Arc::new(AtomicU64::new(first.0));
        let renewal =
            tokio::spawn(renew(Arc::clone(store), key.clone(), holder, Arc::clone(&revision)));
        Ok(Self { store: Arc::clone(store), key, revision, renewal })
    }

    /// Is the lease still ours?
    pub(crate) fn check(&self) -> Result<(), CardsFault> {
        match self.revision.load(Ordering::Acquire) {
            0 => Err(CardsFault::LeaseLost),
            _ => Ok(()),
        }
    }

    pub(crate) async fn give_back(self) {
        self.renewal.abort();
        let own = Expected::Revision(Revision(self.revision.load(Ordering::Acquire)));
        if let Err(fault) = self.store.kv().delete(&self.key, own).await {
            tracing::debug!(%fault, "cannot release a run; its lease will expire");
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}

/// Takes over from a process that is known to be dead.
async fn take_over(store: &dyn Store, key: &Key, holder: Json) -> Result<Revision, CardsFault> {
    let Some(entry) = store.kv().get(key).await? else {
        // It has just expired.
        return Ok(set(store, key, holder, Expected::Absent).await?);
    };
    let held: Holder = entry.value.to().map_err(|bad| CardsFault::Damaged(bad.to_string()))?;
    if !held.is_dead() {
        return Err(CardsFault::Held { process: held.process });
    }
    match set(store, key, holder, Expected::Revision(entry.revision)).await {
        Ok(revision) => Ok(revision),
        Err(StoreFault::Conflict { .. }) => Err(CardsFault::Held { process: held.process }),
        Err(fault) => Err(fault.into()),
    }
}

async fn renew(store: Arc<dyn Store>, key: Key, holder: Json, newest: Arc<AtomicU64>) {
    loop {
        tokio::time::sleep(HELD / 3).await;
        let last = Expected::Revision(Revision(newest.load(Ordering::Acquire)));
        match set(&*store, &key, holder.clone(), last).await {
            Ok(Revision(newer)) => newest.store(newer, Ordering::Release),
            Err(fault) => {
                newest.store(0, Ordering::Release);
                return tracing::warn!(%fault, "the lease on a run was lost");
            }
        }
    }
}

async fn set(
    store: &dyn Store,
    key: &Key,
    holder: Json,
    expected: Expected,
) -> Result<Revision, StoreFault> {
    store.kv().set(key, holder, expected, Expiry::After(HELD)).await
}

#[cfg(test)]
mod tests;
