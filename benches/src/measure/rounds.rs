//! Rounds of calls: parallel lanes, with sequential calls in each lane.

use std::future::Future;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::task::JoinSet;

/// Makes sequential calls.
pub(crate) trait Lane: Send + 'static {
    /// Makes one call; fails unless the answer is right.
    fn call(&mut self) -> impl Future<Output = Result<()>> + Send;
}

/// How many rounds there are, and what each holds.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub rounds: usize,
    pub lanes: usize,
    pub calls_per_lane: usize,
}

impl Load {
    fn calls(&self) -> usize {
        self.lanes * self.calls_per_lane
    }

    pub(crate) fn all_calls(&self) -> usize {
        self.rounds * self.calls()
    }
}

/// What one round took.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    pub p50: Duration,
    pub p99: Duration,
    /// From the first call to the last answer.
    pub answered: Duration,
    /// Until the background writes are done too.
    pub kept: Duration,
    pub calls: usize,
}

impl Round {
    /// The time of the round divided by its calls.
    pub(crate) fn per_call(&self) -> Duration {
        self.answered.div_f64(self.calls as f64)
    }

    pub(crate) fn calls_per_second(&self) -> f64 {
        self.calls as f64 / self.answered.as_secs_f64()
    }

    pub(crate) fn kept_per_second(&self) -> f64 {
        self.calls as f64 / self.kept.as_secs_f64()
    }
}

/// All rounds of one load, the fastest first.
pub(crate) struct Rounds(Vec<Round>);

impl Rounds {
    /// Runs the rounds. `lane` makes a new lane, `keep` waits for background writes.
    pub(crate) async fn run<L: Lane>(
        load: Load,
        lane: impl Fn() -> L,
        keep: impl AsyncFn(),
    ) -> Result<Self> {
        let mut rounds = Vec::new();
        for _ in 0..load.rounds {
            let lanes: Vec<L> = (0..load.lanes).map(|_| lane()).collect();
            let start = Instant::now();
            let mut times = drive(lanes, load).await?;
            let answered = start.elapsed();
            keep().await;
            let kept = start.elapsed();
            times.sort_unstable();
            let (p50, p99) = (part(&times, 50)?, part(&times, 99)?);
            rounds.push(Round { p50, p99, answered, kept, calls: load.calls() });
        }
        rounds.sort_unstable_by_key(|round| round.answered);
        Ok(Self(rounds))
    }

    /// The fastest: noise only ever adds time.
    pub(crate) fn best(&self) -> Result<Round> {
        self.0.first().copied().context("at least one round")
    }

    /// The least and the most of a time over all rounds.
    pub(crate) fn spread(&self, time: impl Fn(&Round) -> Duration) -> Result<[Duration; 2]> {
        let times = || self.0.iter().map(&time);
        let least = times().min().context("at least one round")?;
        Ok([least, times().max().unwrap_or(least)])
    }
}

async fn drive<L: Lane>(lanes: Vec<L>, load: Load) -> Result<Vec<Duration>> {
    let mut running = JoinSet::new();
    for mut lane in lanes {
        running.spawn(async move {
            let mut times = Vec::with_capacity(load.calls_per_lane);
            for _ in 0..load.calls_per_lane {
                let start = Instant::now();
                lane.call().await?;
                times.push(start.elapsed());
            }
            anyhow::Ok(times)
        });
    }
    let mut times = Vec::new();
    while let Some(lane) = running.join_next().await {
        times.append(&mut lane??);
    }
    Ok(times)
}

/// A percentile of the call times.
fn part(sorted: &[Duration], percent: usize) -> Result<Duration> {
    let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().context("at least one call")
}
