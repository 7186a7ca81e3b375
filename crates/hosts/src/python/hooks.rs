//! The other functions of a tool: condition, status, cleanup and form handlers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::Code;
use policy::{HandlerException, HandlerFailure, HandlerOutcome, Services};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::EntryPoint;
use crate::run_handler::{Finished, Repeat};

use super::{FunctionRun, PyHost};

/// A call of such a function.
pub struct HookCall<'a> {
    /// Whom it runs for; see [`policy::Job::owner`].
    pub owner: &'a str,
    pub tools_dir: &'a Path,
    /// See [`crate::HandlerRun::code`].
    pub code: Option<&'a Arc<Code>>,
    /// `core/calculator.py#calculator`.
    pub handler: &'a str,
    pub kind: HookKind<'a>,
    /// The values of the form; null for all others.
    pub params: &'a Value,
    /// As for a tool; functions with such parameters get its `metadata` or `conversationId`.
    pub context: &'a Value,
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookKind<'a> {
    /// Returns true or false; true without a condition.
    Condition,
    /// Returns text or null.
    Status,
    /// Returns null.
    Cleanup,
    /// Returns a [`UiReply`].
    Ui(&'a str),
}

/// The result of a form handler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UiReply {
    pub success: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear_inputs: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_components: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_modal: Option<bool>,
}

/// Why a hook has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum HookFault {
    #[error("{}", .0.message)]
    Threw(Box<HandlerException>),
    #[error("{0}")]
    Broke(HandlerFailure),
    #[error("its result is not a valid form response: {0}")]
    BadReply(String),
}

impl PyHost {
    /// Runs a hook to its end. Dropping the future stops it.
    pub async fn run_hook(&self, call: HookCall<'_>) -> Result<Value, HookFault> {
        let HookCall {
            owner,
            tools_dir,
            code,
            handler,
            kind,
            params,
            context,
            services,
            time_limit,
        } = call;
        let not_started = |because| HookFault::Broke(HandlerFailure::NotStarted { because });
        let root = self.root(tools_dir, code).map_err(not_started)?;
        let (part, repeat) = match kind {
            HookKind::Condition => (EntryPoint::Condition, Repeat::Safe),
            HookKind::Status => (EntryPoint::Status, Repeat::Safe),
            HookKind::Cleanup => (EntryPoint::Cleanup, Repeat::Never),
            HookKind::Ui(name) => (EntryPoint::Ui(name.to_owned()), Repeat::Never),
        };
        let args = params;
        let run =
            FunctionRun { owner, root, handler, part, args, context, services, time_limit, repeat };
        let Finished { answer, .. } = self.run_part(run, None).await;
        match (answer, kind) {
            (HandlerOutcome::Returned(value), HookKind::Ui(_)) => ui_reply(value),
            (
                HandlerOutcome::Returned(value),
                HookKind::Condition | HookKind::Status | HookKind::Cleanup,
            ) => Ok(value),
            (HandlerOutcome::Threw(thrown), _) => Err(HookFault::Threw(Box::new(thrown))),
            (HandlerOutcome::Broke(breakdown), _) => Err(HookFault::Broke(breakdown)),
        }
    }
}

/// Keeps only the known fields and checks their types.
fn ui_reply(value: Value) -> Result<Value, HookFault> {
    let bad = |fault: serde_json::Error| HookFault::BadReply(fault.to_string());
    let reply: UiReply = serde_json::from_value(value).map_err(bad)?;
    serde_json::to_value(reply).map_err(bad)
}
