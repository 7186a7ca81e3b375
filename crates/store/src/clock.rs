//! The clock of the store: expiry, delays and leases use no other.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A moment: milliseconds since 1970-01-01 UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The latest time that an engine can store: 2^53 ms, some 285,000 years.
    pub const MAX: Timestamp = Timestamp(1 << 53);

    pub fn from_millis(millis: u64) -> Self {
        Timestamp(millis.min(Self::MAX.0))
    }

    pub fn as_millis(self) -> u64 {
        self.0
    }

    /// The moment `span` later. Fractions of a millisecond are rounded up, so that nothing ends
    /// early; the result is at most [`Timestamp::MAX`].
    pub fn after(self, span: Duration) -> Self {
        let millis = u64::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }
}

/// The source of time. The clocks of processes that share a store should differ by less than
/// a fraction of their shortest lease. A clock that is set back extends lifetimes and leases;
/// revisions and sequences do not depend on it.
pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> Timestamp;
}

/// The system clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::default().after(since)
    }
}

/// A clock that the caller moves, for tests and replay.
#[derive(Debug)]
pub struct ManualClock {
    millis: AtomicU64,
}

impl ManualClock {
    pub fn at(now: Timestamp) -> Self {
        Self { millis: AtomicU64::new(now.as_millis()) }
    }

    pub fn advance(&self, span: Duration) {
        let later = self.now().after(span);
        self.millis.store(later.as_millis(), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis.load(Ordering::SeqCst))
    }
}
