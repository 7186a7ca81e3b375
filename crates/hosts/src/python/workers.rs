//! The workers of a host: one for each file and owner, forked on first use.
//!
//! Their number is limited per owner and in total. At the limit, the worker that has been idle
//! longest is ended; if all are busy, the caller waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::child::Child;

use super::code_root::CodeRoot;
use super::monitor;
use super::worker_factory::WorkerFactory;
use super::{Isolation, PyHostConfig};

pub(crate) struct Workers {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    factory: WorkerFactory,
    slots: Mutex<HashMap<WorkerKey, Arc<Slot>>>,
    /// Notified when a worker becomes idle or ends.
    room: Notify,
    uses: AtomicU64,
}

/// What a worker serves.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct WorkerKey {
    pub root: CodeRoot,
    pub owner: String,
    pub part: WorkerScope,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WorkerScope {
    /// The calls of one file.
    File(String),
    /// A single call.
    Once(u64),
}

struct Slot {
    /// Held while a worker starts, so that all waiting calls share it.
    child: tokio::sync::Mutex<Option<Arc<Child>>>,
    /// How many calls use it or wait for it to start.
    users: AtomicUsize,
    last_use: Mutex<Instant>,
    order: AtomicU64,
}

/// A worker in use by a call.
pub(crate) struct Lease {
    child: Arc<Child>,
    reservation: Reservation,
}

/// A slot in use, with or without a worker yet.
struct Reservation {
    inner: Arc<Inner>,
    key: WorkerKey,
    slot: Arc<Slot>,
}

impl Workers {
    pub(crate) fn new(config: PyHostConfig) -> Self {
        let factory = WorkerFactory::new(config);
        let (slots, room, uses) = (Mutex::default(), Notify::new(), AtomicU64::new(0));
        Self { inner: Arc::new(Inner { factory, slots, room, uses }) }
    }

    pub(crate) fn config(&self) -> &PyHostConfig {
        self.inner.factory.config()
    }

    pub(crate) fn factory(&self) -> &WorkerFactory {
        &self.inner.factory
    }

    /// The key for a call of a file.
    pub(crate) fn key(&self, root: &CodeRoot, owner: &str, file: &str) -> WorkerKey {
        match self.config().isolation {
            Isolation::EveryOwner => {
                let part = WorkerScope::File(file.to_owned());
                WorkerKey { root: root.clone(), owner: owner.to_owned(), part }
            }
            Isolation::EveryCall => self.once(root, owner),
        }
    }

    /// A key for a worker that is used once.
    pub(crate) fn once(&self, root: &CodeRoot, owner: &str) -> WorkerKey {
        let part = WorkerScope::Once(self.inner.uses.fetch_add(1, Relaxed));
        WorkerKey { root: root.clone(), owner: owner.to_owned(), part }
    }

    /// The worker for a key, forked if there is none. Waits until there is room.
    pub(crate) async fn pick(&self, key: WorkerKey) -> Result<Lease, String> {
        let reservation = loop {
            let mut room = Box::pin(self.inner.room.notified());
            room.as_mut().enable();
            match Inner::slot(&self.inner, &key) {
                Some(reservation) => break reservation,
                None => room.await,
            }
        };
        let slot = Arc::clone(&reservation.slot);
        let mut held = slot.child.lock().await;
        if let Some(child) = held.as_ref().filter(|child| child.is_live()) {
            return Ok(Lease { child: Arc::clone(child), reservation });
        }
        // A fork always completes, even if its caller is gone.
        let (inner, root) = (Arc::clone(&self.inner), key.root.clone());
        let forked = tokio::spawn(async move { inner.factory.worker(&root).await });
        let broke = || "starting the worker failed".to_owned();
        let worker = forked.await.map_err(|_| broke())??;
        let (child, scratch) = worker.into_parts().ok_or_else(broke)?;
        *held = Some(Arc::clone(&child));
        let assignment = monitor::Assignment { inner: Arc::downgrade(&self.inner), key, scratch };
        tokio::spawn(monitor::monitor_worker(Arc::clone(&child), assignment));
        Ok(Lease { child, reservation })
    }

    /// Ends the idle workers of a folder.
    pub(crate) fn dismiss_idle(&self, root: &CodeRoot) {
        let mut slots = self.inner.lock();
        let idle = slots.extract_if(|key, slot| key.root == *root && slot.is_idle());
        for child in idle.filter_map(|(_, slot)| slot.child()) {
            child.kill();
        }
        drop(slots);
        self.inner.room.notify_waiters();
    }

    pub(crate) fn children(&self) -> Vec<Arc<Child>> {
        let live = |slot: &Arc<Slot>| slot.child().filter(|child| child.is_live());
        self.inner.lock().values().filter_map(live).collect()
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for child in self.children() {
            child.kill();
        }
        self.inner.factory.end();
    }
}

impl Inner {
    pub(super) fn config(&self) -> &PyHostConfig {
        self.factory.config()
    }

    /// Reserves a slot; `None` while there is no room.
    fn slot(inner: &Arc<Self>, key: &WorkerKey) -> Option<Reservation> {
        let mut slots = inner.lock();
        let order = inner.uses.fetch_add(1, Relaxed);
        let slot = match slots.get(key) {
            Some(slot) => Arc::clone(slot),
            None => {
                inner.make_room(&mut slots, key)?;
                let slot = Arc::new(Slot::new());
                slots.insert(key.clone(), Arc::clone(&slot));
                slot
            }
        };
        slot.users.fetch_add(1, Relaxed);
        slot.order.store(order, Relaxed);
        Some(Reservation { inner: Arc::clone(inner), key: key.clone(), slot })
    }

    /// Ends an idle worker if there is no room; `None` if all are busy.
    fn make_room(
        &self,
        slots: &mut HashMap<WorkerKey, Arc<Slot>>,
        wanted: &WorkerKey,
    ) -> Option<()> {
        let config = self.config();
        let own = slots.keys().filter(|key| key.owner == wanted.owner).count();
        let own_full = own >= config.workers_per_owner_max.max(1);
        if !own_full && slots.len() < config.workers_max.max(1) {
            return Some(());
        }
        let idle = slots
            .iter()
            .filter(|(key, slot)| slot.is_idle() && (!own_full || key.owner == wanted.owner));
        let oldest = idle.min_by_key(|(_, slot)| slot.order.load(Relaxed));
        let oldest = oldest.map(|(key, _)| key.clone())?;
        if let Some(child) = slots.remove(&oldest).as_deref().and_then(Slot::child) {
            child.kill();
        }
        Some(())
    }

    /// Since when a worker has been idle, if it is.
    pub(super) fn idle_since(&self, key: &WorkerKey) -> Option<Instant> {
        let slots = self.lock();
        let slot = slots.get(key).filter(|slot| slot.is_idle())?;
        Some(*slot.last_use.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes a worker that is not in use. Returns whether it did.
    pub(super) fn remove(&self, key: &WorkerKey, child: &Arc<Child>) -> bool {
        let mut slots = self.lock();
        let is_its = slots.get(key).is_some_and(|slot| {
            slot.is_idle() && slot.child().is_none_or(|held| Arc::ptr_eq(&held, child))
        });
        if is_its {
            slots.remove(key);
        }
        drop(slots);
        self.room.notify_waiters();
        is_its
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<WorkerKey, Arc<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    fn new() -> Self {
        Self {
            child: tokio::sync::Mutex::default(),
            users: AtomicUsize::new(0),
            last_use: Mutex::new(Instant::now()),
            order: AtomicU64::new(0),
        }
    }

    /// `None` while it is starting.
    fn child(&self) -> Option<Arc<Child>> {
        self.child.try_lock().ok()?.clone()
    }

    /// The count changes only while the slots are locked.
    fn is_idle(&self) -> bool {
        self.users.load(Relaxed) == 0
    }
}

impl AsRef<Arc<Child>> for Lease {
    fn as_ref(&self) -> &Arc<Child> {
        &self.child
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let WorkerScope::Once(_) = self.reservation.key.part {
            self.child.kill();
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut slots = self.inner.lock();
        *self.slot.last_use.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let is_last = self.slot.users.fetch_sub(1, Relaxed) == 1;
        let is_used_up = match self.key.part {
            WorkerScope::Once(_) => true,
            WorkerScope::File(_) => self.slot.child().is_none_or(|child| !child.is_live()),
        };
        if is_last && is_used_up {
            let is_current = slots.get(&self.key).is_some_and(|slot| Arc::ptr_eq(slot, &self.slot));
            if is_current {
                slots.remove(&self.key);
            }
        }
        drop(slots);
        self.inner.room.notify_waiters();
    }
}
