//! The lease to answer in a conversation: one process of a store has it at a time.
//!
//! A lease is a key that expires unless it is renewed. The lease of a dead process ends at once
//! if its death can be detected ([`Holder`]), otherwise when it was not renewed for its duration,
//! measured by this process and not by the wall clock. After use a process keeps it for a moment,
//! because it often continues, and then releases it. Must hold: a lease that was lost is never
//! released on behalf of another process.

pub(crate) mod holder;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use policy::ConversationId;
use store::{Expected, Expiry, Json, Key, KvEntry, Revision, Store, StoreFault};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::conversations::Conversations;
use crate::conversations::lease::holder::Holder;
use crate::fault::{ConversationFault, bad_name};
use crate::store_keys;

/// How long a lease lasts without renewal.
pub(crate) const LEASE_TIME: Duration = Duration::from_secs(15);
/// How long a process keeps an unused lease.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// The leases of this process. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Leases(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    states: HashMap<ConversationId, LeaseState>,
    /// Numbers the idle periods.
    idles: u64,
    /// Leases of other processes that were in the way, and since when they were not renewed.
    others: HashMap<ConversationId, (Revision, Instant)>,
}

/// How many leases of other processes are remembered.
const OTHERS_MAX: usize = 10_000;

enum LeaseState {
    InUse,
    Idle { lease: Lease, number: u64 },
}

impl Leases {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle lease, if there is one; an error if it is in use. Marks it as in use.
    fn claim(&self, id: &ConversationId) -> Result<Option<Lease>, ConversationFault> {
        match self.lock().states.insert(id.clone(), LeaseState::InUse) {
            Some(LeaseState::InUse) => Err(ConversationFault::Held),
            Some(LeaseState::Idle { lease, .. }) => Ok(Some(lease)),
            None => Ok(None),
        }
    }

    /// Whether the lease of another process is over: the process is dead, or the lease was not
    /// renewed for its whole duration.
    fn is_over(&self, id: &ConversationId, other: &KvEntry) -> bool {
        if other.value.to::<Holder>().is_ok_and(|holder| holder.is_gone()) {
            return true;
        }
        let now = Instant::now();
        let mut inner = self.lock();
        inner.others.retain(|_, (_, since)| now.duration_since(*since) < LEASE_TIME * 10);
        match inner.others.get(id) {
            Some((revision, since)) if *revision == other.revision => {
                now.duration_since(*since) >= LEASE_TIME
            }
            Some(_) | None => {
                if inner.others.len() < OTHERS_MAX {
                    inner.others.insert(id.clone(), (other.revision, now));
                }
                false
            }
        }
    }

    fn is_idle(&self, id: &ConversationId, newest: Revision) -> bool {
        match self.lock().states.get(id) {
            Some(LeaseState::Idle { lease, .. }) => lease.revision() == newest,
            Some(LeaseState::InUse) | None => false,
        }
    }

    fn is_used(&self, id: &ConversationId) -> bool {
        matches!(self.lock().states.get(id), Some(LeaseState::InUse))
    }

    fn set_idle(&self, id: &ConversationId, lease: Lease) -> u64 {
        let mut inner = self.lock();
        inner.idles += 1;
        let number = inner.idles;
        inner.states.insert(id.clone(), LeaseState::Idle { lease, number });
        number
    }

    /// Removes a lease that has been idle for long enough; none if it is in use again.
    fn take_idle(&self, id: &ConversationId, ended: Option<u64>) -> Option<Lease> {
        let mut inner = self.lock();
        match inner.states.get(id) {
            Some(LeaseState::Idle { number, .. }) if ended.is_none_or(|ended| ended == *number) => {
            }
            Some(LeaseState::Idle { .. } | LeaseState::InUse) | None => return None,
        }
        match inner.states.remove(id) {
            Some(LeaseState::Idle { lease, .. }) => Some(lease),
            Some(LeaseState::InUse) | None => None,
        }
    }

    /// Releases every idle lease, because the program ends.
    pub(crate) async fn release_all(&self) {
        let ids: Vec<_> = self.lock().states.keys().cloned().collect();
        for id in ids {
            if let Some(lease) = self.take_idle(&id, None) {
                lease.release().await;
            }
        }
    }
}

impl Conversations {
    /// Takes the lease to answer in a conversation; others get [`ConversationFault::Held`].
    pub(crate) async fn lease(&self, id: &ConversationId) -> Result<LeaseGuard, ConversationFault> {
        let leases = self.leases.clone();
        let resting = leases.claim(id)?.filter(Lease::is_good);
        // Dropping this without a lease removes the mark.
        let mut lease = LeaseGuard { leases, id: id.clone(), lease: resting };
        if lease.lease.is_none() {
            let store = self.engine.shared_store();
            lease.lease = Some(Lease::take(store, &lease.leases, id).await?);
        }
        Ok(lease)
    }

    /// Whether a live process answers in this conversation.
    pub async fn is_held(&self, id: &ConversationId) -> Result<bool, ConversationFault> {
        let leases = &self.leases;
        if leases.is_used(id) {
            return Ok(true);
        }
        let name = store_keys::lease(id).map_err(|bad| bad_name(&bad))?;
        let held = self.engine.store().kv().get(&name).await?;
        let is_ours = held.as_ref().is_some_and(|entry| leases.is_idle(id, entry.revision));
        Ok(held.is_some_and(|entry| !is_ours && !leases.is_over(id, &entry)))
    }
}

/// The lease to answer in one conversation, while it is used.
pub(crate) struct LeaseGuard {
    leases: Leases,
    id: ConversationId,
    lease: Option<Lease>,
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        let Some(lease) = self.lease.take() else {
            self.leases.lock().states.remove(&self.id);
            return;
        };
        let number = self.leases.set_idle(&self.id, lease);
        let (leases, id) = (self.leases.clone(), self.id.clone());
        // Without a runtime the program is about to end, and the lease expires.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                tokio::time::sleep(IDLE_TIME).await;
                if let Some(lease) = leases.take_idle(&id, Some(number)) {
                    lease.release().await;
                }
            });
        }
    }
}

/// The key in the store, and the task that renews it.
struct Lease {
    store: Arc<dyn Store>,
    name: Key,
    /// The revision of the newest renewal; 0 if the lease was lost.
    revision: Arc<AtomicU64>,
    renewal: JoinHandle<()>,
}

impl Lease {
    async fn take(
        store: Arc<dyn Store>,
        leases: &Leases,
        id: &ConversationId,
    ) -> Result<Self, ConversationFault> {
        let name = store_keys::lease(id).map_err(|bad| bad_name(&bad))?;
        let holder = Json::of(&Holder::own()).map_err(StoreFault::from)?;
        let Revision(first) = Self::written(&store, leases, id, &name, &holder).await?;
        let revision = Arc::new(AtomicU64::new(first));
        let (renewing, renewed, newest) = (Arc::clone(&store), name.clone(), Arc::clone(&revision));
        let renewal = tokio::spawn(async move {
            loop {
                tokio::time::sleep(LEASE_TIME / 3).await;
                let last = Expected::Revision(Revision(newest.load(Ordering::Acquire)));
                let expiry = Expiry::After(LEASE_TIME);
                match renewing.kv().set(&renewed, holder.clone(), last, expiry).await {
                    Ok(Revision(newer)) => newest.store(newer, Ordering::Release),
                    Err(fault) => {
                        newest.store(0, Ordering::Release);
                        return tracing::warn!(%fault, "the lease of a conversation was lost");
                    }
                }
            }
        });
        Ok(Self { store, name, revision, renewal })
    }

    async fn written(
        store: &Arc<dyn Store>,
        leases: &Leases,
        id: &ConversationId,
        name: &Key,
        holder: &Json,
    ) -> Result<Revision, ConversationFault> {
        let expiry = Expiry::After(LEASE_TIME);
        let taken = store.kv().set(name, holder.clone(), Expected::Absent, expiry).await;
        let Err(StoreFault::Conflict { .. }) = taken else { return Ok(taken?) };
        let expected = match store.kv().get(name).await? {
            Some(other) if leases.is_over(id, &other) => Expected::Revision(other.revision),
            Some(_) => return Err(ConversationFault::Held),
            // It has just been released.
            None => Expected::Absent,
        };
        match store.kv().set(name, holder.clone(), expected, expiry).await {
            Err(StoreFault::Conflict { .. }) => Err(ConversationFault::Held),
            taken => Ok(taken?),
        }
    }

    fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Acquire))
    }

    fn is_good(&self) -> bool {
        self.revision.load(Ordering::Acquire) != 0
    }

    async fn release(self) {
        self.renewal.abort();
        let own = Expected::Revision(Revision(self.revision.load(Ordering::Acquire)));
        if let Err(fault) = self.store.kv().delete(&self.name, own).await {
            tracing::debug!(%fault, "failed to release the lease of a conversation; it expires");
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}
