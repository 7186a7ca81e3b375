//! Size limits of a store. Names have their limits in their types (`name.rs`).

use std::time::Duration;

use crate::fault::{SizedItem, StoreFault};
use crate::json::Json;

/// The limits of a store. No `Default`: callers choose explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub value_bytes_max: usize,
    pub list_items_max: usize,
    pub log_record_bytes_max: usize,
    pub message_bytes_max: usize,
    /// The reason of a nack; stored with the dead letter.
    pub reason_bytes_max: usize,
    /// A page never has more items; a larger request is reduced to this.
    pub page_items_max: usize,
    /// A page ends after the item that reaches this; it always has at least one.
    pub page_bytes_max: usize,
    /// Leases, delays and lifetimes are reduced to this.
    pub span_max: Duration,
    /// The total size of waiting writes, each counted as at least a kilobyte; further writes wait
    /// until others are done.
    pub writes_waiting_bytes_max: usize,
}

impl Limits {
    /// What every engine supports. A megabyte is the default message size of a broker, headers
    /// included.
    pub const PORTABLE: Limits = Limits {
        value_bytes_max: 1_000_000,
        list_items_max: 10_000,
        log_record_bytes_max: 1_000_000,
        message_bytes_max: 1_000_000,
        reason_bytes_max: 2_000,
        page_items_max: 1_000,
        page_bytes_max: 8_000_000,
        span_max: Duration::from_secs(10 * 365 * 24 * 60 * 60),
        writes_waiting_bytes_max: 64_000_000,
    };

    /// Whether a value is small enough; the same below for the other items. For engines.
    pub fn check_value(&self, value: &Json) -> Result<(), StoreFault> {
        check(SizedItem::Value, value.as_str().len(), self.value_bytes_max)
    }

    pub fn check_record(&self, body: &Json) -> Result<(), StoreFault> {
        check(SizedItem::LogRecord, body.as_str().len(), self.log_record_bytes_max)
    }

    pub fn check_message(&self, body: &Json) -> Result<(), StoreFault> {
        check(SizedItem::Message, body.as_str().len(), self.message_bytes_max)
    }

    pub fn check_reason(&self, reason: &str) -> Result<(), StoreFault> {
        check(SizedItem::Reason, reason.len(), self.reason_bytes_max)
    }

    /// How many items a page may have if so many were asked for.
    pub fn page_items(&self, wanted: usize) -> usize {
        wanted.clamp(1, self.page_items_max.max(1))
    }

    /// How long a lease, a delay or a lifetime may be if so long was asked for.
    pub fn span(&self, wanted: Duration) -> Duration {
        wanted.min(self.span_max)
    }
}

pub(crate) fn check(what: SizedItem, size: usize, max: usize) -> Result<(), StoreFault> {
    match size <= max {
        true => Ok(()),
        false => Err(StoreFault::TooLarge { what, size, max }),
    }
}
