//! The JavaScript host: a small pool of sandboxed children that run `handler.js`.
//!
//! Start at [`JsHost::run_handler`]: it picks a child, starts the call there and waits for its
//! end, within the time limit. A call that cannot be stopped from inside is stopped together
//! with its child, and innocent calls of that child run again in another.
//!
//! Must hold: a call runs a second time only if its tool is declared idempotent *and* it had not
//! used any service. A handler has no effects except through services.
//!
//! The services, as [`policy::Services::call`] receives them. Those marked with a star are served
//! in the order in which the handler called them; all others concurrently.
//!
//! | name | arguments | answer |
//! | --- | --- | --- |
//! | `kv.get` | `{key}` | `{value, revision}` or null |
//! | `kv.set` | `{key, value, expectedRevision?, ttlMs?}` | `{revision}` |
//! | `kv.delete` | `{key, expectedRevision?}` | whether it existed |
//! | `kv.list` | `{prefix, …}` | keys |
//! | `files.list`, `files.read`, `files.stat` | `{path}` | `[{path}]`, text, `{revision}` or null |
//! | `files.write` | `{path, text, expectedRevision?}` | `{revision}` |
//! | `fetch` | `{url, method, redirect, headers, body? or bodyBase64?}` | `{status, url, …, body}` |
//! | `secrets.get` | `{name}` | text |
//! | `messaging.send`* | `{message}` | anything |
//! | `chunk`* | `{channel, text}` | anything |
//! | `progress`* | `{fraction, note}` | anything |
//! | `audit.log`* | `{event, data}` | no answer |
//! | `console`* | `{level, text}` | no answer |
//!
//! The fields of `context` that decide what a handler gets: `capabilities: {kv, files, net,
//! secrets}`, each a bool, and `voice: {isActive}` (by default whether `session.mode` is `voice`).

mod modules;
mod pool;
pub(crate) mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract::{Code, CodeFault};
use policy::{BoxFuture, HandlerFailure, HandlerOutcome, Host, Job};
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use crate::child::Request;
use crate::run_handler::{
    Finished, HandlerRun, NoServices, Repeat, RunLimits, millis, run_until_ended,
};

use crate::js::worker::WorkerLimits;
use crate::protocol::EntryPoint;
use crate::sandbox::{Level, SandboxPolicy};

pub(crate) use modules::Handler;

use modules::HandlerCache;
use pool::Pool;

/// The configuration of the host.
#[derive(Debug, Clone)]
pub struct JsHostConfig {
    /// Our own program; its `main` calls [`crate::child_main`] first.
    pub program: PathBuf,
    pub children: usize,
    pub child_memory_bytes_max: u64,
    pub sandbox: SandboxPolicy,
    pub limits: WorkerLimits,
    /// How long a stopped call may take to end before its child is retired.
    pub stop_grace: Duration,
    /// How long the other calls of a retired child may continue.
    pub drain_max: Duration,
}

impl JsHostConfig {
    /// The running program, even if its file has been replaced since it started.
    pub fn new() -> Self {
        Self::with_program("/proc/self/exe".into())
    }

    pub fn with_program(program: PathBuf) -> Self {
        Self {
            program,
            children: 2,
            child_memory_bytes_max: 2 << 30,
            sandbox: SandboxPolicy::Required,
            limits: WorkerLimits::default(),
            stop_grace: Duration::from_millis(150),
            drain_max: Duration::from_secs(5),
        }
    }
}

impl Default for JsHostConfig {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs JavaScript handlers. Dropping it ends its children.
pub struct JsHost {
    pool: Pool,
    cache: Arc<HandlerCache>,
}

impl JsHost {
    /// Starts the children in the background. Needs a tokio runtime that lives as long as the
    /// host.
    pub fn start(config: JsHostConfig) -> Self {
        let cache = Arc::new(HandlerCache::default());
        Self { pool: Pool::start(config), cache }
    }

    /// Waits until a child is ready; returns what its sandbox enforces.
    pub async fn level(&self) -> Result<Level, String> {
        self.pool.pick().await.map(|child| child.as_ref().level().clone())
    }

    /// The process ids of the ready children.
    pub fn child_pids(&self) -> Vec<u32> {
        self.pool.children().iter().map(|child| child.pid()).collect()
    }

    /// Runs a handler to its end. Dropping the future stops it.
    #[tracing::instrument(name = "host.run", skip_all, fields(handler = run.handler))]
    pub async fn run_handler(&self, run: HandlerRun<'_>) -> Finished {
        let deadline = Instant::now() + run.time_limit;
        let prepared = (|| {
            let handler = match run.code {
                Some(code) => self.cache.captured(code, run.handler)?,
                None => self.cache.handler(run.tools_dir, run.handler)?,
            };
            let args = to_raw_value(run.args).map_err(|fault| fault.to_string())?;
            let context = to_raw_value(run.context).map_err(|fault| fault.to_string())?;
            Ok((handler, args, context))
        })();
        let (handler, args, context) = match prepared {
            Ok(prepared) => prepared,
            Err(because) => return Finished::not_started(because, 0),
        };
        let request = |time| Request {
            bundle: handler.number,
            handler: handler.file.clone(),
            part: EntryPoint::Execute,
            modules: Some(Arc::clone(&handler)),
            args: args.clone(),
            context: context.clone(),
            services: Arc::clone(&run.services),
            time,
            limit_ms: millis(run.time_limit),
        };
        let run_limits = RunLimits { deadline, limit: run.time_limit, repeat: run.repeat };
        run_until_ended(run_limits, || self.pool.pick(), request).await
    }
}

/// How long compiling one handler may take.
const CHECK_MAX: Duration = Duration::from_secs(20);

impl JsHost {
    /// Compiles a handler without running it and returns its faults. An error means that it could
    /// not be compiled here.
    pub async fn check_code(&self, code: &Arc<Code>, file: &str) -> Result<Vec<CodeFault>, String> {
        let handler = self.cache.captured(code, file)?;
        let request = |time| Request {
            bundle: handler.number,
            handler: handler.file.clone(),
            part: EntryPoint::Check,
            modules: Some(Arc::clone(&handler)),
            args: RawValue::NULL.to_owned(),
            context: RawValue::NULL.to_owned(),
            services: Arc::new(NoServices),
            time,
            limit_ms: millis(CHECK_MAX),
        };
        let deadline = Instant::now() + CHECK_MAX;
        let run_limits = RunLimits { deadline, limit: CHECK_MAX, repeat: Repeat::Safe };
        match run_until_ended(run_limits, || self.pool.pick(), request).await.answer {
            HandlerOutcome::Returned(value) => {
                serde_json::from_value(value).map_err(|fault| fault.to_string())
            }
            HandlerOutcome::Threw(thrown) => Err(thrown.message),
            HandlerOutcome::Broke(HandlerFailure::NotStarted { because }) => Err(because),
            HandlerOutcome::Broke(breakdown) => Err(breakdown.to_string()),
        }
    }
}

impl Host for JsHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move { self.run_handler(HandlerRun::of(&job)).await.answer })
    }
}
