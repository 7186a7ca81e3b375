//! The child that runs JavaScript handlers, many at once, each in its own isolate.
//!
//! Its [`threads`] take turns: one reads the channel, the others run slices of handlers, from one
//! await to the next. It has no files, sockets or privileges; everything a handler reaches is a
//! request to the parent.
//!
//! Ends when the channel ends. Start at [`scheduler::Scheduler`], then [`isolate::Isolate`].

mod bridge;
mod call_state;
mod check;
mod compile;
mod deadline;
mod error_location;
mod isolate;
mod module_loader;
mod prelude;
mod scheduler;
mod threads;
mod to_json;
mod web_globals;

use std::fs::File;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::protocol::meter::FloodLimits;

/// The largest message in either direction.
pub(crate) const FRAME_BYTES_MAX: usize = 16 << 20;
/// The deepest JSON that is passed on; below the limit of `serde_json`.
pub(crate) const JSON_DEPTH_MAX: usize = 100;

/// Limits of each call, and the number of threads and spare isolates.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerLimits {
    pub heap_bytes_max: usize,
    pub stack_bytes_max: usize,
    /// Thread CPU time; waiting does not count.
    pub cpu_ms_max: u64,
    pub result_bytes_max: usize,
    pub timers_max: usize,
    pub flood: FloodLimits,
    /// Isolates that are prepared while idle.
    pub spares: usize,
    pub threads: usize,
    /// Threads are added up to this number while all are busy with long slices.
    pub threads_max: usize,
}

impl Default for WorkerLimits {
    fn default() -> Self {
        Self {
            heap_bytes_max: 64 << 20,
            stack_bytes_max: 512 << 10,
            cpu_ms_max: 30_000,
            result_bytes_max: 1 << 20,
            timers_max: 1_000,
            flood: FloodLimits::default(),
            spares: 32,
            threads: 2,
            threads_max: 32,
        }
    }
}

/// Runs until the channel ends.
pub(crate) fn work(channel: File, limits: WorkerLimits) -> io::Result<()> {
    // A panicking thread would leave calls without an end; the parent ends all calls of a dead
    // child.
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "{panic}");
        std::process::abort();
    }));
    threads::work(&scheduler::Scheduler::new(channel, limits))
}
