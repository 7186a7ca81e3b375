//! The port through which handlers run: what a host takes, what it may call back, what it
//! gives.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use contract::{Code, ErrorType};
use serde_json::Value;

use crate::Approved;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What runs handlers of one kind.
pub trait Host: Send + Sync {
    /// Runs one handler to its end. The answer is there at the latest shortly after
    /// `job.time_limit`, whatever the handler does. Dropping the future stops the handler.
    fn run<'a>(&'a self, job: Job<'a>) -> BoxFuture<'a, HandlerOutcome>;

    /// Does something of a tool beside its calls; most hosts have tools without any.
    fn hook<'a>(&'a self, _side: Hook<'a>) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(async { Err("handlers of this kind have calls and nothing beside".to_owned()) })
    }
}

/// Something that a tool does beside being called, never on a model's word.
pub struct Hook<'a> {
    /// Whom it is done for; see [`Job::owner`].
    pub owner: &'a str,
    pub tools_dir: &'a Path,
    /// All that a host may load for it.
    pub code: &'a Arc<Code>,
    pub handler: &'a str,
    pub what: HookKind,
    /// What a form sent; null for all others.
    pub params: Value,
    pub context: Value,
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookKind {
    /// Is the tool available now? Answers a bool.
    Condition,
    /// One line for the dashboard. Answers a text.
    Status,
    /// After the whole answer.
    Cleanup,
    /// A person sent a form; this is the handler's name.
    Ui(String),
}

/// One run of one handler.
pub struct Job<'a> {
    pub approved: &'a Approved,
    /// Whose call it is. What one owner's calls leave behind in a host, no other owner's meet.
    pub owner: &'a str,
    /// The directory of all tools; relative imports may not leave it.
    pub tools_dir: &'a Path,
    /// All that a host may load for it: the code as it was when the call was judged. Files
    /// that have changed since are not looked at.
    pub code: &'a Arc<Code>,
    /// The handler's file below `tools_dir`; empty for a native one.
    pub handler: &'a str,
    /// The plain part of the handler's `context`: `clientId`, `tool`, `session`, `call`.
    pub context: Value,
    /// Everything a handler may ask for. The host checks nothing: the other side does.
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
}

/// What a handler may ask of the program around it, by name: `kv.get`, `fetch`,
/// `secrets.get`, `files.read`, `messaging.send`, `audit.log`, `progress`, `chunk`.
pub trait Services: Send + Sync {
    fn call(&self, name: &str, args: Value) -> BoxFuture<'static, Result<Value, ServiceFault>>;
}

/// Why a service said no. `code` reaches the handler as `error.code`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceFault {
    pub code: String,
    pub message: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum HandlerOutcome {
    /// What `execute` returned; not looked at yet.
    Returned(Value),
    /// A `ToolError`, or anything else the handler threw.
    Threw(HandlerException),
    /// The handler did not end by itself.
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

/// Why a handler did not end by itself.
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
    /// Nothing ran: the handler could not be loaded, or the sandbox could not be had.
    #[error("it could not be started: {because}")]
    NotStarted { because: String },
}
