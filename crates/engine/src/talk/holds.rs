//! Who may answer in a conversation: of all processes on a store, one at a time.
//!
//! The right is a key that expires unless it is renewed, so a dead process gives it up: at
//! once where its death can be seen ([`Holder`]), else when it was not renewed for as long as
//! it lasts, whatever the clock says. A process that is done keeps it for a moment, because
//! most often it goes on itself, and then gives it back. Must hold: a right that was lost is
//! never given back in the name of another.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use policy::ConversationId;
use store::{Expected, Expiry, Json, Key, KvEntry, Revision, Store, StoreFault};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::holder::Holder;
use super::opening::{TalkFault, named};
use crate::engine::Engine;
use crate::keys;

/// How long a conversation stays held after its process died.
pub(super) const HELD: Duration = Duration::from_secs(15);
/// How long a right is kept after its last use.
const KEPT: Duration = Duration::from_secs(1);

/// The conversations that this process holds. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Holds(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    places: HashMap<ConversationId, Place>,
    /// Tells one time of rest from the next.
    rests: u64,
    /// Rights of others that were in the way, and since when they were not renewed.
    others: HashMap<ConversationId, (Revision, Instant)>,
}

/// Rights of others that are remembered.
const OTHERS_MAX: usize = 10_000;

enum Place {
    InUse,
    Resting { right: Right, rest: u64 },
}

impl Holds {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A right that is at rest; an error if it is in use. Marks it as in use.
    fn claim(&self, id: &ConversationId) -> Result<Option<Right>, TalkFault> {
        match self.lock().places.insert(id.clone(), Place::InUse) {
            Some(Place::InUse) => Err(TalkFault::Held),
            Some(Place::Resting { right, .. }) => Ok(Some(right)),
            None => Ok(None),
        }
    }

    /// Is the right of another process over: because the process is, or because it was not
    /// renewed in all the time that it lasts?
    fn is_over(&self, id: &ConversationId, other: &KvEntry) -> bool {
        if other.value.to::<Holder>().is_ok_and(|holder| holder.is_gone()) {
            return true;
        }
        let now = Instant::now();
        let mut known = self.lock();
        known.others.retain(|_, (_, since)| now.duration_since(*since) < HELD * 10);
        match known.others.get(id) {
            Some((revision, since)) if *revision == other.revision => {
                now.duration_since(*since) >= HELD
            }
            Some(_) | None => {
                if known.others.len() < OTHERS_MAX {
                    known.others.insert(id.clone(), (other.revision, now));
                }
                false
            }
        }
    }

    fn is_resting(&self, id: &ConversationId, newest: Revision) -> bool {
        match self.lock().places.get(id) {
            Some(Place::Resting { right, .. }) => right.revision() == newest,
            Some(Place::InUse) | None => false,
        }
    }

    fn is_used(&self, id: &ConversationId) -> bool {
        matches!(self.lock().places.get(id), Some(Place::InUse))
    }

    fn rest(&self, id: &ConversationId, right: Right) -> u64 {
        let mut known = self.lock();
        known.rests += 1;
        let rest = known.rests;
        known.places.insert(id.clone(), Place::Resting { right, rest });
        rest
    }

    /// Takes a right out whose rest is over; none if it is in use again.
    fn leave(&self, id: &ConversationId, ended: Option<u64>) -> Option<Right> {
        let mut known = self.lock();
        match known.places.get(id) {
            Some(Place::Resting { rest, .. }) if ended.is_none_or(|ended| ended == *rest) => {}
            Some(Place::Resting { .. } | Place::InUse) | None => return None,
        }
        match known.places.remove(id) {
            Some(Place::Resting { right, .. }) => Some(right),
            Some(Place::InUse) | None => None,
        }
    }

    /// Gives back every right that rests; the program ends.
    pub(crate) async fn give_back(&self) {
        let ids: Vec<_> = self.lock().places.keys().cloned().collect();
        for id in ids {
            if let Some(right) = self.leave(&id, None) {
                right.give_back().await;
            }
        }
    }
}

impl Engine {
    /// Takes the right to answer in a conversation; others get [`TalkFault::Held`].
    pub(super) async fn hold(&self, id: &ConversationId) -> Result<Hold, TalkFault> {
        let holds = self.inner.holds.clone();
        let resting = holds.claim(id)?.filter(Right::is_good);
        // From here on the mark is ours; without a right it goes when this is dropped.
        let mut hold = Hold { holds, id: id.clone(), right: resting };
        if hold.right.is_none() {
            let store = Arc::clone(&self.wiring().store);
            hold.right = Some(Right::take(store, &hold.holds, id).await?);
        }
        Ok(hold)
    }

    /// Does some process that lives answer in this conversation?
    pub async fn is_held(&self, id: &ConversationId) -> Result<bool, TalkFault> {
        let holds = &self.inner.holds;
        if holds.is_used(id) {
            return Ok(true);
        }
        let name = keys::talk_hold(id).map_err(|bad| named(&bad))?;
        let held = self.wiring().store.kv().get(&name).await?;
        let is_ours = held.as_ref().is_some_and(|entry| holds.is_resting(id, entry.revision));
        Ok(held.is_some_and(|entry| !is_ours && !holds.is_over(id, &entry)))
    }
}

/// The right to answer in one conversation, while it is used.
pub(super) struct Hold {
    holds: Holds,
    id: ConversationId,
    right: Option<Right>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let Some(right) = self.right.take() else {
            self.holds.lock().places.remove(&self.id);
            return;
        };
        let rest = self.holds.rest(&self.id, right);
        let (holds, id) = (self.holds.clone(), self.id.clone());
        // Without a runtime the program is at its end, and the right expires.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                tokio::time::sleep(KEPT).await;
                if let Some(right) = holds.leave(&id, Some(rest)) {
                    right.give_back().await;
                }
            });
        }
    }
}

/// The key in the store, and the task that renews it.
struct Right {
    store: Arc<dyn Store>,
    name: Key,
    /// Of the newest renewal; 0 when the right was lost.
    revision: Arc<AtomicU64>,
    renewal: JoinHandle<()>,
}

impl Right {
    async fn take(
        store: Arc<dyn Store>,
        holds: &Holds,
        id: &ConversationId,
    ) -> Result<Self, TalkFault> {
        let name = keys::talk_hold(id).map_err(|bad| named(&bad))?;
        let holder = Json::of(&Holder::own())
            .map_err(|bad| StoreFault::Unusable { because: bad.to_string() })?;
        let Revision(first) = Self::written(&store, holds, id, &name, &holder).await?;
        let revision = Arc::new(AtomicU64::new(first));
        let (renewing, renewed, newest) = (Arc::clone(&store), name.clone(), Arc::clone(&revision));
        let renewal = tokio::spawn(async move {
            loop {
                tokio::time::sleep(HELD / 3).await;
                let last = Expected::Revision(Revision(newest.load(Ordering::Acquire)));
                let expiry = Expiry::After(HELD);
                match renewing.kv().set(&renewed, holder.clone(), last, expiry).await {
                    Ok(Revision(newer)) => newest.store(newer, Ordering::Release),
                    Err(fault) => {
                        newest.store(0, Ordering::Release);
                        return tracing::warn!(%fault, "a conversation is not held any more");
                    }
                }
            }
        });
        Ok(Self { store, name, revision, renewal })
    }

    async fn written(
        store: &Arc<dyn Store>,
        holds: &Holds,
        id: &ConversationId,
        name: &Key,
        holder: &Json,
    ) -> Result<Revision, TalkFault> {
        let expiry = Expiry::After(HELD);
        let taken = store.kv().set(name, holder.clone(), Expected::Absent, expiry).await;
        let Err(StoreFault::Conflict { .. }) = taken else { return Ok(taken?) };
        let expected = match store.kv().get(name).await? {
            Some(other) if holds.is_over(id, &other) => Expected::Revision(other.revision),
            Some(_) => return Err(TalkFault::Held),
            // It has just been given back.
            None => Expected::Absent,
        };
        match store.kv().set(name, holder.clone(), expected, expiry).await {
            Err(StoreFault::Conflict { .. }) => Err(TalkFault::Held),
            taken => Ok(taken?),
        }
    }

    fn revision(&self) -> Revision {
        Revision(self.revision.load(Ordering::Acquire))
    }

    fn is_good(&self) -> bool {
        self.revision.load(Ordering::Acquire) != 0
    }

    async fn give_back(self) {
        self.renewal.abort();
        let own = Expected::Revision(Revision(self.revision.load(Ordering::Acquire)));
        if let Err(fault) = self.store.kv().delete(&self.name, own).await {
            tracing::debug!(%fault, "a conversation was not given back; it expires");
        }
    }
}

impl Drop for Right {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}
