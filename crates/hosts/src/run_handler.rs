//! Runs a handler in a child of any host: starts it, waits within its time limit, and retries it
//! only where that is safe.
//!
//! Must hold: a call runs a second time only if its tool is declared idempotent *and* it had not
//! used any service.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::Code;
use policy::{BoxFuture, HandlerFailure, HandlerOutcome, Job, ServiceFault, Services};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::child::{CallOutcome, Child, Request};

/// How often a call is attempted if its child dies.
const ATTEMPTS_MAX: u32 = 2;

/// Whether a call may run again after its child died.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeat {
    /// The tool is idempotent.
    Safe,
    Never,
}

/// One run of one handler.
pub struct HandlerRun<'a> {
    /// Whose call it is; see [`policy::Job::owner`].
    pub owner: &'a str,
    pub tools_dir: &'a Path,
    /// All code that may be loaded. Without it, the current files in `tools_dir` are loaded, for
    /// callers without a registry.
    pub code: Option<&'a Arc<Code>>,
    /// The handler's file below `tools_dir`.
    pub handler: &'a str,
    pub args: &'a Value,
    /// The plain fields of `context`; its `capabilities` say which functions are available.
    pub context: &'a Value,
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
    pub repeat: Repeat,
}

impl<'a> HandlerRun<'a> {
    /// The run for a job.
    pub(crate) fn of(job: &'a Job<'a>) -> Self {
        let call = job.run.call();
        Self {
            owner: job.owner,
            tools_dir: job.tools_dir,
            code: Some(job.code),
            handler: job.handler,
            args: call.args(),
            context: &job.context,
            services: Arc::clone(&job.services),
            time_limit: job.time_limit,
            repeat: if call.contract().idempotent { Repeat::Safe } else { Repeat::Never },
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub answer: HandlerOutcome,
    /// Whether it used any service except the log; if not, it had no effect.
    pub used_services: bool,
    /// How often it was started.
    pub attempts: u32,
}

impl Finished {
    pub(crate) fn not_started(because: String, attempts: u32) -> Self {
        let answer = HandlerOutcome::Broke(HandlerFailure::NotStarted { because });
        Self { answer, used_services: false, attempts }
    }
}

/// Time limit and retry policy.
pub(crate) struct RunLimits {
    pub deadline: Instant,
    pub limit: Duration,
    pub repeat: Repeat,
}

/// Runs one call to its end. `pick` chooses a child, and `request` builds the request for the
/// remaining time.
pub(crate) async fn run_until_ended<P, C>(
    run_limits: RunLimits,
    pick: impl Fn() -> P,
    request: impl Fn(Duration) -> Request,
) -> Finished
where
    P: Future<Output = Result<C, String>>,
    C: AsRef<Arc<Child>>,
{
    let RunLimits { deadline, limit, repeat } = run_limits;
    let limit_ms = millis(limit);
    let mut attempts = 0;
    loop {
        let child = match timeout_at(deadline, pick()).await {
            Ok(Ok(child)) => child,
            Ok(Err(because)) => return Finished::not_started(because, attempts),
            Err(_) => {
                let because = format!("no child was ready within {limit_ms} ms");
                return Finished::not_started(because, attempts);
            }
        };
        attempts += 1;
        let time = deadline.saturating_duration_since(Instant::now());
        let mut handle = match child.as_ref().open(request(time)) {
            Ok(handle) => handle,
            Err(because) => return Finished::not_started(because, attempts),
        };
        match timeout_at(deadline, handle.outcome()).await {
            Ok(CallOutcome::Answered { answer, used_services, .. }) => {
                return Finished { answer, used_services, attempts };
            }
            Ok(CallOutcome::Lost { because, used_services }) => {
                let may_repeat = repeat == Repeat::Safe && !used_services;
                if may_repeat && attempts < ATTEMPTS_MAX {
                    tracing::warn!(%because, "its child died; retrying in another");
                    continue;
                }
                let answer = HandlerOutcome::Broke(HandlerFailure::Died { because });
                return Finished { answer, used_services, attempts };
            }
            Err(_) => {
                let used_services = handle.give_up();
                let answer = HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms });
                return Finished { answer, used_services, attempts };
            }
        }
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// For files that are only inspected.
pub(crate) struct NoServices;

impl Services for NoServices {
    fn call(&self, name: &str, _: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        let message = format!("`{name}` is not available while a file is only inspected");
        let fault = ServiceFault { code: "NOT_AVAILABLE".to_owned(), message };
        Box::pin(async move { Err(fault) })
    }
}
