//! The lease to answer in a conversation: one process of a store has it at a time.
//!
//! A lease is a key that its holder renews every second. The lease of a dead process ends at once
//! if its death can be detected ([`Holder`]), otherwise when it was not renewed for [`LEASE_TIME`],
//! measured by this process and not by the wall clock. A holder that could not renew it stops
//! earlier, by its own clock ([`held_key`]). Each lease has a fencing number, which the records
//! that are written under it carry ([`fence`]): what a process writes after another one has begun
//! to write does not count. Must hold: a lease that was lost is never released on behalf of
//! another process.

pub(crate) mod fence;
pub(crate) mod held_key;
pub(crate) mod holder;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use policy::ConversationId;
use store::{KvEntry, Pages, Revision};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::conversations::Conversations;
use crate::conversations::lease::held_key::{Hold, Lease, LeaseValue};
use crate::fault::{ConversationFault, bad_name};
use crate::store_keys;

/// How long a lease lasts without renewal.
pub(crate) const LEASE_TIME: Duration = Duration::from_secs(4);
/// How long a process keeps an unused lease.
const IDLE_TIME: Duration = Duration::from_secs(1);
/// How often a process tries again that waits for another one to release its unused lease.
const IDLE_PAUSE: Duration = Duration::from_millis(50);

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
    pub(crate) fn is_over(&self, id: &ConversationId, other: &KvEntry) -> bool {
        if other.value.to::<LeaseValue>().is_ok_and(|value| value.is_left()) {
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

    /// Whether this process has the lease, used or not.
    fn has(&self, id: &ConversationId) -> bool {
        self.lock().states.contains_key(id)
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

/// A lease that its holder does not renew any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedLease {
    pub conversation: ConversationId,
}

impl Conversations {
    /// Takes the lease to answer in a conversation; others get [`ConversationFault::Held`].
    /// A process that has just finished a turn keeps its lease for a moment, which is waited for.
    pub(crate) async fn lease(&self, id: &ConversationId) -> Result<LeaseGuard, ConversationFault> {
        let patience = Instant::now() + IDLE_TIME * 2;
        loop {
            match self.try_lease(id).await {
                Err(ConversationFault::Held) if !self.leases.is_used(id) => {
                    let is_busy = Instant::now() >= patience
                        || match self.get(id).await {
                            Ok(conversation) => conversation.open_turn().is_some(),
                            Err(ConversationFault::NotFound(_)) => true,
                            Err(fault) => return Err(fault),
                        };
                    if is_busy {
                        return Err(ConversationFault::Held);
                    }
                    tokio::time::sleep(IDLE_PAUSE).await;
                }
                taken => return taken,
            }
        }
    }

    async fn try_lease(&self, id: &ConversationId) -> Result<LeaseGuard, ConversationFault> {
        let leases = self.leases.clone();
        let resting = leases.claim(id)?.filter(Lease::is_good);
        // Dropping this without a lease removes the mark.
        let mut lease = LeaseGuard { leases, id: id.clone(), lease: resting };
        if lease.lease.is_none() {
            let store = self.engine.shared_store();
            let node = self.node.as_deref();
            lease.lease = Some(Lease::take(store, &lease.leases, id, node).await?);
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

    /// The server that answers in this conversation, if another one does.
    pub async fn held_by_node(
        &self,
        id: &ConversationId,
    ) -> Result<Option<String>, ConversationFault> {
        let name = store_keys::lease(id).map_err(|bad| bad_name(&bad))?;
        let held = self.engine.store().kv().get(&name).await?;
        let other = held.filter(|entry| !self.leases.is_over(id, entry));
        let value = other.and_then(|entry| entry.value.to::<LeaseValue>().ok());
        Ok(value.and_then(|value| value.node).filter(|node| Some(node) != self.node.as_ref()))
    }

    /// The leases that other processes do not renew any more. They must be looked at often, so that
    /// the time without renewal is measured.
    pub async fn abandoned_leases(&self) -> Result<Vec<AbandonedLease>, ConversationFault> {
        let prefix = store_keys::leases().map_err(|bad| bad_name(&bad))?;
        let mut abandoned = Vec::new();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            for entry in pages.items(self.engine.store().kv().list(&prefix, request).await?) {
                let Ok(value) = entry.value.to::<LeaseValue>() else { continue };
                let Some(conversation) = value.conversation else { continue };
                let is_ours = self.leases.has(&conversation);
                if !is_ours && self.leases.is_over(&conversation, &entry) {
                    abandoned.push(AbandonedLease { conversation });
                }
            }
        }
        Ok(abandoned)
    }
}

/// The lease to answer in one conversation, while it is used.
pub(crate) struct LeaseGuard {
    leases: Leases,
    id: ConversationId,
    lease: Option<Lease>,
}

impl LeaseGuard {
    /// What the records that are written under the lease need.
    pub(crate) fn hold(&self) -> Option<Hold> {
        self.lease.as_ref().map(Lease::hold)
    }

    /// Leaves the lease to any process that goes on with the turn.
    pub(crate) async fn leave(mut self) {
        if let Some(lease) = self.lease.take() {
            lease.leave().await;
        }
    }

    /// Releases the lease at once, because the turn is over.
    pub(crate) async fn release(mut self) {
        if let Some(lease) = self.lease.take() {
            lease.release().await;
        }
    }
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
