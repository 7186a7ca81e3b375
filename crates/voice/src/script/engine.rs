//! The engine of a scripted session: what settles calls while the virtual clock stands still.
//!
//! In: the calls that a session wants run, and a person's answers. Out: [`EngineEvent`]s, now or
//! later in virtual time. `played_engine.rs` plays the handlers of a script; a program that has a
//! project implements [`ScriptEngine`] over its real engine.

use std::collections::BTreeMap;

use contract::{Call, CallId, HandlerAnswer};
use policy::{ApprovalChoice, RequestId, Timestamp};
use serde_json::Value;

use super::statement::ToolEnd;
use crate::event::{Asker, CallResult, LogEntry, Waits};

/// What an engine does with a call.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineEvent {
    /// A handler runs, perhaps with the answers of a form; some played ones end by themselves.
    Runs {
        call: CallId,
        answers: Option<String>,
        ends: Option<(u64, ToolEnd)>,
    },
    Settled {
        call: CallId,
        result: CallResult,
    },
    Waits {
        call: CallId,
        waits: Waits,
    },
    /// A tool's message for the client.
    Message {
        call: CallId,
        message: Value,
    },
    Noted(String),
    /// The same, so many milliseconds later.
    Later {
        ms: u64,
        event: Box<EngineEvent>,
    },
}

/// A form that a person wants: its feature, and the tools that its buttons call.
pub type WantedForm = (Value, BTreeMap<String, String>);

/// Settles the calls of a scripted session, and stores its log.
pub trait ScriptEngine {
    /// Settles a call as far as it comes. A call that is known is settled again.
    fn run(&mut self, now: Timestamp, turn: u64, call: &Call, by: &Asker) -> Vec<EngineEvent>;

    /// A played handler ends as the script says.
    fn end(&mut self, now: Timestamp, call: &CallId, end: &ToolEnd) -> Vec<EngineEvent>;

    /// Asks the handler to stop.
    fn cancel(&mut self, now: Timestamp, call: &CallId) -> Vec<EngineEvent>;

    /// A person answered, by voice or with the button.
    fn answer_approval(
        &mut self,
        now: Timestamp,
        request: &RequestId,
        choice: ApprovalChoice,
    ) -> Vec<EngineEvent>;

    fn answer_form(
        &mut self,
        now: Timestamp,
        call: &CallId,
        name: &str,
        answer: HandlerAnswer,
    ) -> Vec<EngineEvent>;

    /// The form of a tool, as the script gives it or as the project has it, and the tools that
    /// its buttons call.
    fn form(&mut self, tool: &str, given: Option<Value>) -> Result<WantedForm, String>;

    /// The newest open approval, for the button of the page.
    fn open_approval(&self) -> Option<RequestId>;

    /// The process ended: its handlers are gone, and the outcome of writes is unknown.
    fn restart(&mut self, now: Timestamp);

    /// Stores one entry of the session's log; an error is a failure of the run.
    fn record(&mut self, entry: &LogEntry) -> Result<(), String>;
}
