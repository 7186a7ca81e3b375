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
/// **For another engine.** Nothing here spans two names. What is hard elsewhere: revisions in the
/// order of commits, record numbers without gaps, keys of appends that hold as long as their
/// record, leases for each claim, prefixes in byte order, and one clock. `crates/postgres` shows
/// how; a broker's own streams, consumers and time limits do not fit. Names that an engine does
/// not support are escaped by it.
pub trait Store: Send + Sync {
    fn kv(&self) -> &dyn Kv;
    fn log(&self) -> &dyn Log;
    fn queue(&self) -> &dyn Queue;
}
