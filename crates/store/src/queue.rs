//! Queues: messages that are claimed for a time, acknowledged, or returned.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::fault::StoreFault;
use crate::json::Json;
use crate::name::{DedupKey, QueueName};
use crate::page::{Page, PageRequest};
use crate::store::BoxFuture;

/// The number of a message; never reused in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub u64);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A message to push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub body: Json,
    pub dedup: Option<DedupKey>,
    /// How long it cannot be claimed.
    pub delay: Duration,
    /// How often it may be claimed before it becomes a dead letter; 0 counts as 1.
    pub attempts_max: u32,
}

/// The result of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushResult {
    New(MessageId),
    /// A message with this dedup key is already in the queue; nothing was written.
    Known(MessageId),
}

/// One claim of one message. Valid until the message is claimed again, acknowledged or dead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimId {
    pub queue: QueueName,
    pub message: MessageId,
    /// The number of this claim; it only grows, even after a requeue.
    pub number: u64,
}

/// A claimed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub id: ClaimId,
    pub body: Json,
    pub dedup: Option<DedupKey>,
    /// This attempt, from 1.
    pub attempt: u32,
    pub attempts_max: u32,
    /// When the message becomes claimable for others.
    pub until: Timestamp,
}

/// A message that failed too often.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    pub message: MessageId,
    pub body: Json,
    pub dedup: Option<DedupKey>,
    pub attempts: u32,
    /// The reason of its last nack; `None` if its lease expired.
    pub reason: Option<String>,
    pub died_at: Timestamp,
}

/// How many messages are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueDepth {
    /// Claimable now.
    pub ready: u64,
    /// Claimed, or delayed.
    pub later: u64,
    pub dead: u64,
}

/// Named queues. A message is delivered at least once: if a worker dies or is slow, another one
/// gets the message, so its effects must be guarded by the ledger.
pub trait Queue: Send + Sync {
    /// Adds a message. A dedup key is reserved while its message is in the queue,
    /// even as a dead letter; after the ack the key can be used again.
    fn push<'a>(
        &'a self,
        queue: &'a QueueName,
        message: NewMessage,
    ) -> BoxFuture<'a, Result<PushResult, StoreFault>>;

    /// Claims the message that has been claimable longest, for the duration of `lease`.
    /// A message is claimable if it is not delayed and not claimed, or its lease is over. Each
    /// claim counts as an attempt; a message whose last attempt expires becomes a dead letter
    /// instead of being claimed again.
    fn claim<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Option<Claim>, StoreFault>>;

    /// Like [`Queue::claim`], but waits until there is a message. If the future is dropped
    /// at the wrong moment, a claimed message waits for the end of its lease.
    fn claim_next<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreFault>>;

    /// Acknowledges and removes the message. Valid even after the end of the lease, unless it was
    /// claimed again; then it fails with [`StoreFault::LeaseLost`].
    fn ack<'a>(&'a self, claim: &'a ClaimId) -> BoxFuture<'a, Result<(), StoreFault>>;

    /// Returns the message: it is claimable again after `delay`, or a dead letter if this
    /// was its last attempt. [`StoreFault::LeaseLost`] as with [`Queue::ack`].
    fn nack<'a>(
        &'a self,
        claim: &'a ClaimId,
        delay: Duration,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFault>>;

    /// Extends the lease to `lease` from now; returns its new end.
    /// [`StoreFault::LeaseLost`] as with [`Queue::ack`].
    fn extend<'a>(
        &'a self,
        claim: &'a ClaimId,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Timestamp, StoreFault>>;

    fn depth<'a>(&'a self, queue: &'a QueueName) -> BoxFuture<'a, Result<QueueDepth, StoreFault>>;

    /// The dead letters in the order of their ids. A message whose last lease expired is
    /// among them after the next claim from the queue.
    fn dead_letters<'a>(
        &'a self,
        queue: &'a QueueName,
        page: PageRequest<MessageId>,
    ) -> BoxFuture<'a, Result<Page<DeadLetter, MessageId>, StoreFault>>;

    /// Makes a dead letter claimable immediately, with all its attempts. It keeps
    /// its id and its dedup key.
    fn requeue<'a>(
        &'a self,
        queue: &'a QueueName,
        message: MessageId,
    ) -> BoxFuture<'a, Result<(), StoreFault>>;

    /// Removes a dead letter.
    fn discard<'a>(
        &'a self,
        queue: &'a QueueName,
        message: MessageId,
    ) -> BoxFuture<'a, Result<(), StoreFault>>;
}
