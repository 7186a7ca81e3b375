//! A server in its own process, and our own as such a process.

use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::serve::ListenerExt;
use mcp::server::http::{HttpOptions, router};
use mcp::server::{McpServer, McpServerOptions};
use serde_json::json;
use tokio::net::TcpListener;

use super::call_lane::ask;
use crate::call::engine::{BenchEngine, target_folder};
use crate::http::Connection;
use crate::server_process::Running;

/// A running server; it ends when this is dropped.
pub(crate) struct Server {
    running: Running,
    pub address: SocketAddr,
    /// From its start to its first list of tools.
    pub ready_after: Duration,
}

impl Server {
    /// Starts it and waits for its list; it prints its port first.
    pub(crate) async fn start(mut command: Command) -> Result<Self> {
        let start = Instant::now();
        let running = Running::start(&mut command)?;
        let address = running.address;
        let mut connection = Connection::open(address).await?;
        let listed = ask(&mut connection, "tools/list", None, json!({})).await?;
        ensure!(listed.pointer("/result/tools/0").is_some(), "it lists its tools: {listed}");
        Ok(Self { running, address, ready_after: start.elapsed() })
    }

    /// The memory of it and its children.
    pub(crate) fn memory_mb(&self) -> Result<f64> {
        let mut kilobytes = 0.0;
        for process in family(self.running.id()) {
            let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
            let held = line.and_then(|line| line.split_whitespace().next()).context("no VmRSS")?;
            kilobytes += held.parse::<f64>()?;
        }
        Ok(kilobytes / 1024.0)
    }

    /// The CPU time of it and its children, to a hundredth of a second.
    pub(crate) fn cpu_time(&self) -> Result<Duration> {
        let mut ticks = 0;
        for process in family(self.running.id()) {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
            // After the name, which may contain anything: user and system are fields 12 and 13.
            let (_, fields) = stat.rsplit_once(')').context("no name in its figures")?;
            let times = fields.split_whitespace().skip(11).take(2);
            ticks += times.map(str::parse::<u64>).sum::<Result<u64, _>>()?;
        }
        Ok(Duration::from_millis(ticks * 10))
    }
}

/// A process and all below it.
fn family(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut next = 0;
    while let Some(&parent) = all.get(next) {
        let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten();
        for task in tasks.flatten() {
            let children = std::fs::read_to_string(task.path().join("children"));
            let children = children.unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        next += 1;
    }
    all
}

/// This program, as a server.
pub(crate) fn own_program(role: &str) -> Result<Command> {
    #[expect(clippy::disallowed_methods, reason = "the servers are processes of their own")]
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(role).stdin(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// Our MCP server over an engine with a store on disk, until it is killed.
pub(crate) async fn serve_ours() -> Result<()> {
    let engine = BenchEngine::open(&target_folder()?).await?;
    let door =
        McpServer::open(engine.engine.clone(), engine.store.clone(), McpServerOptions::machine())
            .await?;
    let options = HttpOptions { tokens: Default::default(), hosts: vec![], origins: vec![] };
    listen(Router::new().nest_service("/mcp", router(door, options))).await
}

/// Prints the port, then serves.
pub(crate) async fn listen(app: Router) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?.port())?;
    let listener = listener.tap_io(|stream| {
        // Without it an answer may wait for its peer's ACK.
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, app).await?)
}
