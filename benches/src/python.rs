//! A trivial Python function: the overhead of the worker.
//!
//! In: one file with two functions. It runs in a sandboxed worker of the Python host; for
//! comparison, FastAPI serves the same functions over loopback to a minimal client, and FastMCP
//! in its own process, where nothing leaves the interpreter.

mod fastapi;
mod host;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hosts::python::find_python;

use crate::http::Connection;
use crate::measure::rounds::{Load, Round, Rounds};
use crate::measure::spread::Spread;
use crate::measure::table;
use crate::measure::{against, against_rate, row, times};
use crate::peers::{Peers, Python};
use fastapi::{AddLane, FastApi};
use host::{BenchHost, HostLane};

const ALONE_TARGET: Duration = Duration::from_micros(300);
const CROWD_RATE_TARGET: f64 = 5_000.0;
const START_TARGET: Duration = Duration::from_millis(150);

const ALONE: Load = Load { rounds: 7, lanes: 1, calls_per_lane: 1_000 };
const CROWD: Load = Load { rounds: 7, lanes: 64, calls_per_lane: 40 };
const STARTS: usize = 7;
const PEER_STARTS: usize = 3;
const WORKERS: usize = 15;
const WORKER_TARGET: Duration = Duration::from_millis(5);
const STREAMS: usize = 7;
const PIECES: usize = 1_000;
const PACKAGES: [&str; 3] = ["fastapi", "uvicorn[standard]", "fastmcp"];

/// The figures of our host.
struct Ours {
    start: Duration,
    alone: Round,
    crowd: Round,
    stream: Duration,
}

pub(crate) fn run() -> Result<()> {
    let python = match find_python(&[]) {
        Ok(python) => python,
        Err(because) => {
            row("Python host", "–", &because);
            return Ok(());
        }
    };
    let peers = Peers::open()?;
    let source = peers.script("python_add.py");
    let beside = peers.python("python", &PACKAGES);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let ours = by_host(&python, &source).await?;
        let Some(beside) = beside else {
            row("FastAPI and FastMCP", "–", "cannot be installed");
            return Ok(());
        };
        by_fastapi(&beside, &source, &ours).await?;
        by_fastmcp(&beside, &source, &ours)
    })
}

async fn by_host(python: &Path, source: &Path) -> Result<Ours> {
    let start = Spread::of(STARTS, async || {
        let host = BenchHost::new(python.to_owned(), source)?;
        let start = Instant::now();
        host.add(1).await?;
        Ok(start.elapsed())
    })
    .await?;
    start.row("Python host, start to first answer", &against(START_TARGET, start.least));
    let host = BenchHost::new(python.to_owned(), source)?;
    host.add(1).await?;
    let worker = Spread::of(WORKERS, async || timed(host.worker()).await).await?;
    worker.row("Python host, a new worker, ready", &against(WORKER_TARGET, worker.least));
    let bare = Spread::of(WORKERS, async || timed(bare(python)).await).await?;
    bare.row("python3 -c pass", &times(bare.least, worker.least));
    for own in host.own_memory_mb()? {
        row("Python host, a worker's own memory", &format!("{own:.1} MB"), "target 6 MB");
    }
    table::plain_heading();
    let lane = || HostLane { host: Arc::clone(&host), made: 0 };
    let alone = Rounds::run(ALONE, lane, async || {}).await?;
    table::plain("Python host", &alone, &against(ALONE_TARGET, alone.best()?.p50))?;
    let crowd = Rounds::run(CROWD, lane, async || {}).await?;
    let note = against_rate(CROWD_RATE_TARGET, crowd.best()?.calls_per_second());
    table::plain("Python host, 64 at once", &crowd, &note)?;
    let stream = Spread::of(STREAMS, async || timed(host.pieces(PIECES)).await).await?;
    stream.row("Python host, 1,000 pieces, each handed on", "");
    let (alone, crowd) = (alone.best()?, crowd.best()?);
    Ok(Ours { start: start.least, alone, crowd, stream: stream.least })
}

/// The cost of a Python process for each.
async fn bare(python: &Path) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the neighbour we measure beside")]
    let ended = std::process::Command::new(python).args(["-c", "pass"]).status()?;
    ensure!(ended.success(), "Python does not run");
    Ok(())
}

async fn by_fastapi(python: &Python, source: &Path, ours: &Ours) -> Result<()> {
    let start =
        Spread::of(PEER_STARTS, async || timed(FastApi::start(python, source)).await).await?;
    start.row("FastAPI, start to first answer", &times(start.least, ours.start));
    let server = FastApi::start(python, source).await?;
    table::plain_heading();
    let lane = || AddLane::at(server.address);
    let alone = Rounds::run(ALONE, lane, async || {}).await?;
    table::plain("FastAPI", &alone, &times(alone.best()?.p50, ours.alone.p50))?;
    let crowd = Rounds::run(CROWD, lane, async || {}).await?;
    let note = times(crowd.best()?.per_call(), ours.crowd.per_call());
    table::plain("FastAPI, 64 at once", &crowd, &note)?;
    let mut connection = Connection::open(server.address).await?;
    let stream =
        Spread::of(STREAMS, async || timed(fastapi::pieces(&mut connection, PIECES)).await).await?;
    stream.row("FastAPI, 1,000 pieces in one body", &times(stream.least, ours.stream));
    Ok(())
}

/// FastMCP measures itself: its client and server are in one process.
fn by_fastmcp(python: &Python, source: &Path, ours: &Ours) -> Result<()> {
    let mut starts = Vec::new();
    for _ in 0..PEER_STARTS {
        starts.push(fastmcp(python, source, Some("first"))?.0);
    }
    let start = Spread::among(starts)?;
    start.row("FastMCP, start to first answer", &times(start.least, ours.start));
    let (_, figures) = fastmcp(python, source, None)?;
    let &[alone, crowd, stream] = figures.as_slice() else {
        anyhow::bail!("FastMCP gives three figures, not {}", figures.len());
    };
    alone.row("FastMCP in process, p50 of a call", &times(alone.least, ours.alone.p50));
    let note = times(crowd.least, ours.crowd.per_call());
    crowd.row("FastMCP in process, time per call, 64 at once", &note);
    stream.row("FastMCP in process, 1,000 progress messages", &times(stream.least, ours.stream));
    Ok(())
}

/// The time to the first answer, and the figures after it.
fn fastmcp(python: &Python, source: &Path, only: Option<&str>) -> Result<(Duration, Vec<Spread>)> {
    let mut command = python.script("fastmcp_call.py");
    let start = Instant::now();
    let mut process = command.arg(source).args(only).stdout(Stdio::piped()).spawn()?;
    let mut output = BufReader::new(process.stdout.take().context("its output is piped")?);
    let mut text = String::new();
    output.read_line(&mut text)?;
    let answered = start.elapsed();
    ensure!(text.trim() == "answered", "FastMCP does not run: {text}");
    text.clear();
    output.read_to_string(&mut text)?;
    ensure!(process.wait()?.success(), "FastMCP failed");
    Ok((answered, text.lines().map(parse_seconds).collect::<Result<_>>()?))
}

/// The runs of one thing, in seconds.
fn parse_seconds(line: &str) -> Result<Spread> {
    let seconds = |text: &str| anyhow::Ok(Duration::from_secs_f64(text.parse()?));
    Spread::among(line.split_whitespace().map(seconds).collect::<Result<_>>()?)
}

async fn timed<T>(work: impl Future<Output = Result<T>>) -> Result<Duration> {
    let start = Instant::now();
    let _ended_later = work.await?;
    Ok(start.elapsed())
}
