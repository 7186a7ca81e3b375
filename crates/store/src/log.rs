//! Logs: numbered records that are appended, read and followed.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::StoreFault;
use crate::json::Json;
use crate::name::{DedupKey, LogName, Prefix};
use crate::page::{Page, PageRequest};
use crate::store::BoxFuture;
use crate::subscription::Subscription;

/// The number of a record in its log: 1, 2, 3 and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sequence(pub u64);

impl Sequence {
    pub const FIRST: Sequence = Sequence(1);

    pub fn next(self) -> Self {
        Sequence(self.0.saturating_add(1))
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// One record of a log. It never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    pub sequence: Sequence,
    /// The idempotency key it was appended with.
    pub key: Option<DedupKey>,
    pub body: Json,
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendResult {
    New(Sequence),
    /// A record with this key already existed; nothing was written.
    Known(Sequence),
}

impl AppendResult {
    pub fn sequence(self) -> Sequence {
        match self {
            AppendResult::New(sequence) | AppendResult::Known(sequence) => sequence,
        }
    }
}

/// Named logs. A log begins to exist with its first record.
pub trait Log: Send + Sync {
    /// Appends a record; its number is one more than that of the record before, without
    /// gaps, even with failures and concurrent appends.
    ///
    /// With a key the append happens once: the same key in the same log returns the number
    /// of the record that has it, whatever its body, for as long as that record exists.
    fn append<'a>(
        &'a self,
        log: &'a LogName,
        body: Json,
        key: Option<DedupKey>,
    ) -> BoxFuture<'a, Result<AppendResult, StoreFault>>;

    /// Appends records in order, atomically if the engine can. After a fault, those before it
    /// may be written, and none after it: a log has no gaps.
    fn append_all<'a>(
        &'a self,
        log: &'a LogName,
        records: Vec<(Json, Option<DedupKey>)>,
    ) -> BoxFuture<'a, Result<Vec<AppendResult>, StoreFault>> {
        Box::pin(async move {
            let mut appended = Vec::with_capacity(records.len());
            for (body, key) in records {
                appended.push(self.append(log, body, key).await?);
            }
            Ok(appended)
        })
    }

    /// The records from `from` on, in order, at most `limit`; possibly fewer (see
    /// `Limits::page_items_max`), but none only if there are none.
    /// [`StoreFault::Erased`] if `from` was erased.
    fn read<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreFault>>;

    /// The record with this idempotency key.
    fn find<'a>(
        &'a self,
        log: &'a LogName,
        key: &'a DedupKey,
    ) -> BoxFuture<'a, Result<Option<Record>, StoreFault>>;

    /// The number of the newest record; `None` if there has never been one.
    fn last<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<Option<Sequence>, StoreFault>>;

    /// All records from `from` on, first the existing ones, then each new one: in
    /// order, without gaps or repeats. The log need not exist yet.
    fn follow<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
    ) -> BoxFuture<'a, Result<Subscription<Record>, StoreFault>>;

    /// The names of the logs that have records, in byte order.
    fn logs<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<LogName>,
    ) -> BoxFuture<'a, Result<Page<LogName, LogName>, StoreFault>>;

    /// Erases all records with their keys. The numbers continue: a record appended later
    /// has the next number. Reading or following erased records gives
    /// [`StoreFault::Erased`].
    fn erase<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<(), StoreFault>>;
}
