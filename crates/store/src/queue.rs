//! Queues: messages that are claimed for a time, done, or given back.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::fault::StoreFault;
use crate::json::Json;
use crate::name::{DedupKey, QueueName};
use crate::page::{Page, PageRequest};
use crate::store::BoxFuture;

/// The number of a message; never used twice in a store.
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
    /// How often it may be claimed before it is a dead letter; 0 counts as 1.
    pub attempts_max: u32,
}

/// What a push did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushResult {
    New(MessageId),
    /// A message with this dedup key is in the queue already; nothing was written.
    Known(MessageId),
}

/// One hold on one message. Good until the message is claimed again, done or dead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimId {
    pub queue: QueueName,
    pub message: MessageId,
    /// Which claim of this message it is; only grows, also over a requeue.
    pub number: u64,
}

/// A message in somebody's hands.
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
    /// Why it was last given back; `None` if its lease just ran out.
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

/// Named queues. A message is delivered at least once: a worker that dies or is slow is
/// followed by another, so what a message causes must be guarded by the ledger.
pub trait Queue: Send + Sync {
    /// Adds a message. A dedup key holds for as long as its message is in the queue,
    /// also as a dead letter; after the ack the same key is new again.
    fn push<'a>(
        &'a self,
        queue: &'a QueueName,
        message: NewMessage,
    ) -> BoxFuture<'a, Result<PushResult, StoreFault>>;

    /// Takes the message that has been claimable longest, for the time of `lease`.
    /// Claimable is what is not delayed, not claimed, or whose lease is over. Each claim
    /// counts as an attempt; a message whose last attempt runs out becomes a dead letter
    /// instead of being claimed again.
    fn claim<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Option<Claim>, StoreFault>>;

    /// As [`Queue::claim`], but waits until there is a message. If the future is dropped
    /// at the wrong moment, a claimed message waits for the end of its lease.
    fn claim_next<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreFault>>;

    /// Done: removes the message. Also after the end of the lease, as long as nobody
    /// else has claimed it; else [`StoreFault::LeaseLost`].
    fn ack<'a>(&'a self, claim: &'a ClaimId) -> BoxFuture<'a, Result<(), StoreFault>>;

    /// Not done: the message is claimable again after `delay`, or a dead letter if this
    /// was its last attempt. [`StoreFault::LeaseLost`] as with [`Queue::ack`].
    fn nack<'a>(
        &'a self,
        claim: &'a ClaimId,
        delay: Duration,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFault>>;

    /// Holds the message for `lease` from now on; gives the new end.
    /// [`StoreFault::LeaseLost`] as with [`Queue::ack`].
    fn extend<'a>(
        &'a self,
        claim: &'a ClaimId,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Timestamp, StoreFault>>;

    fn depth<'a>(&'a self, queue: &'a QueueName) -> BoxFuture<'a, Result<QueueDepth, StoreFault>>;

    /// The dead letters in the order of their ids. A message whose last lease ran out is
    /// among them as soon as somebody claims from the queue.
    fn dead_letters<'a>(
        &'a self,
        queue: &'a QueueName,
        page: PageRequest<MessageId>,
    ) -> BoxFuture<'a, Result<Page<DeadLetter, MessageId>, StoreFault>>;

    /// Makes a dead letter claimable at once, with all its attempts before it. It keeps
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
