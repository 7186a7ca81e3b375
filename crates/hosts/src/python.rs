//! The Python host: `handler.py` of tool directories, and Ghostpad's files with a `TOOLS` list,
//! as they are written.
//!
//! In: the same [`policy::Job`] as for any host; its handler is `some-tool/handler.py`, or
//! `core/calculator.py#calculator` for one entry of a file's `TOOLS`. Out: a
//! [`policy::HandlerOutcome`]; what such an entry returns is put into the envelope
//! `{"ok": true, "data": …, "intents": []}`, with `"streaming": true` where it yielded chunks
//! (what `data` is then, is said in `runtime/parts.py`).
//!
//! - Templates: an interpreter for each Python that has loaded the files in `runtime/`, runs
//!   nothing else and forks workers. Nothing is started before it is needed.
//! - Workers: one for each file and owner, behind the fence of
//!   [`crate::sandbox::Fence::interpreter`], which each takes on before it reads a tool.
//! - [`PyHost::discover`]: what the files of a tools folder hold.
//! - [`PyHost::side`]: conditions, status, cleanup and form handlers.
//! - [`watch_conditions`]: polls conditions in one place and tells only what changed.
//!
//! Must hold: what a call reaches is what its services give it; a call that cannot be stopped
//! costs a worker and nothing else. Nothing of one file or owner is in reach of another: call,
//! tool, owner and arguments are bound on our side, and a worker that speaks of a call that it
//! was not given is killed. Calls of one file for one owner share a worker and are not safe
//! from each other: whoever does not trust them sets [`Isolation::EveryCall`].
//!
//! Services beside those in [`crate::js`]. All `kv.*` of Ghostpad's `kv_store` carry the
//! `conversationId` of the call if there is one.
//!
//! | name | arguments | answer |
//! | --- | --- | --- |
//! | `kv.exists` | `{key}` | whether it is there |
//! | `kv.lpush`, `kv.rpush` | `{key, value}` | the new length |
//! | `kv.lpop`, `kv.rpop` | `{key}` | the value or null |
//! | `kv.llen` | `{key}` | the length |
//! | `kv.lrange` | `{key, start, stop}` | values; `stop` is included, -1 is the last |
//! | `kv.lremove_at` | `{key, index}` | whether it was there |
//! | `kv.keys` | `{prefix?}` | keys |
//! | `personas.names` | `{conversationId}` | names |
//! | `personas.list` | `{}` | `[{id, name, …}]` |
//! | `messages.system` | `{content, conversationId}` | the id of the message |
//! | `ai.complete` | `{prompt, system?, schema?}` | text, or `{text}`, or `{value}` for a schema |

mod attend;
mod boot;
mod check;
mod conditions;
mod discover;
mod interpreter;
mod last_words;
mod nursery;
mod report;
mod root;
mod side;
mod template;
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
use crate::meter::Flood;
use crate::run::{Finished, HandlerRun, Repeat, Terms, millis, run_until_ended};
use crate::sandbox::{Level, Sandbox};
use crate::wire::Part;

pub use conditions::{Condition, ConditionChange, every, watch_conditions};
pub use interpreter::find_python;
pub use report::{Flags, ImportFault, Item, ModuleReport, Settings, Signature};
pub use side::{SideCall, SideFault, SideKind, UiReply};

use root::{Copies, Root};
use workers::{Ward, Workers};

/// How the host is set up.
#[derive(Debug, Clone)]
pub struct PyHostConfig {
    /// Our own program; its `main` calls [`crate::child_main`] first.
    pub program: PathBuf,
    /// See [`find_python`].
    pub python: PathBuf,
    /// The Python of a tools folder's own environment.
    pub environments: BTreeMap<PathBuf, PathBuf>,
    /// A folder that only we may enter, made if it is missing; see [`crate::private_base`].
    /// Every worker gets one of its own below, which goes away with it.
    pub scratch: PathBuf,
    pub sandbox: Sandbox,
    pub isolation: Isolation,
    /// When there are so many, the one goes that had nothing to do for longest, and whoever
    /// finds all of them busy waits.
    pub workers_max: usize,
    pub workers_per_owner_max: usize,
    /// A worker that had nothing to do for so long ends.
    pub idle_max: Duration,
    pub limits: PyLimits,
    /// How long a stopped call may take to be gone before its worker is given up.
    pub stop_grace: Duration,
    /// How long the other calls of a worker that is given up may go on.
    pub drain_max: Duration,
}

/// Which calls share a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    /// Those of one file for one owner.
    #[default]
    EveryOwner,
    /// None.
    EveryCall,
}

/// What a worker may use.
#[derive(Debug, Clone)]
pub struct PyLimits {
    /// Of one worker, whatever runs in it.
    pub memory_bytes_max: u64,
    /// Of one file in the scratch folder.
    pub file_bytes_max: u64,
    /// Of all files in the scratch folder; whoever has more is ended.
    pub scratch_bytes_max: u64,
    pub scratch_files_max: u64,
    pub result_bytes_max: usize,
    pub flood: Flood,
    /// How long one call may hold up all others by not awaiting anything.
    pub block_max: Duration,
    /// How long a file may take to be imported.
    pub import_max: Duration,
    /// How long a worker with calls may give no sign of life.
    pub silence_max: Duration,
    /// Functions that are not async run in so many threads at once.
    pub threads_max: usize,
    /// All threads of a worker; whoever has more is ended.
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
            flood: Flood::default(),
            block_max: Duration::from_secs(5),
            import_max: Duration::from_secs(15),
            silence_max: Duration::from_secs(15),
            threads_max: 64,
            threads_all_max: 256,
        }
    }
}

impl PyHostConfig {
    /// The running program, even if its file has been replaced since it was started.
    pub fn new(python: PathBuf, scratch: PathBuf) -> Self {
        Self::with_program("/proc/self/exe".into(), python, scratch)
    }

    pub fn with_program(program: PathBuf, python: PathBuf, scratch: PathBuf) -> Self {
        Self {
            program,
            python,
            environments: BTreeMap::new(),
            scratch,
            sandbox: Sandbox::Required,
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
    copies: Copies,
}

impl PyHost {
    /// Starts nothing yet. Whatever is called later needs a tokio runtime, which must live as
    /// long as the host.
    pub fn start(config: PyHostConfig) -> Self {
        Self { workers: Workers::new(config), copies: Copies::default() }
    }

    /// Starts the template of a tools folder, and says what the sandbox of a worker enforces,
    /// by forking one.
    pub async fn warm(&self, tools_dir: &Path) -> Result<Level, String> {
        let ward = self.workers.once(&Root::live(tools_dir), "");
        self.workers.pick(ward).await.map(|lease| lease.as_ref().level().clone())
    }

    /// The process numbers of the templates.
    pub fn template_pids(&self) -> Vec<u32> {
        self.workers.nursery().template_pids()
    }

    /// The process numbers of the workers that are ready.
    pub fn worker_pids(&self) -> Vec<u32> {
        self.workers.children().iter().map(|child| child.pid()).collect()
    }

    /// Runs one handler to its end. Dropping the future stops it.
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
        let errand = Errand {
            owner,
            root,
            handler,
            part: Part::Execute,
            args,
            context,
            services,
            time_limit,
            repeat,
        };
        self.run_part(errand, None).await
    }

    /// Where workers read: the code that was captured, or else the folder itself.
    fn root(&self, tools_dir: &Path, code: Option<&Arc<Code>>) -> Result<Root, String> {
        let Some(code) = code else { return Ok(Root::live(tools_dir)) };
        let (root, old) = self.copies.of(code, &self.workers.nursery().nest()?)?;
        for root in old {
            self.workers.dismiss_idle(&root);
        }
        Ok(root)
    }

    /// Runs one function of a file, in its own ward unless another is named.
    async fn run_part(&self, errand: Errand<'_>, ward: Option<Ward>) -> Finished {
        let Errand { owner, root, handler, part, services, time_limit, repeat, .. } = errand;
        let deadline = Instant::now() + time_limit;
        let prepared = (|| Ok((file_of(handler)?, raw(errand.args)?, raw(errand.context)?)))();
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
            let own = ward.clone();
            self.workers.pick(own.unwrap_or_else(|| self.workers.ward(&root, owner, file)))
        };
        let terms = Terms { deadline, limit: time_limit, repeat };
        let mut finished = run_until_ended(terms, pick, request).await;
        if let HandlerOutcome::Broke(HandlerFailure::Died { because }) = &mut finished.answer {
            *because = last_words::in_short(because, &root);
        }
        finished
    }
}

/// One function to run.
struct Errand<'a> {
    owner: &'a str,
    root: Root,
    handler: &'a str,
    part: Part,
    args: &'a Value,
    context: &'a Value,
    services: Arc<dyn Services>,
    time_limit: Duration,
    repeat: Repeat,
}

/// The file of `core/calculator.py#calculator`. It must lie below the tools folder.
fn file_of(handler: &str) -> Result<&str, String> {
    let file = handler.split_once('#').map_or(handler, |(file, _)| file);
    let is_below =
        !file.starts_with('/') && file.split('/').all(|step| step != ".." && !step.is_empty());
    match file.ends_with(".py") && is_below && !file.contains('\0') {
        true => Ok(file),
        false => Err(format!("`{file}` is no Python file below the tools directory")),
    }
}

fn raw(value: &Value) -> Result<Box<RawValue>, String> {
    to_raw_value(value).map_err(|fault| fault.to_string())
}

impl Host for PyHost {
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome> {
        Box::pin(async move { self.run_handler(HandlerRun::of(&job)).await.answer })
    }

    fn hook<'a>(&'a self, side: policy::Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
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
            } = side;
            let kind = match &what {
                policy::HookKind::Condition => SideKind::Condition,
                policy::HookKind::Status => SideKind::Status,
                policy::HookKind::Cleanup => SideKind::Cleanup,
                policy::HookKind::Ui(name) => SideKind::Ui(name),
            };
            let (params, context) = (&params, &context);
            let code = Some(code);
            let call = SideCall {
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
            PyHost::side(self, call).await.map_err(|fault| fault.to_string())
        })
    }
}
