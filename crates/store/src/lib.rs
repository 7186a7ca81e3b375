//! What Ghosthand remembers: `kv`, `log` and `queue`, durable and watchable.
//!
//! Three traits say exactly what an engine must do: [`Kv`] (values with revisions),
//! [`Log`] (numbered records) and [`Queue`] (messages with leases). [`Store`] holds the
//! three. [`SqliteStore`] is the embedded engine; [`conformance`] is the test that any
//! engine must pass, so that a cluster engine can take its place without a change above.
//!
//! **What a caller can build on.** Two steps are atomic, each on one name: a
//! compare-and-set of one key, and an append that happens once per idempotency key.
//! There is no step over several names, because a cluster engine has none. The two
//! suffice for an effect that happens at most once:
//!
//! 1. set `ledger/<call>` to *intended*, expecting it absent: a call has one record;
//! 2. set `approval/<id>` to *used by `<call>`*, expecting the revision that was read;
//!    finding it already used by this very call is as good;
//! 3. set `ledger/<call>` to *started*, expecting the revision of *intended*: of all who
//!    try, one wins, and only the winner runs the handler;
//! 4. set `ledger/<call>` to *done* with the outcome, expecting the revision of *started*;
//! 5. append to the log with `<call>/<state>` as the idempotency key, as often as wanted.
//!
//! Whoever finds *started* without having won step 3 knows that the effect is running or
//! in doubt, and never runs it. A crash between two steps leaves the effect not begun
//! (the next try goes on from there) or in doubt, never done twice. The test
//! `an_effect_happens_at_most_once_wherever_it_is_cut` plays every cut.
//!
//! Start at [`Store`], then [`SqliteStore::open`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod clock;
mod fault;
mod json;
mod kv;
mod limits;
mod list;
mod log;
mod name;
mod page;
mod queue;
mod store;
mod subscription;

pub mod conformance;
mod sqlite;

pub use clock::{Clock, ManualClock, SystemClock, Timestamp};
pub use fault::{SizedItem, StoreFault};
pub use json::{BadJson, Json};
pub use kv::{Change, Expected, Expiry, Kv, KvEntry, Revision};
pub use limits::Limits;
pub use list::{ListChange, ListEdit, ListEditResult};
pub use log::{AppendResult, Log, Record, Sequence};
pub use name::{BadName, DedupKey, Key, LogName, Prefix, QueueName};
pub use page::{Page, PageRequest};
pub use queue::{Claim, ClaimId, DeadLetter, MessageId, NewMessage, PushResult, Queue, QueueDepth};
pub use sqlite::{
    CheckReport, Counts, ExportFault, ImportFault, OpenFault, QUICK_BYTES_MAX, SqliteOptions,
    SqliteStore, check, quick_check,
};
pub use store::{BoxFuture, Store};
pub use subscription::{Subscription, SubscriptionSource};

#[cfg(test)]
mod tests;
