//! One run of a handler in a child of any host: it is started, waited for no longer than its
//! limit, and started again only where that is safe.
//!
//! Must hold: a call runs a second time only if its tool is declared safe to repeat *and* it
//! had not asked for a single service.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::Code;
use policy::{BoxFuture, HandlerFailure, HandlerOutcome, Job, ServiceFault, Services};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::child::{Child, Ending, Request};

/// How often a call may lose its child before it gives up.
const ATTEMPTS_MAX: u32 = 2;

/// Whether a call may run again after its child was lost.
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
    /// All that may be loaded. Without it the files in `tools_dir` are, as they are now: for
    /// whoever has no registry.
    pub code: Option<&'a Arc<Code>>,
    /// The handler's file below `tools_dir`.
    pub handler: &'a str,
    pub args: &'a Value,
    /// The plain part of `context`; `capabilities` in it says which functions are there.
    pub context: &'a Value,
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
    pub repeat: Repeat,
}

impl<'a> HandlerRun<'a> {
    /// The run that a job asks for.
    pub(crate) fn of(job: &'a Job<'a>) -> Self {
        let call = job.approved.call();
        Self {
            owner: job.owner,
            tools_dir: job.tools_dir,
            code: Some(job.code),
            handler: job.handler,
            args: &call.args,
            context: &job.context,
            services: Arc::clone(&job.services),
            time_limit: job.time_limit,
            repeat: if call.contract.idempotent { Repeat::Safe } else { Repeat::Never },
        }
    }
}

/// How a run ended, and what is needed to judge it.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub answer: HandlerOutcome,
    /// Whether it asked for any service but the log; if not, it had no effect.
    pub called_out: bool,
    /// How often it was started.
    pub attempts: u32,
}

impl Finished {
    pub(crate) fn not_started(because: String, attempts: u32) -> Self {
        let answer = HandlerOutcome::Broke(HandlerFailure::NotStarted { because });
        Self { answer, called_out: false, attempts }
    }
}

/// How long, and how often.
pub(crate) struct Terms {
    pub deadline: Instant,
    pub limit: Duration,
    pub repeat: Repeat,
}

/// Runs one call to its end. `pick` is asked for a child that is kept for the call, `request`
/// is told the time that is left.
pub(crate) async fn run_until_ended<P, C>(
    terms: Terms,
    pick: impl Fn() -> P,
    request: impl Fn(Duration) -> Request,
) -> Finished
where
    P: Future<Output = Result<C, String>>,
    C: AsRef<Arc<Child>>,
{
    let Terms { deadline, limit, repeat } = terms;
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
        let mut ticket = match child.as_ref().open(request(time)) {
            Ok(ticket) => ticket,
            Err(because) => return Finished::not_started(because, attempts),
        };
        match timeout_at(deadline, ticket.ending()).await {
            Ok(Ending::Answered { answer, called_out, .. }) => {
                return Finished { answer, called_out, attempts };
            }
            Ok(Ending::Lost { because, called_out }) => {
                let may_repeat = repeat == Repeat::Safe && !called_out;
                if may_repeat && attempts < ATTEMPTS_MAX {
                    tracing::warn!(%because, "its child is gone; it starts again in another");
                    continue;
                }
                let answer = HandlerOutcome::Broke(HandlerFailure::Died { because });
                return Finished { answer, called_out, attempts };
            }
            Err(_) => {
                let called_out = ticket.give_up();
                let answer = HandlerOutcome::Broke(HandlerFailure::TimedOut { limit_ms });
                return Finished { answer, called_out, attempts };
            }
        }
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A file that is only looked at reaches nothing.
pub(crate) struct NoServices;

impl Services for NoServices {
    fn call(&self, name: &str, _: Value) -> BoxFuture<'static, Result<Value, ServiceFault>> {
        let message = format!("`{name}` cannot be used while a file is only looked at");
        let fault = ServiceFault { code: "NOT_AVAILABLE".to_owned(), message };
        Box::pin(async move { Err(fault) })
    }
}
