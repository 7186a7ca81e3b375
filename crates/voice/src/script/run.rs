//! What came of a script.

use serde_json::Value;

use super::print::{OutputLine, Source};
use crate::command::EndReport;
use crate::event::LogEntry;
use crate::road::Outgoing;
use crate::state::State;

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// One line for each event, in order.
    pub output: Vec<OutputLine>,
    pub log: Vec<LogEntry>,
    pub state: Option<State>,
    pub report: Option<EndReport>,
    /// What was expected and did not come.
    pub failures: Vec<String>,
    /// What was sent, as it was sent.
    pub sent: Vec<Outgoing>,
    /// The messages of the far side.
    pub received: Vec<Value>,
    /// How often sound came out while the person spoke, fades aside.
    pub talked_over_ms: u64,
}

impl Run {
    /// The decisions, each with its time: the same on every road.
    pub fn decisions(&self) -> Vec<String> {
        let decided = self.output.iter().filter(|line| line.source == Source::Decided);
        decided.map(ToString::to_string).collect()
    }

    /// Everything, one line for each event.
    pub fn text(&self) -> String {
        self.output.iter().map(|line| format!("{line}\n")).collect()
    }
}
