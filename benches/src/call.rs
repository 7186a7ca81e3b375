//! Calls of trivial tools: the overhead from call to outcome.
//!
//! Every call is checked, decided, recorded and, if its tool writes, entered in the ledger, by an
//! engine with a store on disk. For comparison, the same handler runs in a Node worker that does
//! none of this, and in a Node process per call.

pub(crate) mod engine;
mod host;
mod node;
pub(crate) mod tools;

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::measure::rounds::{Load, Round, Rounds};
use crate::measure::table;
use crate::measure::{against, against_rate, forget_peak_memory, ms, peak_memory_mb, row, times};
use engine::{BenchEngine, Caller, target_folder};
use host::HostLane;
use node::{SpawnLane, Worker, WorkerLane};
use tools::{ADD_HANDLER, ADD_NATIVE, ADD_SCRIPT, NOTE_NATIVE, WAIT_HANDLER, WAIT_SCRIPT};

const NATIVE_TARGET: Duration = Duration::from_micros(20);
const SCRIPT_TARGET: Duration = Duration::from_micros(200);
const SCRIPT_RATE_TARGET: f64 = 5_000.0;
const WAIT_TARGET: Duration = Duration::from_millis(250);

const ALONE: Load = Load { rounds: 5, lanes: 1, calls_per_lane: 2_000 };
const CROWD: Load = Load { rounds: 5, lanes: 64, calls_per_lane: 40 };
const WAITERS: Load = Load { rounds: 5, lanes: 1_000, calls_per_lane: 1 };
const WRITER: Load = Load { rounds: 3, lanes: 1, calls_per_lane: 200 };
const WRITERS: Load = Load { rounds: 3, lanes: 64, calls_per_lane: 20 };
/// Few, because a process takes long to start.
const SPAWNED: Load = Load { rounds: 2, lanes: 1, calls_per_lane: 10 };
const SPAWNED_CROWD: Load = Load { rounds: 1, lanes: 64, calls_per_lane: 1 };

pub(crate) fn run() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        pure().await?;
        waiting().await?;
        writing().await
    })
}

/// Tools without effects: native and JavaScript, one at a time and 64 at once.
async fn pure() -> Result<()> {
    let bench = BenchEngine::open(&target_folder()?).await?;
    table::heading();
    let native = ours(&bench, ADD_NATIVE, ALONE).await?;
    table::ours("native", &native, &against(NATIVE_TARGET, native.best()?.p50))?;
    let native = ours(&bench, ADD_NATIVE, CROWD).await?;
    table::ours("native, 64 at once", &native, "")?;
    let alone = ours(&bench, ADD_SCRIPT, ALONE).await?;
    let note = against(SCRIPT_TARGET, alone.best()?.p50);
    table::ours("JavaScript, fresh state", &alone, &note)?;
    let crowd = ours(&bench, ADD_SCRIPT, CROWD).await?;
    let note = against_rate(SCRIPT_RATE_TARGET, crowd.best()?.calls_per_second());
    table::ours("JavaScript, fresh state, 64 at once", &crowd, &note)?;
    host_alone(&bench, &alone.best()?, &crowd.best()?).await?;
    pure_by_node(&bench, &alone.best()?, &crowd.best()?).await
}

/// The host alone: no checks, decisions or records.
async fn host_alone(bench: &BenchEngine, alone: &Round, crowd: &Round) -> Result<()> {
    let lane = || HostLane::of(bench, ADD_HANDLER);
    let found = Rounds::run(ALONE, lane, async || {}).await?;
    let note = times(found.best()?.p50, alone.p50);
    table::theirs("  of this the JavaScript host", &found, &note)?;
    let found = Rounds::run(CROWD, lane, async || {}).await?;
    let note = times(found.best()?.per_call(), crowd.per_call());
    table::theirs("  of this the JavaScript host, 64 at once", &found, &note)
}

async fn pure_by_node(bench: &BenchEngine, alone: &Round, crowd: &Round) -> Result<()> {
    let Some(worker) = node_worker(bench).await else {
        row("Node", "–", "not installed");
        return Ok(());
    };
    let found = by_worker(&worker, ADD_HANDLER, ALONE).await?;
    let note = times(found.best()?.p50, alone.p50);
    table::theirs("Node worker, shared state", &found, &note)?;
    let found = by_worker(&worker, ADD_HANDLER, CROWD).await?;
    let note = times(found.best()?.per_call(), crowd.per_call());
    table::theirs("Node worker, shared state, 64 at once", &found, &note)?;
    drop(worker);
    let handler = bench.tools_dir().join(ADD_HANDLER);
    let spawn = || SpawnLane { handler: handler.clone(), made: 0 };
    let found = Rounds::run(SPAWNED, spawn, async || {}).await?;
    let note = times(found.best()?.p50, alone.p50);
    table::theirs("Node process per call", &found, &note)?;
    let found = Rounds::run(SPAWNED_CROWD, spawn, async || {}).await?;
    let note = times(found.best()?.per_call(), crowd.per_call());
    table::theirs("Node process per call, 64 at once", &found, &note)
}

/// A thousand calls at once, each of which waits for a timer.
async fn waiting() -> Result<()> {
    let bench = BenchEngine::open(&target_folder()?).await?;
    forget_peak_memory();
    let before = memory_mb(&bench);
    let found = ours(&bench, WAIT_SCRIPT, WAITERS).await?;
    let took = found.best()?.answered;
    let note = format!("{}; {}", against(WAIT_TARGET, took), table::spread_of_all(&found)?);
    row("1,000 at once that wait 10 ms, JavaScript", &ms(took), &note);
    if let (Some((program, children)), Some((program_idle, children_idle))) =
        (memory_mb(&bench), before)
    {
        let note = format!(
            "program {program} MB, children {children} MB; before {program_idle} and {children_idle}"
        );
        row("  most memory of program and children", &format!("{} MB", program + children), &note);
    }
    let Some(worker) = node_worker(&bench).await else { return Ok(()) };
    let found = by_worker(&worker, WAIT_HANDLER, WAITERS).await?;
    let node = found.best()?.answered;
    row("the same in a Node worker, shared state", &ms(node), &times(node, took));
    if let Some(memory) = peak_memory_mb(worker.pid()) {
        row("  most memory of the worker", &format!("{memory} MB"), "");
    }
    Ok(())
}

/// The peak memory of the program and its children.
fn memory_mb(bench: &BenchEngine) -> Option<(u64, u64)> {
    let program = peak_memory_mb(std::process::id())?;
    let children = bench.javascript.child_pids().into_iter().filter_map(peak_memory_mb).sum();
    Some((program, children))
}

/// A tool that writes: in the ledger on disk before it starts and after it ends.
async fn writing() -> Result<()> {
    let bench = BenchEngine::open(&target_folder()?).await?;
    table::heading();
    let alone = ours(&bench, NOTE_NATIVE, WRITER).await?;
    table::ours("native write, ledger", &alone, "")?;
    let crowd = ours(&bench, NOTE_NATIVE, WRITERS).await?;
    table::ours("native write, ledger, 64 at once", &crowd, "")?;
    let calls = WRITER.all_calls() + WRITERS.all_calls();
    ensure!(bench.lines_written()? == calls, "every write happened once");
    ensure!(bench.engine.ledger().await?.len() == calls, "every write is in the ledger");
    let Some(worker) = node_worker(&bench).await else { return Ok(()) };
    let found = by_worker(&worker, "note", WRITER).await?;
    let note = times(found.best()?.p50, alone.best()?.p50);
    table::theirs("Node worker, append and fdatasync, no ledger", &found, &note)?;
    let found = by_worker(&worker, "note", WRITERS).await?;
    let note = times(found.best()?.per_call(), crowd.best()?.per_call());
    table::theirs("Node worker, the same, 64 at once", &found, &note)
}

/// Rounds with the engine; the audit must have a line for each call.
async fn ours(bench: &BenchEngine, tool: &'static str, load: Load) -> Result<Rounds> {
    let lane = || Caller::of(&bench.engine, tool);
    let found = Rounds::run(load, lane, async || bench.engine.flush().await).await?;
    let audit = bench.engine.audit(load.all_calls()).await?;
    let good = audit
        .iter()
        .filter(|line| line.tool == tool && line.ok && line.verdict == policy::VerdictKind::Run);
    ensure!(good.count() == load.all_calls(), "every call of {tool} is in the audit");
    Ok(found)
}

async fn by_worker(worker: &Arc<Worker>, handler: &'static str, load: Load) -> Result<Rounds> {
    let lane = || WorkerLane { worker: Arc::clone(worker), handler, made: 0 };
    Rounds::run(load, lane, async || {}).await
}

async fn node_worker(bench: &BenchEngine) -> Option<Arc<Worker>> {
    Worker::start(&bench.tools_dir(), &bench.folder().join("node-notes.txt")).await
}
