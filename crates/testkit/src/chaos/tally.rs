//! Counts what was acknowledged during each kind of fault, and the longest waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The counts of all phases; a phase is one kind of fault.
pub(super) struct Tally {
    phase: AtomicUsize,
    counts: Mutex<Counts>,
}

struct Counts {
    phases: Vec<PhaseCounts>,
    last: Instant,
}

/// The counts of one phase.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PhaseCounts {
    pub acknowledged: u64,
    /// The longest time in which nothing at all was acknowledged.
    pub pause_max: Duration,
    /// The longest time that one client waited, with all its tries.
    pub wait_max: Duration,
}

impl Tally {
    pub(super) fn new(phases: usize) -> Self {
        let phases = vec![PhaseCounts::default(); phases];
        let counts = Mutex::new(Counts { phases, last: Instant::now() });
        Self { phase: AtomicUsize::new(0), counts }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn phase(&self) -> usize {
        self.phase.load(Ordering::SeqCst)
    }

    pub(super) fn enter(&self, phase: usize) {
        self.phase.store(phase, Ordering::SeqCst);
    }

    /// Something that began in this phase, at this time, was acknowledged.
    pub(super) fn acknowledged(&self, phase: usize, begun: Instant) {
        let mut counts = self.counts();
        let pause = counts.last.elapsed();
        counts.last = Instant::now();
        if let Some(counts) = counts.phases.get_mut(phase) {
            counts.acknowledged += 1;
            counts.pause_max = counts.pause_max.max(pause);
            counts.wait_max = counts.wait_max.max(begun.elapsed());
        }
    }

    pub(super) fn of(&self, phase: usize) -> PhaseCounts {
        self.counts().phases.get(phase).copied().unwrap_or_default()
    }
}
