//! One server: started, called round after round, and measured.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::call_lane::CallLane;
use super::server::Server;
use crate::measure::rounds::{Load, Round, Rounds};
use crate::measure::{cells, ms, per_second, time};

const STARTS: usize = 3;
const CALLERS: usize = 32;

/// Starts a server.
pub(crate) type Start = Box<dyn Fn() -> Result<Command>>;

/// The calls of a round.
#[derive(Clone, Copy)]
pub(crate) struct Calls {
    pub alone: usize,
    /// Of each of many concurrent callers.
    pub crowd_each: usize,
}

pub(crate) struct ServerRun {
    what: &'static str,
    tool: &'static str,
    calls: Calls,
    server: Server,
    /// From its start to its first list; the median of several.
    ready_after: Duration,
    alone: Vec<Round>,
    crowd: Vec<Round>,
    /// The CPU time of the concurrent calls.
    cpu: Duration,
}

/// The figures with many callers.
#[derive(Clone, Copy)]
pub(crate) struct ServerFigures {
    pub calls_per_second: f64,
    pub cpu_per_call: Duration,
}

impl ServerRun {
    pub(crate) async fn open(
        what: &'static str,
        tool: &'static str,
        calls: Calls,
        start: Start,
    ) -> Result<Self> {
        let mut starts = Vec::new();
        for _ in 0..STARTS {
            starts.push(Server::start(start()?).await?.ready_after);
        }
        starts.sort();
        let ready_after = starts.get(starts.len() / 2).copied().unwrap_or_default();
        let server = Server::start(start()?).await?;
        let (alone, crowd, cpu) = (Vec::new(), Vec::new(), Duration::ZERO);
        Ok(Self { what, tool, calls, server, ready_after, alone, crowd, cpu })
    }

    /// One round with one caller, one with many.
    pub(crate) async fn round(&mut self) -> Result<()> {
        let Calls { alone, crowd_each } = self.calls;
        let alone = Load { rounds: 1, lanes: 1, calls_per_lane: alone };
        let crowd = Load { rounds: 1, lanes: CALLERS, calls_per_lane: crowd_each };
        let lane = || CallLane::new(self.server.address, self.tool);
        self.alone.push(Rounds::run(alone, lane, async || {}).await?.best()?);
        let before = self.server.cpu_time()?;
        self.crowd.push(Rounds::run(crowd, lane, async || {}).await?.best()?);
        self.cpu += self.server.cpu_time()?.saturating_sub(before);
        Ok(())
    }

    /// The best of the rounds: noise only ever adds time.
    pub(crate) fn figures(&self) -> Result<ServerFigures> {
        let best = self.best()?;
        let calls: usize = self.crowd.iter().map(|round| round.calls).sum();
        let cpu_per_call = self.cpu.div_f64(calls as f64);
        Ok(ServerFigures { calls_per_second: best.calls_per_second(), cpu_per_call })
    }

    fn best(&self) -> Result<&Round> {
        self.crowd.iter().min_by_key(|round| round.answered).context("at least one round")
    }

    pub(crate) fn print(&self) -> Result<()> {
        let one = self.alone.iter().min_by_key(|round| round.p50).context("a round")?;
        let many = self.best()?;
        let figures = [
            time(one.p50),
            time(one.p99),
            per_second(many.calls_per_second()),
            time(many.p50),
            time(many.p99),
            time(self.figures()?.cpu_per_call),
            format!("{:.1} MB", self.server.memory_mb()?),
        ];
        cells(self.what, &figures, &ms(self.ready_after));
        Ok(())
    }
}
