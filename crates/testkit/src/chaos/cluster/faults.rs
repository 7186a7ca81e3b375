//! The faults, one after the other, and the check after each that nothing is stuck.

mod answered;
mod kind;
mod scarce;

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::super::random::Random;
use super::super::{Run, pause};
use super::ClusterPlan;
use super::database::Database;
use super::nodes::{NODES, Nodes};
use crate::proxy::Cut;
pub use kind::FaultKind;

/// The longest life of the servers between two faults.
const LIFE_MAX: Duration = Duration::from_millis(900);
/// The longest time until a kill at a commit.
const COMMIT_TIME_MAX: Duration = Duration::from_secs(3);
/// How often a server is started again that the database does not let start.
const STARTS_MAX: u32 = 20;

/// How often each fault was tried, and what was found.
#[derive(Debug, Default)]
pub(super) struct FaultOutcome {
    pub tried: [u32; FaultKind::ALL.len()],
    /// By kind, with the text.
    pub findings: Vec<(FaultKind, String)>,
    pub impossible: Vec<(FaultKind, &'static str)>,
    pub kills: u32,
    /// The longest time until a new message was answered after a fault.
    pub answered_max: [Duration; FaultKind::ALL.len()],
}

pub(super) struct Faults<'a> {
    nodes: &'a Nodes,
    database: Database,
    run: &'a Run<'a>,
    random: Random,
    outcome: FaultOutcome,
    /// The conversation in which messages must be answered.
    path: Option<String>,
    messages: u32,
}

impl<'a> Faults<'a> {
    pub(super) fn new(
        nodes: &'a Nodes,
        database: Database,
        run: &'a Run<'a>,
        random: Random,
    ) -> Self {
        let (outcome, path, messages) = (FaultOutcome::default(), None, 0);
        Self { nodes, database, run, random, outcome, path, messages }
    }

    pub(super) fn into_outcome(self) -> FaultOutcome {
        self.outcome
    }

    /// Makes all faults of the plan; all servers are up in the end. A file says how far it is.
    pub(super) fn run(&mut self, plan: &ClusterPlan, progress: &Path) -> io::Result<()> {
        let schedule = self.schedule(plan);
        let (all, begun) = (schedule.len(), Instant::now());
        for (number, kind) in schedule.into_iter().enumerate() {
            if begun.elapsed() > plan.time_max {
                break;
            }
            let found = self.outcome.findings.len();
            fs::write(progress, format!("{number} of {all}: {}; {found} findings\n", kind.name()))?;
            self.run.tally.enter(kind.index());
            pause(self.random.up_to(LIFE_MAX));
            let faulted = Instant::now();
            self.fault(kind)?;
            self.outcome.tried[kind.index()] += 1;
            self.raise_all(kind)?;
            // Every fault but a kill is followed by a message; so is every fourth kill.
            if !kind.is_kill() || number % 4 == 0 {
                self.is_answered(kind);
                let longest = &mut self.outcome.answered_max[kind.index()];
                *longest = (*longest).max(faulted.elapsed());
            }
        }
        Ok(())
    }

    fn schedule(&mut self, plan: &ClusterPlan) -> Vec<FaultKind> {
        let mut kinds: Vec<FaultKind> = Vec::new();
        for round in 0..plan.rounds {
            kinds.extend(plan.faults.iter().filter(|kind| round == 0 || !kind.is_kill()));
        }
        let mut kills = kinds.iter().map(|kind| kind.kills()).sum::<u32>();
        while kills < plan.kills {
            let kind = match self.random.below(20) {
                0 => FaultKind::KillAll,
                number if number % 2 == 0 => FaultKind::KillNode,
                _ => FaultKind::KillAtCommit,
            };
            kills += kind.kills();
            kinds.push(kind);
        }
        for place in (1..kinds.len()).rev() {
            let other = self.random.below(u64::try_from(place + 1).unwrap_or(1));
            kinds.swap(place, usize::try_from(other).unwrap_or(0));
        }
        kinds
    }

    fn any_node(&mut self) -> usize {
        let number = self.random.below(u64::try_from(NODES).unwrap_or(1));
        usize::try_from(number).unwrap_or(0)
    }

    fn fault(&mut self, kind: FaultKind) -> io::Result<()> {
        let (number, rest) = (self.any_node(), self.random.up_to(Duration::from_millis(800)));
        let [one, other] = &self.nodes.node(number).proxies;
        let proxies = [one, other];
        match kind {
            FaultKind::KillNode => {
                // Some are killed again before they are ready.
                self.kill(kind, number)?;
                if self.random.one_in(8) {
                    let out = self.nodes.begin(number)?;
                    pause(self.random.up_to(Duration::from_millis(400)));
                    drop(self.nodes.kill(number)?);
                    drop(out);
                }
                pause(if self.random.one_in(3) { Duration::ZERO } else { rest });
            }
            FaultKind::KillAtCommit => {
                let is_before = self.random.one_in(2);
                let cut = if is_before { Cut::HeldBeforeCommit } else { Cut::HeldAfterCommit };
                let cuts = || proxies.iter().map(|proxy| proxy.cuts()).sum::<u32>();
                let (before, begun) = (cuts(), Instant::now());
                proxies.iter().for_each(|proxy| proxy.cut(cut));
                while cuts() == before && begun.elapsed() < COMMIT_TIME_MAX {
                    pause(Duration::from_millis(1));
                }
                self.kill(kind, number)?;
                proxies.iter().for_each(|proxy| proxy.cut(Cut::Nothing));
            }
            FaultKind::KillAll => (0..NODES).try_for_each(|number| self.kill(kind, number))?,
            FaultKind::Terminate => {
                let told = self.nodes.terminate(number)?;
                self.outcome.findings.extend(told.map(|told| (kind, told)));
            }
            FaultKind::Freeze => {
                self.nodes.signal(number, "-STOP");
                pause(Duration::from_secs(5) + self.random.up_to(Duration::from_secs(2)));
                self.nodes.signal(number, "-CONT");
            }
            FaultKind::Cut => {
                let time = self.random.up_to(Duration::from_secs(6));
                proxies.iter().for_each(|proxy| proxy.refuse(true));
                proxies.iter().for_each(|proxy| proxy.cut_all());
                pause(time);
                proxies.iter().for_each(|proxy| proxy.refuse(false));
            }
            FaultKind::Silent => {
                proxies.iter().for_each(|proxy| proxy.block(true));
                pause(Duration::from_secs(1) + self.random.up_to(Duration::from_secs(7)));
                proxies.iter().for_each(|proxy| proxy.block(false));
            }
            FaultKind::Slow => {
                let time =
                    Duration::from_millis(20) + self.random.up_to(Duration::from_millis(250));
                proxies.iter().for_each(|proxy| proxy.delay(time));
                pause(Duration::from_secs(4));
                proxies.iter().for_each(|proxy| proxy.delay(Duration::ZERO));
            }
            FaultKind::Failover => self.database.fail_over(rest)?,
            FaultKind::DatabaseCrash => self.database.crash(rest)?,
            FaultKind::PoolExhausted => {
                proxies.iter().for_each(|proxy| proxy.delay(Duration::from_millis(60)));
                self.exhaust(number);
                proxies.iter().for_each(|proxy| proxy.delay(Duration::ZERO));
            }
            FaultKind::NoConnections => self.take_connections()?,
            FaultKind::DiskFull if !self.database.has_own_disks => {
                let why = "needs the rights to mount a file system";
                self.outcome.impossible.push((kind, why));
            }
            FaultKind::DiskFull => self.database.fill(Duration::from_secs(3))?,
            FaultKind::ClockJump => {
                for hours in [1, -1, 0] {
                    self.database.sql(&jump(hours))?;
                    pause(self.random.up_to(Duration::from_secs(3)));
                }
            }
        }
        Ok(())
    }

    fn kill(&mut self, kind: FaultKind, number: usize) -> io::Result<()> {
        let told = self.nodes.kill(number)?;
        self.outcome.findings.extend(told.map(|told| (kind, told)));
        self.outcome.kills += 1;
        Ok(())
    }

    /// Starts every server that is down.
    fn raise_all(&mut self, kind: FaultKind) -> io::Result<()> {
        for number in (0..NODES).filter(|number| !self.nodes.is_up(*number)) {
            let mut tries = 1;
            while let Err(error) = self.nodes.come_up(number) {
                // A database that takes no connections lets no server start.
                if tries == STARTS_MAX {
                    return Err(error);
                }
                let told = format!("server {number} did not start: {error}");
                self.outcome.findings.push((kind, told));
                tries += 1;
                pause(Duration::from_secs(1));
            }
        }
        Ok(())
    }
}

/// A clock of the database that is wrong by some hours.
fn jump(hours: i64) -> String {
    let offset = hours * 3_600_000;
    format!(
        "create or replace function ghosthand.now_millis(given bigint) returns bigint \
         language sql volatile as $$ select coalesce(given, \
         floor(extract(epoch from clock_timestamp()) * 1000)::bigint + {offset}) $$"
    )
}
