//! `tools/call` of a trivial tool over HTTP: our door, with policy and audit on, beside a bare
//! rmcp server, the TypeScript SDK and FastMCP.
//!
//! Every server is a process of its own and answers the requests of the newest revision,
//! each over connections that stay open.

mod bare;
mod lane;
mod server;

use std::time::Duration;

use anyhow::Result;

use crate::measure::{cells, ms, per_second, row, time};
use crate::peers::Peers;
use crate::round::{Load, Rounds};
use lane::CallLane;
use server::{Server, own_program};

const ALONE: Load = Load { rounds: 3, lanes: 1, calls_per_lane: 2_000 };
const CROWD: Load = Load { rounds: 3, lanes: 32, calls_per_lane: 200 };
/// Servers that answer some hundred calls a second get fewer of them.
const ALONE_SLOW: Load = Load { calls_per_lane: 300, ..ALONE };
const CROWD_SLOW: Load = Load { calls_per_lane: 30, ..CROWD };
const STARTS: usize = 5;

const OURS: &str = "mcp-serve-ours";
const BARE: &str = "mcp-serve-bare";
/// What we must keep of a bare server's rate, and how often FastMCP's.
const OF_BARE: f64 = 0.8;
const OF_FASTMCP: f64 = 10.0;

/// Serves, if that is what this process was started for.
pub(crate) fn serve_alone(what: &str) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match what {
        OURS => runtime.block_on(server::serve_ours())?,
        BARE => runtime.block_on(bare::serve())?,
        _ => return Ok(false),
    }
    Ok(true)
}

pub(crate) fn run() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let peers = Peers::open()?;
        let names = ["p50 at 1", "p99 at 1", "calls/s at 32", "p50 at 32", "p99 at 32", "memory"];
        cells("", &names.map(str::to_owned), "start to first list");
        let ours =
            measure("ours, judged and audited", "add_native", ALONE, CROWD, || own_program(OURS));
        let ours = ours.await?;
        let bare = measure("bare rmcp", "add", ALONE, CROWD, || own_program(BARE)).await?;
        standing("of the bare server's rate at 32", ours / bare, OF_BARE);
        let packages =
            ["zod@4", "@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2"];
        match peers.node(&packages) {
            Some(node) => {
                let start =
                    || node.script("mcp_serve.mjs").ok_or_else(|| anyhow::anyhow!("no script"));
                let theirs = measure("TypeScript SDK", "add", ALONE_SLOW, CROWD_SLOW, start).await;
                runs("TypeScript SDK", theirs);
            }
            None => row("TypeScript SDK", "–", "it cannot be installed here"),
        }
        match peers.python("fastmcp", &["fastmcp"]) {
            Some(python) => {
                let start = || Ok(python.script("fastmcp_serve.py"));
                let theirs = measure("FastMCP", "add", ALONE_SLOW, CROWD_SLOW, start).await;
                if let Some(theirs) = runs("FastMCP", theirs) {
                    standing("times FastMCP's rate at 32", ours / theirs, OF_FASTMCP);
                }
            }
            None => row("FastMCP", "–", "it cannot be installed here"),
        }
        Ok(())
    })
}

/// The rate of a neighbour; one that does not run here is said and left out.
fn runs(what: &str, rate: Result<f64>) -> Option<f64> {
    rate.map_err(|fault| row(what, "–", &format!("it does not run here: {fault}"))).ok()
}

/// One server: how it answers one and many, what it holds, how fast it is there. Gives its
/// rate with many callers.
async fn measure(
    what: &str,
    tool: &'static str,
    alone: Load,
    crowd: Load,
    start: impl Fn() -> Result<std::process::Command>,
) -> Result<f64> {
    let mut starts: Vec<Duration> = Vec::new();
    for _ in 0..STARTS {
        starts.push(Server::start(start()?).await?.ready_after);
    }
    starts.sort();
    let server = Server::start(start()?).await?;
    let lane = || CallLane::new(server.address, tool);
    let one = Rounds::run(alone, lane, async || {}).await?.best()?;
    let many = Rounds::run(crowd, lane, async || {}).await?.best()?;
    let figures = [
        time(one.p50),
        time(one.p99),
        per_second(many.calls_per_second()),
        time(many.p50),
        time(many.p99),
        format!("{:.1} MB", server.memory_mb()?),
    ];
    let median = starts.get(starts.len() / 2).copied().unwrap_or_default();
    cells(what, &figures, &ms(median));
    Ok(many.calls_per_second())
}

fn standing(what: &str, found: f64, target: f64) {
    let word = if found >= target { "within" } else { "BELOW" };
    row(what, &format!("{found:.2}"), &format!("{word} the target of {target}"));
}
