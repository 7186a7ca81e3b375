//! The child that runs JavaScript handlers, many at once, each in a state of its own.
//!
//! Its [`threads`] take turns: one reads the channel, the others run slices of handlers, from
//! one await to the next. It holds no file, no socket and no right of its own; everything a
//! handler reaches is a question to the parent.
//!
//! Ends when the channel ends. Start reading at [`hub::Hub`], then [`isolate::Isolate`].

mod bridge;
mod check;
mod compile;
mod desk;
mod hub;
mod isolate;
mod names;
mod place;
mod prelude;
mod threads;
mod to_json;
mod watch;

use std::fs::File;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::meter::Flood;

/// The largest message in either direction.
pub(crate) const FRAME_BYTES_MAX: usize = 16 << 20;
/// The deepest JSON that is passed on; less than what `serde_json` reads.
pub(crate) const JSON_DEPTH_MAX: usize = 100;

/// What a worker gives to each call, and how many threads and spares it keeps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerLimits {
    pub heap_bytes_max: usize,
    pub stack_bytes_max: usize,
    /// By the clock of the thread: waiting does not count.
    pub cpu_ms_max: u64,
    pub result_bytes_max: usize,
    pub timers_max: usize,
    pub flood: Flood,
    /// States prepared ahead while there is nothing else to do.
    pub spares: usize,
    pub threads: usize,
    /// Threads are added up to this number while all of them are stuck in long slices.
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
            flood: Flood::default(),
            spares: 32,
            threads: 2,
            threads_max: 32,
        }
    }
}

/// Works until the channel ends.
pub(crate) fn work(channel: File, limits: WorkerLimits) -> io::Result<()> {
    // A thread that panics leaves calls without an end; a dead child has ends for all.
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(io::stderr(), "{panic}");
        std::process::abort();
    }));
    threads::work(&hub::Hub::new(channel, limits))
}
