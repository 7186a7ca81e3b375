//! The functions beside a tool's own: its condition, its status, its cleanup, its form handlers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::Code;
use policy::{HandlerException, HandlerFailure, HandlerOutcome, Services};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::{Finished, Repeat};
use crate::wire::Part;

use super::{Errand, PyHost};

/// One such function.
pub struct SideCall<'a> {
    /// Whom it is done for; see [`policy::Job::owner`].
    pub owner: &'a str,
    pub tools_dir: &'a Path,
    /// See [`crate::HandlerRun::code`].
    pub code: Option<&'a Arc<Code>>,
    /// `core/calculator.py#calculator`.
    pub handler: &'a str,
    pub kind: SideKind<'a>,
    /// What was filled into the form; null for all others.
    pub params: &'a Value,
    /// As for a tool; `metadata` in it, or a `conversationId`, is passed to functions that
    /// have a parameter for it.
    pub context: &'a Value,
    pub services: Arc<dyn Services>,
    pub time_limit: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideKind<'a> {
    /// Gives true or false; without a condition true.
    Condition,
    /// Gives text, or null.
    Status,
    /// Gives null.
    Cleanup,
    /// Gives a [`UiReply`].
    Ui(&'a str),
}

/// What a form handler answers.
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

/// Why such a function gave nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SideFault {
    #[error("{}", .0.message)]
    Threw(Box<HandlerException>),
    #[error("{0}")]
    Broke(HandlerFailure),
    #[error("its answer is no reply to a form: {0}")]
    BadReply(String),
}

impl PyHost {
    /// Runs one such function to its end. Dropping the future stops it.
    pub async fn side(&self, call: SideCall<'_>) -> Result<Value, SideFault> {
        let SideCall {
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
        let not_started = |because| SideFault::Broke(HandlerFailure::NotStarted { because });
        let root = self.root(tools_dir, code).map_err(not_started)?;
        let (part, repeat) = match kind {
            SideKind::Condition => (Part::Condition, Repeat::Safe),
            SideKind::Status => (Part::Status, Repeat::Safe),
            SideKind::Cleanup => (Part::Cleanup, Repeat::Never),
            SideKind::Ui(name) => (Part::Ui(name.to_owned()), Repeat::Never),
        };
        let args = params;
        let errand =
            Errand { owner, root, handler, part, args, context, services, time_limit, repeat };
        let Finished { answer, .. } = self.run_part(errand, None).await;
        match (answer, kind) {
            (HandlerOutcome::Returned(value), SideKind::Ui(_)) => ui_reply(value),
            (
                HandlerOutcome::Returned(value),
                SideKind::Condition | SideKind::Status | SideKind::Cleanup,
            ) => Ok(value),
            (HandlerOutcome::Threw(thrown), _) => Err(SideFault::Threw(Box::new(thrown))),
            (HandlerOutcome::Broke(breakdown), _) => Err(SideFault::Broke(breakdown)),
        }
    }
}

/// Only what the format names goes on, and all of it has the right type.
fn ui_reply(value: Value) -> Result<Value, SideFault> {
    let bad = |fault: serde_json::Error| SideFault::BadReply(fault.to_string());
    let reply: UiReply = serde_json::from_value(value).map_err(bad)?;
    serde_json::to_value(reply).map_err(bad)
}
