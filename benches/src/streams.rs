//! Many readers of a few conversations: the latency of a chunk from its handler to each of them.
//!
//! A thousand streams are open, ten of each conversation. In every conversation a turn runs
//! whose tool reports the time repeatedly; readers compare it with their own clock. Then a key
//! changes, and every reader gets the change. Ours checks, decides and writes each turn to a
//! store on disk; FastAPI sends the same times to the same readers from memory.

mod readers;
mod ticker;

use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use hosts::NativeContext;
use serde_json::json;

use crate::measure::spread::Spread;
use crate::measure::{peak_memory_mb, row, time, times};
use crate::peers::Peers;
use crate::server_process::Running;
use readers::{Crowd, Heard};

/// The argument that makes this program the server.
pub(crate) const SERVER_ALONE: &str = "streams-server";

const TALKS: usize = 100;
const READERS_OF_EACH: usize = 10;
const TICKS: u64 = 30;
const TICK_EVERY_MS: u64 = 100;
const CHANGES: usize = 15;
const PACKAGES: [&str; 2] = ["fastapi", "uvicorn[standard]"];

pub(crate) fn run() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        #[expect(clippy::disallowed_methods, reason = "this very program, once more")]
        let mut command = Command::new(std::env::current_exe()?);
        let ours = measured("ghosthand", command.arg(SERVER_ALONE)).await?;
        ours.print("ghosthand serve", None);
        let Some(python) = Peers::open()?.python("streams", &PACKAGES) else {
            row("FastAPI", "–", "cannot be installed");
            return Ok(());
        };
        let mut command = python.script("fastapi_streams.py");
        let theirs =
            measured("FastAPI", command.args([TICKS, TICK_EVERY_MS].map(|n| n.to_string())));
        theirs.await?.print("FastAPI", Some(&ours));
        Ok(())
    })
}

/// The server process: prints its port and serves until it is killed.
pub(crate) fn server_alone() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(ticker::serve())
}

/// The figures of one server.
struct Found {
    chunks: Heard,
    change: Spread,
    memory_mb: u64,
    memory_idle_mb: u64,
}

impl Found {
    fn print(&self, name: &str, ours: Option<&Self>) {
        let Self { chunks, change, memory_mb, memory_idle_mb } = self;
        let beside = |ours: Option<Duration>, theirs| ours.map(|ours| times(theirs, ours));
        let note = beside(ours.map(|ours| ours.chunks.middle), chunks.middle);
        let all = format!("{} chunks to {} readers", chunks.count, TALKS * READERS_OF_EACH);
        row(
            &format!("{name}, a chunk to a reader, p50"),
            &time(chunks.middle),
            &note.unwrap_or(all),
        );
        let note = beside(ours.map(|ours| ours.chunks.p99), chunks.p99);
        row("  p99", &time(chunks.p99), &note.unwrap_or_default());
        let note = beside(ours.map(|ours| ours.change.least), change.least);
        change.row("  a changed key to every reader", &note.unwrap_or_default());
        let note = format!("{memory_idle_mb} MB before the first reader");
        row("  most memory resident", &format!("{memory_mb} MB"), &note);
    }
}

async fn measured(name: &str, command: &mut Command) -> Result<Found> {
    let server = Running::start(command).with_context(|| format!("{name} does not start"))?;
    let memory = || peak_memory_mb(server.id()).context("the memory can be read");
    let memory_idle_mb = memory()?;
    let mut crowd = Crowd::gather(server.address, TALKS, READERS_OF_EACH).await?;
    let chunks = crowd.hear_turns(usize::try_from(TICKS)?).await?;
    let change = Spread::of(CHANGES, async || crowd.hear_change().await).await?;
    Ok(Found { chunks, change, memory_mb: memory()?, memory_idle_mb })
}

/// The time as servers and readers write it: all are on one machine.
fn stamp() -> String {
    format!("t={};", now_us())
}

fn now_us() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_micros()).unwrap_or(u64::MAX)
}

/// The handler of the tool that is called in each turn.
pub(crate) async fn tick(count: u64, every_ms: u64, context: &NativeContext) {
    for _ in 0..count {
        tokio::time::sleep(Duration::from_millis(every_ms)).await;
        // A lost chunk shows when the readers count.
        let _ = context.call("chunk", json!({"channel": "assistant", "text": stamp()})).await;
    }
}
