//! What a drafting session needs from outside: a conversation with the model, and a view.
//!
//! The command line implements both: [`Conversation`] with the engine and the store, [`View`]
//! with the terminal. Faults of either pass through the session unchanged.

use contract::Usage;
use serde_json::Value;

use super::{DraftEvent, EventKind, Shown};
use crate::style::profile::{BadProfileName, ProfileFault};
use crate::text::language::Lang;
use crate::workspace::WorkspaceFault;

/// The result of a tool, or why it failed.
pub type ToolResult = Result<Value, ToolFailure>;

/// Why a tool failed.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFailure {
    pub message: String,
    /// What the tool returned, where it returned something.
    pub data: Value,
}

impl ToolFailure {
    /// The message for the author.
    pub fn text(&self) -> &str {
        self.field("message").unwrap_or(&self.message)
    }

    /// A text of what the tool returned.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.data.get(name).and_then(Value::as_str)
    }
}

/// A conversation with the model, the tools that the session runs itself, and the draft's log.
pub trait Conversation {
    type Fault;

    /// Begins the conversation, unless it has begun already.
    fn begin(&mut self, system: String) -> impl Future<Output = Result<(), Self::Fault>>;

    /// Sends a message and returns the answer. The model cannot save or change anything: every
    /// approval that it requests is declined.
    fn ask(&mut self, message: &str) -> impl Future<Output = Result<String, Self::Fault>>;

    /// Runs a tool that needs no approval.
    fn run(&mut self, tool: &str, args: Value) -> impl Future<Output = ToolResult>;

    /// Runs a tool that the author has just approved. The approval covers this call only.
    fn run_approved(
        &mut self,
        tool: &str,
        args: Value,
    ) -> impl Future<Output = Result<ToolResult, Self::Fault>>;

    /// The results of this tool in the last turn.
    fn last_results(&self, tool: &str) -> impl Future<Output = Result<Vec<Value>, Self::Fault>>;

    /// The events since the last call, for the session log.
    fn new_events(&mut self) -> impl Future<Output = Result<Vec<(EventKind, Value)>, Self::Fault>>;

    /// Tokens so far, and their cost in dollars if the price is known.
    fn spent(&self) -> impl Future<Output = Result<(Usage, Option<f64>), Self::Fault>>;

    /// Writes an event of the draft; it is on the disk when this returns.
    fn keep(&mut self, event: &DraftEvent) -> impl Future<Output = Result<(), Self::Fault>>;
}

/// Where the author sees the session.
pub trait View {
    type Fault;

    fn show(&mut self, shown: &Shown) -> Result<(), Self::Fault>;

    /// A fault of the session as one of the caller.
    fn fault(&self, fault: SessionFault) -> Self::Fault;
}

/// Why a session stops.
#[derive(Debug)]
pub enum SessionFault {
    BadName(BadProfileName),
    Profile(WorkspaceFault),
    Mix(ProfileFault),
    Message { what: String, fix: String },
}

impl SessionFault {
    /// What is wrong and what to do, in the writer's language.
    pub fn words(&self, lang: Lang) -> (String, String) {
        match self {
            SessionFault::BadName(bad) => (bad.text(lang), lang.say("profile.name_fix").to_owned()),
            SessionFault::Profile(fault) => (fault.text(lang), fault.fix(lang).to_owned()),
            SessionFault::Mix(fault) => (fault.text(lang), lang.say("draft.mix_fix").to_owned()),
            SessionFault::Message { what, fix } => (what.clone(), fix.clone()),
        }
    }

    pub(super) fn message(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Message { what: what.into(), fix: fix.into() }
    }
}
