//! Limits of requests and responses in time and bytes.

use std::time::Duration;

/// Limits of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub connect_time_max: Duration,
    /// The longest time without data, before and during the answer.
    pub idle_time_max: Duration,
    /// From the request to the end of the answer, including retries.
    pub total_time_max: Duration,
    /// Attempts after the first.
    pub retries_max: u32,
    pub request_bytes_max: usize,
    /// One event of a stream.
    pub frame_bytes_max: usize,
    pub reply_bytes_max: usize,
    /// How much of an error's body is read.
    pub fault_bytes_max: usize,
    /// All results of a batch.
    pub batch_bytes_max: usize,
}

impl Limits {
    /// The time limits of the official clients, and sizes beyond any real answer.
    pub const fn usual() -> Self {
        Self {
            connect_time_max: Duration::from_secs(10),
            idle_time_max: Duration::from_secs(300),
            total_time_max: Duration::from_secs(1_200),
            retries_max: 2,
            request_bytes_max: 32 << 20,
            frame_bytes_max: 16 << 20,
            reply_bytes_max: 64 << 20,
            fault_bytes_max: 64 << 10,
            batch_bytes_max: 512 << 20,
        }
    }
}
