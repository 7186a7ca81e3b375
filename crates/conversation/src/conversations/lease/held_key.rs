//! The key of a lease in the store, and the task that renews it.
//!
//! Must hold: a holder that has not renewed its lease for [`HOLD_TIME`], by its own clock, counts
//! it as lost, and others wait for longer than that.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use policy::ConversationId;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, Revision, Store, StoreFault};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::conversations::lease::holder::Holder;
use crate::conversations::lease::{LEASE_TIME, Leases};
use crate::fault::{ConversationFault, bad_name};
use crate::store_keys;

/// How long a holder trusts its last renewal; [`LEASE_TIME`] is longer.
const HOLD_TIME: Duration = Duration::from_secs(3);
const RENEWAL_PAUSE: Duration = Duration::from_secs(1);
/// How long to wait after a renewal that failed.
const RETRY_PAUSE: Duration = Duration::from_millis(200);
/// How long the key of a dead holder stays, so that other processes notice it: longer than a store
/// is away whose standby has to take over.
const KEY_TIME: Duration = Duration::from_secs(600);

const _: () = assert!(HOLD_TIME.as_millis() < LEASE_TIME.as_millis());

/// The value of the key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeaseValue {
    #[serde(flatten)]
    pub holder: Holder,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationId>,
    /// The server that holds it; none for other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// Distinguishes this lease from all others.
    #[serde(default)]
    token: String,
    /// The holder has left the turn to others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    left: bool,
}

impl LeaseValue {
    /// Whether the holder certainly does not use it any more.
    pub(crate) fn is_left(&self) -> bool {
        self.left || self.holder.is_gone()
    }
}

/// A lease as those see it who write under it. Clones share it.
#[derive(Clone)]
pub(crate) struct Hold(Arc<HoldState>);

struct HoldState {
    store: Arc<dyn Store>,
    name: Key,
    token: String,
    fence: u64,
    /// The revision of the newest renewal.
    revision: AtomicU64,
    trusted_until: Mutex<Instant>,
    lost: watch::Sender<bool>,
}

impl Hold {
    /// The number that the records of this lease carry. Later leases have higher ones.
    pub(crate) fn fence(&self) -> u64 {
        self.0.fence
    }

    pub(crate) fn is_good(&self) -> bool {
        let until = *self.0.trusted_until.lock().unwrap_or_else(PoisonError::into_inner);
        !*self.0.lost.borrow() && Instant::now() < until
    }

    /// Waits until the lease is lost.
    pub(crate) async fn lost(&self) {
        let mut lost = self.0.lost.subscribe();
        // The sender lives in `self`.
        let _ = lost.wait_for(|lost| *lost).await;
    }

    /// Asks the store whether the lease is still ours. What was written before this succeeds is
    /// read by every later holder.
    pub(crate) async fn confirm(&self) -> Result<(), ConversationFault> {
        let HoldState { store, name, token, .. } = &*self.0;
        let held = store.kv().get(name).await?;
        let value = held.and_then(|entry| entry.value.to::<LeaseValue>().ok());
        match value.is_some_and(|value| value.token == *token) && self.is_good() {
            true => Ok(()),
            false => {
                self.lose();
                Err(ConversationFault::Held)
            }
        }
    }

    fn lose(&self) {
        self.0.lost.send_replace(true);
    }

    fn renewed(&self, revision: Revision, begun: Instant) {
        self.0.revision.store(revision.0, Ordering::Release);
        *self.0.trusted_until.lock().unwrap_or_else(PoisonError::into_inner) = begun + HOLD_TIME;
    }

    fn revision(&self) -> Revision {
        Revision(self.0.revision.load(Ordering::Acquire))
    }

    async fn renew(&self, value: &Json) -> Result<(), StoreFault> {
        let HoldState { store, name, token, .. } = &*self.0;
        let begun = Instant::now();
        let expected = Expected::Revision(self.revision());
        let written = store.kv().set(name, value.clone(), expected, Expiry::After(KEY_TIME)).await;
        let conflict = match written {
            Ok(revision) => {
                self.renewed(revision, begun);
                return Ok(());
            }
            Err(conflict @ StoreFault::Conflict { .. }) => conflict,
            Err(fault) => return Err(fault),
        };
        // A renewal whose answer was lost may have been written.
        let held = store.kv().get(name).await?;
        let ours = held.filter(|entry| {
            entry.value.to::<LeaseValue>().is_ok_and(|value| value.token == *token)
        });
        match ours {
            Some(entry) => {
                self.renewed(entry.revision, begun);
                Ok(())
            }
            None => Err(conflict),
        }
    }

    /// Renews the lease until it is lost.
    async fn keep(self, value: Json) {
        let mut pause = RENEWAL_PAUSE;
        loop {
            let until = *self.0.trusted_until.lock().unwrap_or_else(PoisonError::into_inner);
            let renewal = async {
                tokio::time::sleep(pause).await;
                self.renew(&value).await
            };
            match tokio::time::timeout_at(until, renewal).await {
                Ok(Ok(())) => pause = RENEWAL_PAUSE,
                Ok(Err(fault @ StoreFault::Conflict { .. })) => {
                    tracing::warn!(%fault, "the lease of a conversation was lost");
                    return self.lose();
                }
                Ok(Err(fault)) => {
                    tracing::debug!(%fault, "the lease of a conversation cannot be renewed yet");
                    pause = RETRY_PAUSE;
                }
                Err(_) => {
                    tracing::warn!("the lease of a conversation could not be renewed in time");
                    return self.lose();
                }
            }
        }
    }
}

/// The lease of one conversation.
pub(crate) struct Lease {
    hold: Hold,
    renewal: JoinHandle<()>,
    value: LeaseValue,
}

impl Lease {
    pub(super) async fn take(
        store: Arc<dyn Store>,
        leases: &Leases,
        id: &ConversationId,
        node: Option<&str>,
    ) -> Result<Self, ConversationFault> {
        let name = store_keys::lease(id).map_err(|bad| bad_name(&bad))?;
        let token = getrandom::u64().map_err(|fault| StoreFault::Unusable {
            because: format!("no random number: {fault}"),
        })?;
        let token = format!("{token:016x}");
        let (holder, conversation) = (Holder::own(), Some(id.clone()));
        let node = node.map(str::to_owned);
        let (left, known) = (false, token.clone());
        let value = LeaseValue { holder, conversation, node, token: known, left };
        let json = Json::of(&value).map_err(StoreFault::from)?;
        let begun = Instant::now();
        let first = Self::written(&store, leases, id, &name, &json).await?;
        let hold = Hold(Arc::new(HoldState {
            store,
            name,
            token,
            fence: first.0,
            revision: AtomicU64::new(first.0),
            trusted_until: Mutex::new(begun + HOLD_TIME),
            lost: watch::channel(false).0,
        }));
        let renewal = tokio::spawn(hold.clone().keep(json));
        Ok(Self { hold, renewal, value })
    }

    async fn written(
        store: &Arc<dyn Store>,
        leases: &Leases,
        id: &ConversationId,
        name: &Key,
        value: &Json,
    ) -> Result<Revision, ConversationFault> {
        let expiry = Expiry::After(KEY_TIME);
        let taken = store.kv().set(name, value.clone(), Expected::Absent, expiry).await;
        let Err(StoreFault::Conflict { .. }) = taken else { return Ok(taken?) };
        let expected = match store.kv().get(name).await? {
            Some(other) if leases.is_over(id, &other) => Expected::Revision(other.revision),
            Some(_) => return Err(ConversationFault::Held),
            // It has just been released.
            None => Expected::Absent,
        };
        match store.kv().set(name, value.clone(), expected, expiry).await {
            Err(StoreFault::Conflict { .. }) => Err(ConversationFault::Held),
            taken => Ok(taken?),
        }
    }

    pub(super) fn hold(&self) -> Hold {
        self.hold.clone()
    }

    pub(super) fn revision(&self) -> Revision {
        self.hold.revision()
    }

    pub(super) fn is_good(&self) -> bool {
        self.hold.is_good()
    }

    /// Lets any other process take it at once.
    pub(super) async fn leave(self) {
        self.renewal.abort();
        let HoldState { store, name, .. } = &*self.hold.0;
        let own = Expected::Revision(self.hold.revision());
        let value = LeaseValue { left: true, ..self.value.clone() };
        let left = match Json::of(&value) {
            Ok(json) => store.kv().set(name, json, own, Expiry::After(KEY_TIME)).await,
            Err(bad) => Err(bad.into()),
        };
        if let Err(fault) = left {
            tracing::debug!(%fault, "others go on with the turn when its lease is over");
        }
    }

    pub(super) async fn release(self) {
        self.renewal.abort();
        let HoldState { store, name, .. } = &*self.hold.0;
        let own = Expected::Revision(self.hold.revision());
        if let Err(fault) = store.kv().delete(name, own).await {
            tracing::debug!(%fault, "failed to release the lease of a conversation; it expires");
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewal.abort();
    }
}
