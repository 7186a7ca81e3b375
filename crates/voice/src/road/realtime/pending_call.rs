//! A call that a response is writing.

use policy::Timestamp;

use crate::event::AnswerEnd;
use crate::input::Input;
use crate::road::tools::{WireTools, malformed};

#[derive(Debug)]
pub(super) struct PendingCall {
    pub(super) response: String,
    pub(super) item: String,
    pub(super) call: String,
    pub(super) name: String,
    pub(super) arguments: String,
    /// When the item was complete.
    pub(super) done_at: Option<Timestamp>,
}

impl PendingCall {
    /// A call of a complete response runs; one of an interrupted response is answered and never runs.
    pub(super) fn input(&self, end: AnswerEnd, was_wanted: bool, tools: &WireTools) -> Input {
        match (end, was_wanted) {
            (AnswerEnd::Completed, true) => {
                tools.call_of_text(&self.call, &self.name, &self.arguments)
            }
            (
                AnswerEnd::Completed | AnswerEnd::Cancelled | AnswerEnd::Failed | AnswerEnd::Lost,
                _,
            ) => {
                let why = "The answer broke off before the call was complete, so it was not made.";
                malformed(&self.call, &self.name, why)
            }
        }
    }
}
