//! The time limits of one call: wall clock and thread CPU time.
//!
//! Checked by the engine's interrupt handler inside loops, and between jobs, because a flood of
//! promises never reaches a loop. The engine's native functions check nothing; a call that is
//! stuck in one is ended by the parent, together with the child.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Which limit was exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Time,
    Cpu,
}

#[derive(Debug)]
pub(crate) struct Deadline {
    born: Instant,
    /// Microseconds after `born`.
    deadline: AtomicU64,
    cpu_max: u64,
    /// Thread time of finished slices, in microseconds.
    cpu_spent: AtomicU64,
    /// The thread clock when the slice began.
    slice_start: AtomicU64,
}

impl Deadline {
    pub(crate) fn new(time: Duration, cpu_ms_max: u64) -> Self {
        Self {
            born: Instant::now(),
            deadline: AtomicU64::new(micros(time)),
            cpu_max: cpu_ms_max.saturating_mul(1_000),
            cpu_spent: AtomicU64::new(0),
            slice_start: AtomicU64::new(0),
        }
    }

    /// Moves the deadline closer, never further away.
    pub(crate) fn shorten(&self, grace: Duration) {
        self.deadline.fetch_min(micros(self.born.elapsed() + grace), Relaxed);
    }

    pub(crate) fn enter_slice(&self) {
        self.slice_start.store(thread_clock(), Relaxed);
    }

    pub(crate) fn leave_slice(&self) {
        self.cpu_spent.fetch_add(self.in_slice(), Relaxed);
        self.slice_start.store(thread_clock(), Relaxed);
    }

    pub(crate) fn over(&self) -> Option<Exceeded> {
        if micros(self.born.elapsed()) >= self.deadline.load(Relaxed) {
            return Some(Exceeded::Time);
        }
        let cpu = self.cpu_spent.load(Relaxed) + self.in_slice();
        (cpu >= self.cpu_max).then_some(Exceeded::Cpu)
    }

    fn in_slice(&self) -> u64 {
        thread_clock().saturating_sub(self.slice_start.load(Relaxed))
    }
}

fn thread_clock() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec.unsigned_abs() * 1_000_000 + now.tv_nsec.unsigned_abs() / 1_000
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
