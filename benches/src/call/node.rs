//! The same handlers in Node: a worker that keeps running, and a process for every call.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::oneshot;

use crate::measure::rounds::Lane;

const FRAME_BYTES_MAX: usize = 1 << 20;

/// A Node process that answers framed calls over its standard input and output. Its
/// handlers share one state, and nothing is checked, decided or recorded.
pub(crate) struct Worker {
    process: Child,
    output: tokio::sync::Mutex<OwnedWriteHalf>,
    /// Locked to add or remove a waiter.
    waiting: Arc<Waiting>,
    last: AtomicU64,
}

type Waiting = Mutex<HashMap<u64, oneshot::Sender<Value>>>;

impl Worker {
    /// Starts the worker with the handlers below `tools`; its own notes go to `notes`.
    /// None without Node.
    pub(crate) async fn start(tools: &Path, notes: &Path) -> Option<Arc<Self>> {
        let worker = Self::launch(tools, notes).ok()?;
        // Its first answer says that it has started.
        let args = json!({"a": 1, "b": 1});
        worker.call(super::tools::ADD_HANDLER, &args).await.ok()?;
        Some(worker)
    }

    fn launch(tools: &Path, notes: &Path) -> Result<Arc<Self>> {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
        let mut node = node("call_worker.mjs");
        node.arg(tools).arg(notes);
        node.stdin(OwnedFd::from(theirs.try_clone()?)).stdout(OwnedFd::from(theirs));
        let process = node.spawn()?;
        ours.set_nonblocking(true)?;
        let (input, output) = UnixStream::from_std(ours)?.into_split();
        let waiting = Arc::new(Waiting::default());
        tokio::spawn(deliver(input, Arc::clone(&waiting)));
        let output = tokio::sync::Mutex::new(output);
        Ok(Arc::new(Self { process, output, waiting, last: AtomicU64::new(0) }))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    async fn call(&self, handler: &str, args: &Value) -> Result<Value> {
        let id = self.last.fetch_add(1, Ordering::Relaxed);
        let body = json!({"id": id, "handler": handler, "args": args}).to_string();
        let length = u32::try_from(body.len())?.to_le_bytes();
        let (answer, answered) = oneshot::channel();
        lock(&self.waiting).insert(id, answer);
        let frame = [&length, body.as_bytes()].concat();
        self.output.lock().await.write_all(&frame).await?;
        answered.await.context("the worker is gone")
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads answers until the worker ends; dropping the senders wakes the remaining waiters.
async fn deliver(mut input: OwnedReadHalf, waiting: Arc<Waiting>) {
    while let Ok(answer) = read_frame(&mut input).await {
        let id = answer.get("id").and_then(Value::as_u64);
        if let Some(caller) = id.and_then(|id| lock(&waiting).remove(&id)) {
            // The caller may be gone.
            let _ = caller.send(answer);
        }
    }
    lock(&waiting).clear();
}

async fn read_frame(input: &mut OwnedReadHalf) -> Result<Value> {
    let length = usize::try_from(input.read_u32_le().await?)?;
    ensure!(length <= FRAME_BYTES_MAX, "an answer has at most {FRAME_BYTES_MAX} bytes");
    let mut body = vec![0; length];
    input.read_exact(&mut body).await?;
    Ok(serde_json::from_slice(&body)?)
}

fn lock(waiting: &Waiting) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<Value>>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a handler of the worker repeatedly.
pub(crate) struct WorkerLane {
    pub worker: Arc<Worker>,
    /// The handler's file below the tools, or `note`, which the worker has itself.
    pub handler: &'static str,
    pub made: u64,
}

impl Lane for WorkerLane {
    async fn call(&mut self) -> Result<()> {
        self.made += 1;
        let answer = self.worker.call(self.handler, &json!({"a": self.made, "b": 1})).await?;
        let sum = answer.pointer("/answer/data/sum").and_then(Value::as_u64);
        ensure!(sum == Some(self.made + 1), "the worker gave the sum: {answer}");
        Ok(())
    }
}

/// Starts a Node process for every call.
pub(crate) struct SpawnLane {
    pub handler: PathBuf,
    pub made: u64,
}

impl Lane for SpawnLane {
    async fn call(&mut self) -> Result<()> {
        self.made += 1;
        let mut node = node("call_once.mjs");
        node.arg(&self.handler).arg(json!({"a": self.made, "b": 1}).to_string());
        let output = tokio::task::spawn_blocking(move || node.output()).await??;
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let sum = answer.pointer("/data/sum").and_then(Value::as_u64);
        ensure!(sum == Some(self.made + 1), "the process gave the sum: {answer}");
        Ok(())
    }
}

fn node(script: &str) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the neighbour we measure beside")]
    let mut node = Command::new("node");
    node.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(script));
    node.stdin(Stdio::null()).stderr(Stdio::null());
    node
}
