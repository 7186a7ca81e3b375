//! The interface of hosts: what a host runs, which services it may call, and what it returns.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use contract::{Code, ErrorType};
use serde_json::Value;

use crate::Run;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Runs handlers of one kind.
pub trait Host: Send + Sync {
    /// Runs one handler. Returns shortly after `job.time_limit` at the latest, whatever the
    /// handler does. Dropping the future stops the handler.
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome>;

    /// Runs a hook of a tool: its condition, status, cleanup or a form handler.
    fn hook<'a>(&'a self, _hook: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(async { Err("handlers of this kind have no hooks".to_owned()) })
    }
}

/// One run of a tool's hook. Hooks never run at a model's request.
pub struct Hook<'a> {
    /// The owner; see [`Job::owner`].
    pub owner: &'a str,
    pub tools_dir: &'a Path,
    /// Everything the host may load.
    pub code: &'a Arc<Code>,
    pub handler: &'a str,
    pub what: HookKind,
    /// The submitted form; null for other hooks.
    pub params: Value,
    pub context: Value,
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookKind {
    /// Whether the tool is available now. Returns a bool.
    Condition,
    /// One line for the dashboard. Returns a string.
    Status,
    /// Runs after the whole answer.
    Cleanup,
    /// A person submitted a form; this is the handler's name.
    Ui(String),
}

/// One run of one handler.
pub struct Job<'a> {
    pub run: Run<'a>,
    /// Whose call it is. Owners do not share state inside a host.
    pub owner: &'a str,
    /// The directory of all tools; relative imports may not leave it.
    pub tools_dir: &'a Path,
    /// Everything the host may load: the code as it was when the call was judged. Later changes
    /// of the files have no effect.
    pub code: &'a Arc<Code>,
    /// The handler's file below `tools_dir`; empty for a native handler.
    pub handler: &'a str,
    /// The plain part of the handler's `context`: `clientId`, `tool`, `session`, `call`.
    pub context: Value,
    /// The services a handler may call. The host does not check permissions; the services do.
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
}

/// The services that a handler may call, by name: `kv.get`, `fetch`,
/// `secrets.get`, `files.read`, `messaging.send`, `audit.log`, `progress`, `chunk`.
pub trait Services: Send + Sync {
    fn call(&self, name: &str, args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>>;
}

/// Why a service failed. `code` reaches the handler as `error.code`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceFault {
    pub code: String,
    pub message: String,
}

/// How a run of a handler ended.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerOutcome {
    /// What `execute` returned; not checked yet.
    Returned(Value),
    /// A `ToolError`, or anything else the handler threw.
    Threw(HandlerException),
    /// The handler was stopped or could not run.
    Broke(HandlerFailure),
}

/// What a handler threw. For people; the caller decides what the model may read.
#[derive(Debug, Clone, PartialEq)]
pub struct HandlerException {
    /// The type of a `ToolError`; none for any other exception.
    pub kind: Option<ErrorType>,
    pub message: String,
    pub retryable: bool,
    pub partial_side_effects: bool,
    pub details: Value,
    /// `kb-search/handler.js:12:5`, with the source line, for the author.
    pub place: Option<String>,
}

/// Why a handler was stopped or could not run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HandlerFailure {
    #[error("it ran longer than {limit_ms} ms and was stopped")]
    TimedOut { limit_ms: u64 },
    #[error("it used more than {limit} and was stopped")]
    OverLimit { limit: String },
    #[error("it waits for something that can never happen")]
    Stalled,
    #[error("the process that ran it ended: {because}")]
    Died { because: String },
    /// Nothing ran: the handler could not be loaded, or the sandbox could not be created.
    #[error("it could not be started: {because}")]
    NotStarted { because: String },
}
