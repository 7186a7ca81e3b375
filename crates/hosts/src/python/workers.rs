//! The workers of a host: one for each file and owner, forked when it is first needed.
//!
//! A file's worker serves one owner, and no other file. How many there are is limited, for
//! each owner and in total: when there is no room, the one goes that had nothing to do for
//! longest; when all have something to do, whoever wants another waits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::child::Child;

use super::nursery::Nursery;
use super::root::Root;
use super::{Isolation, PyHostConfig, attend};

pub(crate) struct Workers {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    nursery: Nursery,
    slots: Mutex<HashMap<Ward, Arc<Slot>>>,
    /// Somebody has less to do than before.
    room: Notify,
    uses: AtomicU64,
}

/// Whom a worker serves.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Ward {
    pub root: Root,
    pub owner: String,
    pub part: WardPart,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum WardPart {
    /// The calls of one file.
    File(String),
    /// One call, and no other.
    Once(u64),
}

struct Slot {
    /// Held while a worker is started, so that all who wait get the same.
    child: tokio::sync::Mutex<Option<Arc<Child>>>,
    /// How many calls have it, or wait for it to be started.
    users: AtomicUsize,
    last_use: Mutex<Instant>,
    order: AtomicU64,
}

/// A worker, kept for a call. Dropping it gives it back.
pub(crate) struct Lease {
    child: Arc<Child>,
    place: Place,
}

/// A place that is taken, with or without a worker in it yet.
struct Place {
    inner: Arc<Inner>,
    ward: Ward,
    slot: Arc<Slot>,
}

impl Workers {
    pub(crate) fn new(config: PyHostConfig) -> Self {
        let nursery = Nursery::new(config);
        let (slots, room, uses) = (Mutex::default(), Notify::new(), AtomicU64::new(0));
        Self { inner: Arc::new(Inner { nursery, slots, room, uses }) }
    }

    pub(crate) fn config(&self) -> &PyHostConfig {
        self.inner.nursery.config()
    }

    pub(crate) fn nursery(&self) -> &Nursery {
        &self.inner.nursery
    }

    /// Where a call of a file runs.
    pub(crate) fn ward(&self, root: &Root, owner: &str, file: &str) -> Ward {
        match self.config().isolation {
            Isolation::EveryOwner => {
                let part = WardPart::File(file.to_owned());
                Ward { root: root.clone(), owner: owner.to_owned(), part }
            }
            Isolation::EveryCall => self.once(root, owner),
        }
    }

    /// A worker that is used once.
    pub(crate) fn once(&self, root: &Root, owner: &str) -> Ward {
        let part = WardPart::Once(self.inner.uses.fetch_add(1, Relaxed));
        Ward { root: root.clone(), owner: owner.to_owned(), part }
    }

    /// The worker of a ward, forked if there is none. Waits while there is no room.
    pub(crate) async fn pick(&self, ward: Ward) -> Result<Lease, String> {
        let place = loop {
            let mut room = Box::pin(self.inner.room.notified());
            room.as_mut().enable();
            match Inner::slot(&self.inner, &ward) {
                Some(place) => break place,
                None => room.await,
            }
        };
        let slot = Arc::clone(&place.slot);
        let mut held = slot.child.lock().await;
        if let Some(child) = held.as_ref().filter(|child| child.is_live()) {
            return Ok(Lease { child: Arc::clone(child), place });
        }
        // A fork is waited for to its end, whoever goes away meanwhile.
        let (inner, root) = (Arc::clone(&self.inner), ward.root.clone());
        let forked = tokio::spawn(async move { inner.nursery.worker(&root).await });
        let broke = || "the worker's start broke".to_owned();
        let newborn = forked.await.map_err(|_| broke())??;
        let (child, scratch) = newborn.hand_over().ok_or_else(broke)?;
        *held = Some(Arc::clone(&child));
        let post = attend::Post { inner: Arc::downgrade(&self.inner), ward, scratch };
        tokio::spawn(attend::attend(Arc::clone(&child), post));
        Ok(Lease { child, place })
    }

    /// Ends the workers of a folder that have nothing to do.
    pub(crate) fn dismiss_idle(&self, root: &Root) {
        let mut slots = self.inner.lock();
        let idle = slots.extract_if(|ward, slot| ward.root == *root && slot.is_idle());
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
        self.inner.nursery.end();
    }
}

impl Inner {
    pub(super) fn config(&self) -> &PyHostConfig {
        self.nursery.config()
    }

    /// A place for a ward; none while there is no room.
    fn slot(inner: &Arc<Self>, ward: &Ward) -> Option<Place> {
        let mut slots = inner.lock();
        let order = inner.uses.fetch_add(1, Relaxed);
        let slot = match slots.get(ward) {
            Some(slot) => Arc::clone(slot),
            None => {
                inner.make_room(&mut slots, ward)?;
                let slot = Arc::new(Slot::new());
                slots.insert(ward.clone(), Arc::clone(&slot));
                slot
            }
        };
        slot.users.fetch_add(1, Relaxed);
        slot.order.store(order, Relaxed);
        Some(Place { inner: Arc::clone(inner), ward: ward.clone(), slot })
    }

    /// Ends idle workers until there is room for another; none if all are busy.
    fn make_room(&self, slots: &mut HashMap<Ward, Arc<Slot>>, wanted: &Ward) -> Option<()> {
        let config = self.config();
        let own = slots.keys().filter(|ward| ward.owner == wanted.owner).count();
        let own_full = own >= config.workers_per_owner_max.max(1);
        if !own_full && slots.len() < config.workers_max.max(1) {
            return Some(());
        }
        let idle = slots
            .iter()
            .filter(|(ward, slot)| slot.is_idle() && (!own_full || ward.owner == wanted.owner));
        let oldest = idle.min_by_key(|(_, slot)| slot.order.load(Relaxed));
        let oldest = oldest.map(|(ward, _)| ward.clone())?;
        if let Some(child) = slots.remove(&oldest).as_deref().and_then(Slot::child) {
            child.kill();
        }
        Some(())
    }

    /// Whether a worker has nothing to do, and since when.
    pub(super) fn idle_since(&self, ward: &Ward) -> Option<Instant> {
        let slots = self.lock();
        let slot = slots.get(ward).filter(|slot| slot.is_idle())?;
        Some(*slot.last_use.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes a worker away from its ward; one that has something to do only if it is dead.
    /// Whether it was.
    pub(super) fn take_away(&self, ward: &Ward, child: &Arc<Child>) -> bool {
        let mut slots = self.lock();
        let is_its = slots.get(ward).is_some_and(|slot| {
            slot.is_idle() && slot.child().is_none_or(|held| Arc::ptr_eq(&held, child))
        });
        if is_its {
            slots.remove(ward);
        }
        drop(slots);
        self.room.notify_waiters();
        is_its
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Ward, Arc<Slot>>> {
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

    /// None while it is being started.
    fn child(&self) -> Option<Arc<Child>> {
        self.child.try_lock().ok()?.clone()
    }

    /// Users come and go only while the slots are locked.
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
        if let WardPart::Once(_) = self.place.ward.part {
            self.child.kill();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut slots = self.inner.lock();
        *self.slot.last_use.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        let is_last = self.slot.users.fetch_sub(1, Relaxed) == 1;
        let is_used_up = match self.ward.part {
            WardPart::Once(_) => true,
            WardPart::File(_) => self.slot.child().is_none_or(|child| !child.is_live()),
        };
        if is_last && is_used_up {
            let is_current =
                slots.get(&self.ward).is_some_and(|slot| Arc::ptr_eq(slot, &self.slot));
            if is_current {
                slots.remove(&self.ward);
            }
        }
        drop(slots);
        self.inner.room.notify_waiters();
    }
}
