//! Three real servers on a real PostgreSQL with a synchronous standby, and every fault on purpose.
//!
//! In: the program, an empty folder, a [`ClusterPlan`], and how a store is opened. Out: a
//! [`ClusterReport`] with a line for each kind of fault. The clients are those of the trial of one
//! server; here they meet any of three. Further ones talk in one conversation for long while its
//! stream is followed over all servers ([`talks`]), and use the store itself ([`store_clients`]).
//!
//! Must hold: which fault comes when, and to whom, comes from the seed alone; every wait has a limit.

mod database;
mod nodes;
mod table;

mod faults;

mod sse;
mod store_clients;
mod talks;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use store::{BoxFuture, Store};

use super::far_sides::FarSides;
use super::random::Random;
use super::{Plan, Report, Run, joined};
use database::Database;
pub use faults::FaultKind;
use faults::Faults;
use nodes::Nodes;
pub use table::ClusterReport;

/// Opens a store in PostgreSQL, by its address.
pub type OpenStore<'a> =
    &'a (dyn Fn(String) -> BoxFuture<'static, Result<Arc<dyn Store>, String>> + Sync);

/// The size of a run.
#[derive(Debug, Clone)]
pub struct ClusterPlan {
    /// How often a server is killed.
    pub kills: u32,
    /// How often each of `faults` happens besides.
    pub rounds: u32,
    pub faults: Vec<FaultKind>,
    pub seed: u64,
    /// No fault begins after this; the table says how many there were.
    pub time_max: Duration,
}

impl ClusterPlan {
    /// All faults, the others once for every 80 kills.
    pub fn new(kills: u32, seed: u64) -> Self {
        let rounds = kills.div_ceil(80).max(1);
        Self { kills, rounds, faults: FaultKind::others().to_vec(), seed, time_max: Duration::MAX }
    }
}

/// How many conversations are followed over all servers.
const TALKERS: u32 = 2;

/// Runs everything; an error is one of the test itself, not a finding.
pub fn run(
    program: &Path,
    folder: &Path,
    plan: &ClusterPlan,
    open: OpenStore<'_>,
) -> io::Result<ClusterReport> {
    let far_sides = FarSides::start(plan.seed)?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build()?;
    let database = Database::start()?;
    let nodes = Nodes::start(program, folder, &far_sides, &database, &runtime)?;
    let opened = runtime.block_on(open(database.address()));
    let store = opened.map_err(io::Error::other)?;
    let run = Run::new(&nodes, far_sides, FaultKind::ALL.len());
    let mut clients = Plan::new(plan.kills, plan.seed);
    clients.writers = 6;
    clients.chatters = 3;
    let mut report = Report::new(&clients);
    let mut faults = Faults::new(&nodes, database, &run, Random::new(plan.seed));
    let (talks, stored) = std::thread::scope(|threads| -> io::Result<_> {
        let run = &run;
        let talkers: Vec<_> = (0..TALKERS)
            .map(|number| threads.spawn(move || talks::drive(run, number, plan.seed)))
            .collect();
        let stored = threads.spawn(|| runtime.block_on(store_clients::drive(run, store)));
        run.drive(&clients, &mut report, || faults.run(plan, &folder.join("progress")))?;
        let talks = talkers.into_iter().map(joined).collect::<io::Result<Vec<_>>>()?;
        Ok((talks, joined(stored)?))
    })?;
    report.phases = talks.iter().flat_map(|talk| talk.phases.clone()).collect();
    report.weigh(&run);
    let told = ClusterReport::new(plan, &run, report, faults.into_outcome(), talks, stored);
    nodes.end();
    runtime.shutdown_background();
    Ok(told)
}
