//! What a drafting session needs from outside: a conversation with the model, and the author.
//!
//! The command line implements both: [`Conversation`] with the engine, [`Author`] with the
//! terminal. Faults of either pass through the session unchanged.

use contract::Usage;
use serde_json::Value;

use super::EventKind;
use crate::lint::Report;
use crate::posts::length::Platform;
use crate::style::profile::{BadProfileName, Profile, ProfileFault};
use crate::workspace::WorkspaceFault;

/// The result of a tool, or its error message.
pub type ToolResult = Result<Value, String>;

/// A conversation with the model, and the tools that the session runs itself.
pub trait Conversation {
    type Fault;

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
}

/// The person who writes: sees drafts, types feedback.
pub trait Author {
    type Fault;

    /// A fault of the session as one of the caller.
    fn fault(&self, fault: SessionFault) -> Self::Fault;

    /// Prints a fault after which the session continues.
    fn show_fault(&mut self, fault: &Self::Fault) -> Result<(), Self::Fault>;

    /// Prints text that the author may want to copy.
    fn text(&mut self, text: &str) -> Result<(), Self::Fault>;

    fn message(&mut self, message: &str) -> Result<(), Self::Fault>;

    /// A message in the background.
    fn note(&mut self, message: &str) -> Result<(), Self::Fault>;

    /// A message that ends with a value to stress.
    fn value(&mut self, label: &str, value: &str) -> Result<(), Self::Fault>;

    /// A step that the session took.
    fn step(&mut self, tool: &str, result: &str);

    /// The length and the findings of a draft.
    fn findings(
        &mut self,
        draft: &str,
        profile: &Profile,
        platform: Platform,
        report: &Report,
    ) -> Result<(), Self::Fault>;

    /// A proposed profile change: why, the field, and its old and new value.
    fn proposal(&mut self, why: &str, field: &str, values: &[String; 2])
    -> Result<(), Self::Fault>;

    /// Asks for feedback.
    fn invite(&mut self, invitation: &str) -> Result<(), Self::Fault>;

    /// The next line; `None` if the author is gone.
    fn read_line(&mut self) -> Result<Option<String>, Self::Fault>;

    /// Opens the text in the author's editor.
    fn edit(&mut self, text: &str) -> Result<Edited, Self::Fault>;
}

/// The result of an edit by hand.
#[derive(Debug)]
pub enum Edited {
    NoEditor,
    Unchanged,
    Text(String),
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
    pub(super) fn message(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::Message { what: what.into(), fix: fix.into() }
    }
}
