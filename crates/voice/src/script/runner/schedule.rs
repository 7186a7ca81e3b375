//! What will happen, ordered by time.

use std::cmp::Ordering;

use contract::CallId;

use crate::input::Input;
use crate::script::engine::EngineEvent;
use crate::script::provider::Delivery;
use crate::script::statement::{Action, ToolEnd};

/// Something that happens later. Ordered by time, then by the order in which it was planned.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) at: u64,
    pub(super) number: u64,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Action(Action),
    Input(Input),
    /// The answer of the far side to something of ours.
    Delivery(Delivery),
    SpeechStops {
        text: Option<String>,
    },
    /// The provider's transcript.
    Transcript {
        text: String,
    },
    ToolEnds {
        call: CallId,
        end: ToolEnd,
    },
    Engine(EngineEvent),
}

impl PartialEq for Planned {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}
impl Eq for Planned {}
impl PartialOrd for Planned {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Planned {
    /// The earliest is the greatest: a heap gives that first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}
