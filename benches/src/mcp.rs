//! `tools/call` of a trivial tool over HTTP: ours, with policy and audit on, compared with a bare
//! rmcp server, the TypeScript SDK and FastMCP.
//!
//! Every server is a process of its own and answers the requests of the newest revision,
//! each over connections that stay open. The servers take turns, round by round, so that a
//! busy machine is busy for all of them; what a call costs its server is its CPU time.

mod bare_server;
mod call_lane;
mod server;
mod server_run;

use anyhow::Result;

use crate::call::tools::{ADD_NATIVE, ADD_SCRIPT};
use crate::measure::{cells, row};
use crate::peers::Peers;
use server::own_program;
use server_run::{ServerFigures, ServerRun, Start};

const ROUNDS: usize = 5;

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
        BARE => runtime.block_on(bare_server::serve())?,
        _ => return Ok(false),
    }
    Ok(true)
}

pub(crate) fn run() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let peers = Peers::open()?;
        let native = open("ours, native tool", ADD_NATIVE, quick(), Ok(ours())).await;
        let script = open("ours, JavaScript tool", ADD_SCRIPT, quick(), Ok(ours())).await;
        let bare =
            open("bare rmcp, Rust function", "add", quick(), Ok(Box::new(|| own_program(BARE))));
        let bare = bare.await;
        let typescript = open("TypeScript SDK", "add", slow(), typescript(&peers)).await;
        let fastmcp = open("FastMCP", "add", slow(), fastmcp(&peers)).await;
        let mut stands = [native, script, bare, typescript, fastmcp];
        for _ in 0..ROUNDS {
            for stand in stands.iter_mut().flatten() {
                stand.round().await?;
            }
        }
        let names = ["p50 at 1", "p99 at 1", "calls/s at 32", "p50 at 32", "p99 at 32"];
        let names = names.into_iter().chain(["CPU a call", "memory"]).map(str::to_owned);
        cells("", &names.collect::<Vec<_>>(), "start to first list");
        for stand in stands.iter().flatten() {
            stand.print()?;
        }
        let [native, script, bare, typescript, fastmcp] = &stands;
        beside("native, of the bare server's rate at 32", native, bare, Some(OF_BARE))?;
        beside("JavaScript, of the bare server's rate at 32", script, bare, None)?;
        beside("native, times FastMCP's rate at 32", native, fastmcp, Some(OF_FASTMCP))?;
        beside("native, times the TypeScript SDK's rate at 32", native, typescript, None)
    })
}

/// For servers of our own language, and for those that answer some hundred calls a second.
fn quick() -> server_run::Calls {
    server_run::Calls { alone: 1_500, crowd_each: 150 }
}

fn slow() -> server_run::Calls {
    server_run::Calls { alone: 200, crowd_each: 20 }
}

fn ours() -> Start {
    Box::new(|| own_program(OURS))
}

fn typescript(peers: &Peers) -> Result<Start> {
    let packages =
        ["zod@4", "@modelcontextprotocol/server@2.4.0", "@modelcontextprotocol/node@2.1.2"];
    let missing = || anyhow::anyhow!("it cannot be installed here");
    let node = peers.node(&packages).ok_or_else(missing)?;
    Ok(Box::new(move || node.script("mcp_serve.mjs").ok_or_else(missing)))
}

fn fastmcp(peers: &Peers) -> Result<Start> {
    // Later ones ask for packages that not every index has yet.
    let python = peers.python("fastmcp", &["fastmcp==4.1.2"]);
    let python = python.ok_or_else(|| anyhow::anyhow!("it cannot be installed here"))?;
    Ok(Box::new(move || Ok(python.script("fastmcp_serve.py"))))
}

/// A server that answers; a neighbour that does not run is said and left out.
async fn open(
    what: &'static str,
    tool: &'static str,
    calls: server_run::Calls,
    start: Result<Start>,
) -> Option<ServerRun> {
    let opened = match start {
        Ok(start) => ServerRun::open(what, tool, calls, start).await,
        Err(fault) => Err(fault),
    };
    opened.map_err(|fault| row(what, "–", &format!("it does not run here: {fault}"))).ok()
}

/// One server's rate in another's, with what their calls cost the processors.
fn beside(
    what: &str,
    one: &Option<ServerRun>,
    other: &Option<ServerRun>,
    target: Option<f64>,
) -> Result<()> {
    let (Some(one), Some(other)) = (one, other) else { return Ok(()) };
    let (one, other): (ServerFigures, ServerFigures) = (one.figures()?, other.figures()?);
    let found = one.calls_per_second / other.calls_per_second;
    let target = target.map(|target| {
        let word = if found >= target { "within" } else { "BELOW" };
        format!("{word} the target of {target}; ")
    });
    let cpu = other.cpu_per_call.as_secs_f64() / one.cpu_per_call.as_secs_f64();
    let note = format!("{}by CPU time a call {cpu:.2}", target.unwrap_or_default());
    row(what, &format!("{found:.2}"), &note);
    Ok(())
}
