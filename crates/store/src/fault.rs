//! Faults of the store, sorted by what the caller does next.

use std::fmt;

use crate::json::BadJson;
use crate::kv::Revision;
use crate::log::Sequence;
use crate::name::{BadName, Key, LogName, QueueName};
use crate::queue::MessageId;

/// Why an operation failed. Unless a variant says otherwise, nothing was
/// written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreFault {
    /// Another writer was faster: read the key again and retry.
    #[error("`{key}` is not at the expected revision; {}", shown_revision(*current))]
    Conflict { key: Key, current: Option<Revision> },
    /// The claim has ended: stop working on the message, another worker may have it.
    #[error("message {message} of queue `{queue}` is no longer held by this claim")]
    LeaseLost { queue: QueueName, message: MessageId },
    /// The request can never succeed: make it smaller.
    #[error("{what} has a size of {size}; at most {max} is allowed")]
    TooLarge { what: SizedItem, size: usize, max: usize },
    /// The request can never succeed: the value is not a list.
    #[error("the value of `{key}` is not a list")]
    NotAList { key: Key },
    /// The changes after that revision are no longer known: list the keys again, then
    /// watch from the revision of the listing.
    #[error("deletions up to revision {through} are forgotten; list again and watch from there")]
    Forgotten { through: Revision },
    /// The records before `first` were erased: read from `first`.
    #[error("log `{log}` was erased before record {first}; read from there")]
    Erased { log: LogName, first: Sequence },
    /// There is no dead letter with this id: list them again.
    #[error("queue `{queue}` has no dead letter {message}")]
    NoDeadLetter { queue: QueueName, message: MessageId },
    /// Another process kept the store locked for too long: try again later.
    #[error("the store is busy: {because}")]
    Busy { because: String },
    /// The write may or may not have happened: read before repeating it.
    #[error("it is unknown whether the write happened: {because}")]
    Unsure { because: String },
    /// An operator must act: disk full, no permission, a failing disk.
    #[error("the store cannot be used: {because}")]
    Unusable { because: String },
    /// An operator must act: the stored data is corrupt.
    #[error("the store is damaged: {because}; run `ghosthand store check`")]
    Damaged { because: String },
    /// The store was closed while the call waited.
    #[error("the store is closed")]
    Closed,
}

impl From<BadName> for StoreFault {
    fn from(bad: BadName) -> Self {
        Self::Unusable { because: bad.to_string() }
    }
}

impl From<BadJson> for StoreFault {
    fn from(bad: BadJson) -> Self {
        Self::Unusable { because: bad.to_string() }
    }
}

/// The item that was too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizedItem {
    Value,
    List,
    LogRecord,
    Message,
    Reason,
}

impl fmt::Display for SizedItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SizedItem::Value => "the value",
            SizedItem::List => "the list",
            SizedItem::LogRecord => "the log record",
            SizedItem::Message => "the message",
            SizedItem::Reason => "the reason",
        })
    }
}

fn shown_revision(current: Option<Revision>) -> String {
    match current {
        Some(revision) => format!("it is at {revision}"),
        None => "it does not exist".to_owned(),
    }
}
