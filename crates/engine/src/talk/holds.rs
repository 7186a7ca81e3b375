//! Who may answer in a conversation: of all processes on a store, one at a time.
//!
//! The right is a key that expires unless it is renewed, so a dead process gives it up. A
//! process that is done keeps it for a moment, because most often it goes on itself, and
//! then gives it back. Must hold: a right that was lost is never given back in the name of
//! another.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use policy::ConversationId;
use serde_json::json;
use store::{Expected, Expiry, Json, Key, Revision, Store, StoreFault};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::opening::{TalkFault, named};
use crate::desk::Desk;
use crate::keys;

/// How long a conversation stays held after its process died.
const HELD: Duration = Duration::from_secs(15);
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
}

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

impl Desk {
    /// Takes the right to answer in a conversation; others get [`TalkFault::Held`].
    pub(super) async fn hold(&self, id: &ConversationId) -> Result<Hold, TalkFault> {
        let holds = self.inner.holds.clone();
        let resting = holds.claim(id)?.filter(Right::is_good);
        // From here on the mark is ours; without a right it goes when this is dropped.
        let mut hold = Hold { holds, id: id.clone(), right: resting };
        if hold.right.is_none() {
            hold.right = Some(Right::take(Arc::clone(&self.wiring().store), id).await?);
        }
        Ok(hold)
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
    async fn take(store: Arc<dyn Store>, id: &ConversationId) -> Result<Self, TalkFault> {
        let name = keys::talk_hold(id).map_err(|bad| named(&bad))?;
        let holder = Json::of(&json!({ "process": std::process::id() }))
            .map_err(|bad| StoreFault::Unusable { because: bad.to_string() })?;
        let expiry = Expiry::After(HELD);
        let taken = store.kv().set(&name, holder.clone(), Expected::Absent, expiry).await;
        let first = match taken {
            Ok(Revision(first)) => first,
            Err(StoreFault::Conflict { .. }) => return Err(TalkFault::Held),
            Err(fault) => return Err(fault.into()),
        };
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
