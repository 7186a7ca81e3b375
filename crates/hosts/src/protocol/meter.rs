//! Counts a handler's service requests against its limits.
//!
//! Runs on both sides of the channel: in the child, so that a flooding handler ends at once, and
//! in the parent, because the child is untrusted.

use serde::{Deserialize, Serialize};

/// How much one call may request from services.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FloodLimits {
    pub calls_max: u32,
    /// Requests without an answer yet.
    pub calls_open_max: u32,
    /// The size of all arguments together.
    pub bytes_max: u64,
    pub chunks_max: u32,
    pub chunk_bytes_max: u64,
}

impl Default for FloodLimits {
    fn default() -> Self {
        Self {
            calls_max: 20_000,
            calls_open_max: 1_024,
            bytes_max: 64 << 20,
            chunks_max: 10_000,
            chunk_bytes_max: 4 << 20,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Meter {
    limits: FloodLimits,
    calls: u32,
    open: u32,
    bytes: u64,
    chunks: u32,
    chunk_bytes: u64,
}

impl Meter {
    pub(crate) fn new(limits: FloodLimits) -> Self {
        Self { limits, calls: 0, open: 0, bytes: 0, chunks: 0, chunk_bytes: 0 }
    }

    /// Counts one request; `n` is 0 if it expects no answer. The error names the limit.
    pub(crate) fn ask(&mut self, name: &str, n: u32, bytes: usize) -> Result<(), String> {
        let FloodLimits { calls_max, calls_open_max, bytes_max, chunks_max, chunk_bytes_max } =
            self.limits;
        let bytes = bytes as u64;
        self.calls += 1;
        self.open += u32::from(n != 0);
        self.bytes += bytes;
        if name == "chunk" {
            self.chunks += 1;
            self.chunk_bytes += bytes;
        }
        let over = [
            (u64::from(self.calls), u64::from(calls_max), "service calls"),
            (u64::from(self.open), u64::from(calls_open_max), "service calls at once"),
            (self.bytes, bytes_max, "bytes sent to services"),
            (u64::from(self.chunks), u64::from(chunks_max), "chunks"),
            (self.chunk_bytes, chunk_bytes_max, "bytes of chunks"),
        ];
        match over.into_iter().find(|(count, max, _)| count > max) {
            Some((_, max, what)) => Err(format!("{max} {what}")),
            None => Ok(()),
        }
    }

    pub(crate) fn answered(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    pub(crate) fn open(&self) -> u32 {
        self.open
    }
}

#[cfg(test)]
mod tests;
