//! The Python host without an engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, ensure};
use hosts::{HandlerRun, PyHost, PyHostConfig, Repeat};
use policy::{BoxFuture, HandlerOutcome, ServiceFault, Services};
use serde_json::{Value, json};

use crate::measure::rounds::Lane;

/// A host with the shared file; its folder is deleted on drop.
pub(crate) struct BenchHost {
    host: PyHost,
    context: Value,
    heard: Arc<Heard>,
    folder: tempfile::TempDir,
}

const FILE: &str = "bench.py";
const ADD: &str = "bench.py#add";
const PIECES: &str = "bench.py#pieces";

impl BenchHost {
    /// Starts nothing yet.
    pub(crate) fn new(python: PathBuf, source: &Path) -> Result<Arc<Self>> {
        let folder = tempfile::Builder::new().prefix("bench-python-").tempdir()?;
        let [tools, scratch] = ["tools", "private"].map(|name| folder.path().join(name));
        std::fs::create_dir(&tools)?;
        std::fs::copy(source, tools.join(FILE))?;
        let context = json!({
            "clientId": "client-1",
            "tool": {"id": "bench.add", "version": "1.0.0", "idempotent": true},
            "session": {"isActive": true, "mode": "text", "conversationId": "talk-1", "state": {}},
            "call": {"id": "call-000001", "idempotencyKey": "provider:call-000001"},
            "capabilities": {"net": false, "kv": false, "secrets": false, "files": false},
        });
        let host = PyHost::start(PyHostConfig::new(python, scratch));
        Ok(Arc::new(Self { host, context, heard: Arc::default(), folder }))
    }

    pub(crate) async fn add(&self, number: u64) -> Result<()> {
        let answer = self.run(ADD, &json!({"a": number, "b": 1})).await?;
        let sum = answer.pointer("/data/sum").and_then(Value::as_u64);
        ensure!(sum == Some(number + 1), "the host gave the sum: {answer}");
        Ok(())
    }

    /// The start of a sandboxed worker, from the request until it is ready; it is not kept.
    pub(crate) async fn worker(&self) -> Result<()> {
        let made = self.host.warm(&self.folder.path().join("tools")).await;
        made.map(drop).map_err(anyhow::Error::msg)
    }

    /// The private memory of the workers, in MB each.
    pub(crate) fn own_memory_mb(&self) -> Result<Vec<f64>> {
        self.host.worker_pids().into_iter().map(own_memory_mb).collect()
    }

    /// Streams this many pieces; each has arrived before this returns.
    pub(crate) async fn pieces(&self, count: usize) -> Result<()> {
        self.heard.0.store(0, Ordering::Relaxed);
        self.run(PIECES, &json!({"count": count})).await?;
        let heard = self.heard.0.load(Ordering::Relaxed);
        ensure!(heard == count, "every piece arrived: {heard} of {count}");
        Ok(())
    }

    async fn run(&self, handler: &str, args: &Value) -> Result<Value> {
        let run = HandlerRun {
            owner: "bench",
            tools_dir: &self.folder.path().join("tools"),
            code: None,
            handler,
            args,
            context: &self.context,
            services: Arc::clone(&self.heard) as Arc<dyn Services>,
            time_limit: Duration::from_secs(30),
            repeat: Repeat::Safe,
        };
        match self.host.run_handler(run).await.answer {
            HandlerOutcome::Returned(value) => Ok(value),
            answer @ (HandlerOutcome::Threw(_) | HandlerOutcome::Broke(_)) => {
                anyhow::bail!("the handler gave no answer: {answer:?}")
            }
        }
    }
}

fn own_memory_mb(pid: u32) -> Result<f64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let own = rollup.lines().filter(|line| line.starts_with("Private_"));
    let kb = own.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    Ok(kb.sum::<f64>() / 1024.0)
}

/// Counts the pieces.
#[derive(Default)]
struct Heard(AtomicUsize);

impl Services for Heard {
    fn call(&self, name: &str, _args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        let known = name == "chunk";
        if known {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        let message = format!("there is no service `{name}` here");
        let fault = ServiceFault { code: "DENIED".to_owned(), message };
        Box::pin(async move { if known { Ok(Value::Null) } else { Err(fault) } })
    }
}

/// Adds repeatedly.
pub(crate) struct HostLane {
    pub host: Arc<BenchHost>,
    pub made: u64,
}

impl Lane for HostLane {
    async fn call(&mut self) -> Result<()> {
        self.made += 1;
        self.host.add(self.made).await
    }
}
