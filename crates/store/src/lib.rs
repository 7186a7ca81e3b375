//! Durable, watchable storage: `kv`, `log` and `queue`.
//!
//! Three traits define what an engine must do: [`Kv`] (values with revisions), [`Log`]
//! (numbered records) and [`Queue`] (messages with leases). [`Store`] has all three.
//! [`SqliteStore`] is the embedded engine; [`conformance`] is the test suite that every engine
//! must pass, so that a cluster engine can replace it without changes to callers.
//!
//! **What callers can rely on.** Two operations are atomic, each on one name: a
//! compare-and-set of one key, and an append that happens once per idempotency key. No
//! operation spans several names, because a cluster engine has none. The two suffice for an
//! effect that happens at most once:
//!
//! 1. set `ledger/<call>` to *intended*, expecting it absent: a call has one record;
//! 2. set `approval/<id>` to *used by `<call>`*, expecting the revision that was read;
//!    if this same call has used it already, continue;
//! 3. set `ledger/<call>` to *started*, expecting the revision of *intended*: one attempt
//!    wins, and only the winner runs the handler;
//! 4. set `ledger/<call>` to *done* with the outcome, expecting the revision of *started*;
//! 5. append to the log with `<call>/<state>` as the idempotency key, as often as wanted.
//!
//! A caller that finds *started* without having won step 3 knows that the effect is running
//! or in doubt, and never runs it. A crash between two steps leaves the effect not started
//! (the next attempt continues from there) or in doubt, never done twice. The test
//! `an_effect_happens_at_most_once_wherever_it_crashes` crashes at every step.
//!
//! Start at [`Store`], then [`SqliteStore::open`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod clock;
mod fault;
mod json;
mod keyed_lock;
mod kv;
mod limits;
mod list;
mod log;
mod name;
mod page;
mod queue;
mod store;
mod submit_all;
mod subscription;

pub mod conformance;
pub mod engine;
mod sqlite;

pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use engine::{Counts, ExportFault, ImportFault};
pub use fault::{SizedItem, StoreFault};
pub use json::{BadJson, Json};
pub use keyed_lock::{KeyedLock, KeyedLockGuard};
pub use kv::{Change, Expected, Expiry, Kv, KvEntry, Revision};
pub use limits::Limits;
pub use list::{ListChange, ListEdit, ListEditResult};
pub use log::{AppendResult, Log, Record, Sequence};
pub use name::{BadName, DedupKey, Key, LogName, Prefix, QueueName};
pub use page::{Page, PageRequest, Pages};
pub use queue::{Claim, ClaimId, DeadLetter, MessageId, NewMessage, PushResult, Queue, QueueDepth};
pub use sqlite::{
    CheckReport, OpenFault, QUICK_BYTES_MAX, SqliteOptions, SqliteStore, check, quick_check,
};
pub use store::{BoxFuture, Store};
pub use submit_all::submit_all;
pub use subscription::{Subscription, SubscriptionSource};

#[cfg(test)]
mod tests;
