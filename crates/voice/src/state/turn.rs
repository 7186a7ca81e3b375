//! The turn: what the model was asked, and how far it is.

use policy::Timestamp;
use serde::Serialize;

use crate::event::TurnEvent;
use crate::ids::TurnNumber;
use crate::state::State;
use crate::transcript::{Line, Shown, Speaker};

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Turn {
    pub(crate) number: TurnNumber,
    pub(crate) response: Response,
    pub(crate) fillers: Fillers,
    pub(crate) answered: Answered,
    /// A result waits for the model to speak about it.
    pub(crate) owes_speech: bool,
    /// The person interrupted it.
    pub(crate) interrupted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Response {
    #[default]
    Idle,
    Requested {
        at: Timestamp,
    },
    Answering,
    /// The connection broke before the end.
    Lost,
    Done,
}

/// Whether anything of the answer has begun to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answered {
    #[default]
    NotYet,
    Begun,
}

/// Which fillers this turn has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Fillers {
    pub(crate) tone: bool,
    pub(crate) phrase: bool,
}

impl Turn {
    /// Whether an answer is expected or being given.
    pub(crate) fn is_active(&self) -> bool {
        match self.response {
            Response::Requested { .. } | Response::Answering => true,
            Response::Idle | Response::Lost | Response::Done => false,
        }
    }

    pub(super) fn lose(&mut self) {
        if self.is_active() {
            self.response = Response::Lost;
        }
    }
}

impl State {
    pub(super) fn apply_turn(&mut self, event: &TurnEvent) {
        let now = self.now;
        match event {
            TurnEvent::Requested { turn, pending, .. } => {
                self.turn = Turn {
                    number: *turn,
                    response: Response::Requested { at: now },
                    ..Turn::default()
                };
                self.pending.drain(..pending.len().min(self.pending.len()));
                self.add_pending_lines(pending, *turn);
                self.user.send(*turn);
            }
            TurnEvent::RequestedAgain { .. } => {
                self.turn.response = Response::Requested { at: now }
            }
            TurnEvent::Continued => {
                self.turn.response = Response::Requested { at: now };
                self.turn.owes_speech = false;
            }
            TurnEvent::Interrupted => {
                self.turn.response = Response::Idle;
                (self.turn.owes_speech, self.turn.interrupted) = (false, true);
                self.calls.silence(self.turn.number);
            }
            TurnEvent::Done => self.turn.response = Response::Done,
            TurnEvent::NoAnswer => self.turn.response = Response::Idle,
        }
    }

    /// Messages that were delivered with a turn stand just before what was said in it.
    fn add_pending_lines(&mut self, pending: &[String], turn: TurnNumber) {
        let spoken = self.user.confirmed().map(|speech| speech.started_at).min();
        let at = spoken.map_or(self.now, |at| Timestamp(at.0.saturating_sub(1)));
        for text in pending {
            let (speaker, shown) = (Speaker::User, Shown::Yes);
            self.add_line(Line { at, turn, speaker, text: text.clone(), shown });
        }
    }
}
