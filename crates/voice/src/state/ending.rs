//! The end of a session, once a tool or the person asked for it.

use contract::After;
use policy::Timestamp;
use serde::Serialize;

use crate::config::{FarewellBy, InterruptedEnding, Presence};
use crate::event::{EndingEvent, Purpose};
use crate::ids::UtteranceId;
use crate::state::State;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Ending {
    pub(crate) cause: String,
    pub(crate) after: After,
    pub(crate) interrupted: InterruptedEnding,
    pub(crate) since: Timestamp,
    pub(crate) farewell: Farewell,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Farewell {
    /// There is none.
    None,
    /// We say these words.
    ToSay(String),
    /// The model says it, or we say these words if it does not.
    Awaited {
        otherwise: Option<String>,
    },
    Saying(UtteranceId),
    Over,
}

impl State {
    pub(super) fn apply_ending(&mut self, event: &EndingEvent) {
        match event {
            EndingEvent::Started { cause, after, interrupted, farewell } => {
                let farewell = match (after, farewell, self.config.ending.farewell_by) {
                    (After::Immediate | After::CurrentTurn, ..) => Farewell::None,
                    (After::FarewellSpoken, Some(words), FarewellBy::Us)
                        if self.config.own.speech == Presence::Present =>
                    {
                        Farewell::ToSay(words.clone())
                    }
                    (After::FarewellSpoken, words, FarewellBy::Us | FarewellBy::Model) => {
                        Farewell::Awaited { otherwise: words.clone() }
                    }
                };
                self.ending = Some(Ending {
                    cause: cause.clone(),
                    after: *after,
                    interrupted: *interrupted,
                    since: self.now,
                    farewell,
                });
            }
            EndingEvent::Farewell { utterance } => {
                if let Some(ending) = &mut self.ending {
                    ending.farewell = Farewell::Saying(*utterance);
                }
                // A farewell is heard even where a tool asked for silence.
                self.playback.unsuppress(*utterance);
            }
            EndingEvent::Cancelled => self.ending = None,
        }
    }

    pub(super) fn farewell_queued(&mut self, utterance: UtteranceId, purpose: Purpose) {
        if purpose == Purpose::Farewell
            && let Some(ending) = &mut self.ending
        {
            ending.farewell = Farewell::Saying(utterance);
        }
    }

    pub(super) fn farewell_closed(&mut self, utterance: UtteranceId) {
        if let Some(ending) = &mut self.ending
            && ending.farewell == Farewell::Saying(utterance)
        {
            ending.farewell = Farewell::Over;
        }
    }
}
