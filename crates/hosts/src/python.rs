//! The Python host: runs `handler.py` of tool directories and Ghostpad's files with a `TOOLS` list,
//! unchanged.
//!
//! In: a [`policy::Job`]; its handler is `some-tool/handler.py`, or
//! `core/calculator.py#calculator` for one entry of a file's `TOOLS`. Out: a [`policy::HandlerOutcome`];
//! the result of such an entry is wrapped in `{"ok": true, "data": …, "intents": []}`, with
//! `artifacts` if the entry returned such a response, and
//! `"streaming": true` if it yielded chunks (`runtime/invoke.py` defines `data` for streams).
//!
//! - Templates: an interpreter for each Python that has loaded the files in `runtime/` and only
//!   forks workers. Nothing is started before it is needed.
//! - Workers: one for each file and owner, in [`crate::sandbox::Sandbox::interpreter`], which each
//!   applies before it reads a tool.
//! - [`PyHost::discover`]: describes the files of a tools folder.
//! - [`PyHost::run_hook`]: conditions, status, cleanup and form handlers.
//!
//! Must hold: a call reaches only its services; a call that cannot be stopped costs only a
//! worker. Files and owners cannot reach each other: call, tool, owner and arguments are bound on
//! our side, and a worker that names a call that it was not given is killed. Calls of one file
//! and owner share a worker and are not protected from each other, unless
//! [`Isolation::EveryCall`] is set.
//!
//! Services in addition to those in [`crate::js`]. All `kv.*` of Ghostpad's `kv_store` carry the
//! `conversationId` of the call if there is one.
//!
//! | name | arguments | answer |
//! | --- | --- | --- |
//! | `kv.exists` | `{key}` | whether it exists |
//! | `kv.lpush`, `kv.rpush` | `{key, value}` | the new length |
//! | `kv.lpop`, `kv.rpop` | `{key}` | the value or null |
//! | `kv.llen` | `{key}` | the length |
//! | `kv.lrange` | `{key, start, stop}` | values; `stop` is included, -1 is the last |
//! | `kv.lremove_at` | `{key, index}` | whether it existed |
//! | `kv.keys` | `{prefix?}` | keys |
//! | `personas.names` | `{conversationId}` | names |
//! | `personas.list` | `{}` | `[{id, name, …}]` |
//! | `messages.system` | `{content, conversationId}` | the id of the message |
//! | `ai.complete` | `{prompt, system?, schema?}` | text, or `{text}`, or `{value}` for a schema |

mod boot;
mod check;
mod code_root;
mod discover;
mod hooks;
mod interpreter;
mod monitor;
mod report;
mod stderr_tail;
mod template;
mod worker_factory;
mod workers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use contract::Code;
use policy::{BoxFuture, HandlerFailure, HandlerOutcome, Host, Job, Services};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use tokio::time::Instant;

use crate::child::Request;
use crate::protocol::EntryPoint;
use crate::protocol::meter::FloodLimits;
use crate::run_handler::{Finished, HandlerRun, Repeat, RunLimits, millis, run_until_ended};
use crate::sandbox::{Level, SandboxPolicy};

pub use hooks::{HookCall, HookFault, HookKind, UiReply};
pub use interpreter::{PythonOutcome, TriedPython, find_python, tried_pythons};
pub use report::{Flags, ImportFault, Item, ModuleReport, Settings, Signature};

use code_root::{CodeCopies, CodeRoot};
use workers::{WorkerKey, Workers};

/// The configuration of the host.
#[derive(Debug, Clone)]
pub struct PyHostConfig {
    /// Our own program; its `main` calls [`crate::child_main`] first.
    pub program: PathBuf,
    /// See [`find_python`].
    pub python: PathBuf,
    /// The Python interpreters of tools folders with their own environment.
    pub environments: BTreeMap<PathBuf, PathBuf>,
    /// A folder that only we can enter, created if missing; see [`crate::private_base`]. Every
    /// worker gets a folder below it, which is removed with the worker.
    pub scratch: PathBuf,
    pub sandbox: SandboxPolicy,
    pub isolation: Isolation,
    /// At this number, the worker that has been idle longest is ended; if all are busy, calls
    /// wait.
    pub workers_max: usize,
    pub workers_per_owner_max: usize,
    /// How long an idle worker is kept.
    pub idle_max: Duration,
    pub limits: PyLimits,
    /// How long a stopped call may take to end before its worker is retired.
    pub stop_grace: Duration,
    /// How long the other calls of a retired worker may continue.
    pub drain_max: Duration,
}

/// Which calls share a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    /// Those of one file and owner.
    #[default]
    EveryOwner,
    /// None.
    EveryCall,
}

/// Limits of a worker.
#[derive(Debug, Clone)]
pub struct PyLimits {
    /// Of the whole worker.
    pub memory_bytes_max: u64,
    /// Of one file in the scratch folder.
    pub file_bytes_max: u64,
    /// Of all files in the scratch folder; a worker that exceeds it is killed.
    pub scratch_bytes_max: u64,
    pub scratch_files_max: u64,
    pub result_bytes_max: usize,
    pub flood: FloodLimits,
    /// How long a call may block all others by not awaiting anything.
    pub block_max: Duration,
    /// How long importing a file may take.
    pub import_max: Duration,
    /// How long a worker with calls may send nothing.
    pub silence_max: Duration,
    /// How many threads run functions that are not async.
    pub threads_max: usize,
    /// All threads of a worker; a worker that exceeds it is killed.
    pub threads_all_max: usize,
}

impl Default for PyLimits {
    fn default() -> Self {
        Self {
            memory_bytes_max: 512 << 20,
            file_bytes_max: 64 << 20,
            scratch_bytes_max: 256 << 20,
            scratch_files_max: 2_000,
            result_bytes_max: 1 << 20,
            flood: FloodLimits::default(),
            block_max: Duration::from_secs(5),
            import_max: Duration::from_secs(15),
            silence_max: Duration::from_secs(15),
            threads_max: 64,
            threads_all_max: 256,
        }
    }
}

impl PyHostConfig {
    /// The running program, even if its file has been replaced since it started.
    pub fn new(python: PathBuf, scratch: PathBuf) -> Self {
        Self::with_program("/proc/self/exe".into(), python, scratch)
    }

    pub fn with_program(program: PathBuf, python: PathBuf, scratch: PathBuf) -> Self {
        Self {
            program,
            python,
            environments: BTreeMap::new(),
            scratch,
            sandbox: SandboxPolicy::Required,
            isolation: Isolation::default(),
            workers_max: 64,
            workers_per_owner_max: 16,
            idle_max: Duration::from_secs(60),
            limits: PyLimits::default(),
            stop_grace: Duration::from_millis(500),
            drain_max: Duration::from_secs(3),
        }
    }
}

/// Runs Python handlers. Dropping it ends its workers.
pub struct PyHost {
    workers: Workers,
    copies: CodeCopies,
}

impl PyHost {
    /// Starts nothing yet. Later calls need a tokio runtime that lives as long as the host.
    pub fn start(config: PyHostConfig) -> Self {
        Self { workers: Workers::new(config), copies: CodeCopies::default() }
    }

    /// Starts the template of a tools folder and forks a worker; returns what its sandbox
    /// enforces.
    pub async fn warm(&self, tools_dir: &Path) -> Result<Level, String> {
        let key = self.workers.once(&CodeRoot::live(tools_dir), "");
        self.workers.pick(key).await.map(|lease| lease.as_ref().level().clone())
    }

    /// The process ids of the templates.
    pub fn template_pids(&self) -> Vec<u32> {
        self.workers.factory().template_pids()
    }

    /// The process ids of the workers that are forked ahead and not used yet.
    pub fn spare_pids(&self) -> Vec<u32> {
        self.workers.factory().spare_pids()
    }

    /// The process ids of the ready workers.
    pub fn worker_pids(&self) -> Vec<u32> {
        self.workers.children().iter().map(|child| child.pid()).collect()
    }

    /// Runs a handler to its end. Dropping the future stops it.
    #[tracing::instrument(name = "host.run", skip_all, fields(handler = run.handler))]
    pub async fn run_handler(&self, run: HandlerRun<'_>) -> Finished {
        let HandlerRun {
            owner,
            tools_dir,
            code,
            handler,
            args,
            context,
            services,
            time_limit,
            repeat,
        } = run;
        let root = match self.root(tools_dir, code) {
            Ok(root) => root,
            Err(because) => return Finished::not_started(because, 0),
        };
        let run = FunctionRun {
            owner,
            root,
            handler,
            part: EntryPoint::Execute,
            args,
            context,
            services,
            time_limit,
            repeat,
        };
        self.run_part(run, None).await
    }

    /// The folder that workers read: a copy of the captured code, or the tools folder itself.
    fn root(&self, tools_dir: &Path, code: Option<&Arc<Code>>) -> Result<CodeRoot, String> {
        let Some(code) = code else { return Ok(CodeRoot::live(tools_dir)) };
        let (root, old) = self.copies.of(code, &self.workers.factory().run_dir()?)?;
        for root in old {
            self.workers.dismiss_idle(&root);
        }
        Ok(root)
    }

    /// Runs one function of a file, in the worker of that file unless `key` names another.
    async fn run_part(&self, run: FunctionRun<'_>, key: Option<WorkerKey>) -> Finished {
        let FunctionRun { owner, root, handler, part, services, time_limit, repeat, .. } = run;
        let deadline = Instant::now() + time_limit;
        let prepared = (|| Ok((file_of(handler)?, raw(run.args)?, raw(run.context)?)))();
        let (file, args, context) = match prepared {
            Ok(prepared) => prepared,
            Err(because) => return Finished::not_started(because, 0),
        };
        let request = |time| Request {
            bundle: 0,
            handler: handler.to_owned(),
            part: part.clone(),
            modules: None,
            args: args.clone(),
            context: context.clone(),
            services: Arc::clone(&services),
            time,
            limit_ms: millis(time_limit),
        };
        let pick = || {
            let own = key.clone();
            self.workers.pick(own.unwrap_or_else(|| self.workers.key(&root, owner, file)))
        };
        let run_limits = RunLimits { deadline, limit: time_limit, repeat };
        let mut finished = run_until_ended(run_limits, pick, request).await;
        if let HandlerOutcome::Broke(HandlerFailure::Died { because }) = &mut finished.answer {
            *because = stderr_tail::summarize(because, &root);
        }
        finished
    }
}

/// One function to run.
struct FunctionRun<'a> {
    owner: &'a str,
    root: CodeRoot,
    handler: &'a str,
    part: EntryPoint,
    args: &'a Value,
    context: &'a Value,
    services: Arc<dyn Services>,
    time_limit: Duration,
    repeat: Repeat,
}

/// The file of `core/calculator.py#calculator`, which must be below the tools folder.
fn file_of(handler: &str) -> Result<&str, String> {
    let file = handler.split_once('#').map_or(handler, |(file, _)| file);
    let is_below =
        !file.starts_with('/') && file.split('/').all(|step| step != ".." && !step.is_empty());
    match file.ends_with(".py") && is_below && !file.contains('\0') {
        true => Ok(file),
        false => Err(format!("`{file}` is not a Python file below the tools directory")),
    }
}

fn raw(value: &Value) -> Result<Box<RawValue>, String> {
    to_raw_value(value).map_err(|fault| fault.to_string())
}

impl Host for PyHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move { self.run_handler(HandlerRun::of(&job)).await.answer })
    }

    fn hook<'a>(&'a self, hook: policy::Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(async move {
            let policy::Hook {
                owner,
                tools_dir,
                code,
                handler,
                what,
                params,
                context,
                services,
                time_limit,
            } = hook;
            let kind = match &what {
                policy::HookKind::Condition => HookKind::Condition,
                policy::HookKind::Status => HookKind::Status,
                policy::HookKind::Cleanup => HookKind::Cleanup,
                policy::HookKind::Ui(name) => HookKind::Ui(name),
            };
            let (params, context) = (&params, &context);
            let code = Some(code);
            let call = HookCall {
                owner,
                tools_dir,
                code,
                handler,
                kind,
                params,
                context,
                services,
                time_limit,
            };
            self.run_hook(call).await.map_err(|fault| fault.to_string())
        })
    }
}
