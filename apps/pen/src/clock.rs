//! The time as profiles and posts write it: UTC, whole seconds.

use jiff::Timestamp;

/// The current time, read at the edge and passed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Now(Timestamp);

impl Now {
    /// Reads the clock.
    pub fn read() -> Self {
        Now(Timestamp::now())
    }

    pub fn at(timestamp: Timestamp) -> Self {
        Now(timestamp)
    }

    pub fn time(self) -> Timestamp {
        self.0
    }

    /// `2026-02-08T14:30:00Z`
    pub fn iso(self) -> String {
        self.0.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    /// `2026-02-08`
    pub fn date(self) -> String {
        self.0.strftime("%Y-%m-%d").to_string()
    }

    /// `2026-02-08-143000`, for the names of files.
    pub fn stamp(self) -> String {
        self.0.strftime("%Y-%m-%d-%H%M%S").to_string()
    }
}

/// The date, read from the clock.
pub fn today() -> String {
    Now::read().date()
}
