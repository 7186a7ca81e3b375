//! The progress of a run.

use models::Cost;
use serde::Serialize;

use super::event::Spent;
use super::snapshot::Snapshot;
use super::state::{RunState, SentenceState};

/// One moment of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Progress {
    pub state: RunState,
    pub stage: Stage,
    pub sentences: usize,
    pub received: usize,
    pub skipped: usize,
    pub holes: usize,
    pub waiting: usize,
    /// Sentences in requests that are under way.
    pub in_flight: usize,
    pub spent: Spent,
    /// How long this process has worked on it.
    pub elapsed_ms: u64,
    /// The estimated time left; none while it is unknown.
    pub left_ms: Option<u64>,
}

/// The current activity. A batch has no percentage: its provider reports none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "stage", rename_all = "snake_case")]
pub enum Stage {
    Idle,
    Working,
    BatchSending,
    BatchWaiting {
        id: String,
        /// Milliseconds since 1970.
        since: u64,
    },
    BatchReading,
    Ended,
}

impl Progress {
    pub fn done(&self) -> usize {
        self.received + self.skipped
    }

    pub fn cost(&self) -> Option<Cost> {
        cost_of(&self.spent)
    }
}

/// What was paid; none where no price is known.
pub fn cost_of(spent: &Spent) -> Option<Cost> {
    spent.picodollars.map(|pico| Cost { picodollars: u128::from(pico) })
}

/// Where this process started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkStart {
    pub at: u64,
    pub settled: usize,
}

impl Progress {
    pub(crate) fn of(snapshot: &Snapshot, stage: Stage) -> Self {
        let machine = &snapshot.machine;
        Self {
            state: machine.state(),
            stage,
            sentences: machine.sentences().len(),
            received: machine.count(SentenceState::Received),
            skipped: machine.count(SentenceState::Skipped),
            holes: machine.count(SentenceState::Invalid),
            waiting: machine.waiting(),
            in_flight: 0,
            spent: snapshot.spent,
            elapsed_ms: 0,
            left_ms: None,
        }
    }

    /// With the elapsed time and an estimate of the rest.
    pub(crate) fn timed(mut self, start: WorkStart, now: u64) -> Self {
        self.elapsed_ms = now.saturating_sub(start.at);
        let settled = (self.received + self.holes + self.skipped).saturating_sub(start.settled);
        let long_enough = self.elapsed_ms >= 1_000;
        if settled > 0 && long_enough && self.stage == Stage::Working {
            let each = self.elapsed_ms / settled as u64;
            self.left_ms = Some(each.saturating_mul(self.waiting as u64));
        }
        self
    }
}
