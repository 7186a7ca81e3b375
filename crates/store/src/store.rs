//! The store: one trait with the three primitives.

use std::pin::Pin;

use crate::kv::Kv;
use crate::log::Log;
use crate::queue::Queue;

/// A future that any engine can return, so that the traits stay usable as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A store. Every engine guarantees:
///
/// - **Durable.** A write that returned `Ok` survives the death of the process
///   and of the machine. A write that did not return is complete or absent.
/// - **Atomic.** No caller sees half of an operation.
/// - **Ordered.** All writes of one key, one log or one queue happen one after the other,
///   in every process alike, and a caller sees its own writes.
/// - **Shared.** Several processes may use the same store; [`Kv::watch`] and
///   [`Log::follow`] see the writes of all of them.
/// - **Limited.** Anything larger than [`crate::Limits`] allows is refused before
///   anything is written.
///
/// Dropping the future of a write does not cancel it: it may still happen. A
/// caller that must know reads, or repeats a call that is safe to repeat (a
/// compare-and-set, an append or a push with a key).
///
/// **For a second engine.** Nothing here needs more than a stream with a sequence per
/// message, one subject per name, and a publish that expects the subject's last sequence:
/// a revision is the sequence of the values' stream; an idempotent append publishes to a
/// subject made of log and key that must be unused, in a stream for the log, whose
/// sequence is then the record's number; a push with a dedup key does the same in the
/// queue's stream. A lease is a wait for an ack. Names that a broker does not support are
/// escaped by the engine.
pub trait Store: Send + Sync {
    fn kv(&self) -> &dyn Kv;
    fn log(&self) -> &dyn Log;
    fn queue(&self) -> &dyn Queue;
}
