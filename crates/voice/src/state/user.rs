//! The person: stretches of speech, and what became of each.

use policy::Timestamp;
use serde::Serialize;

use crate::event::UserEvent;
use crate::ids::{SpeechId, TurnNumber};
use crate::state::State;
use crate::transcript::{Line, Shown, Speaker};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct User {
    /// Speech that is not answered yet, or whose transcript is still to come; oldest first.
    pub(crate) speeches: Vec<Speech>,
    pub(crate) last: SpeechId,
    pub(crate) silent_since: Timestamp,
}

/// One stretch of speech.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Speech {
    pub(crate) id: SpeechId,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) status: SpeechStatus,
    pub(crate) partial: String,
    pub(crate) said: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SpeechStatus {
    /// It may be a noise.
    Unconfirmed,
    Confirmed,
    /// The model was asked; only the transcript is missing.
    Sent(TurnNumber),
}

/// How many late transcripts are waited for.
const SENT_MAX: usize = 16;

impl Speech {
    /// The words as far as they are known.
    pub(crate) fn words(&self) -> &str {
        self.said.as_deref().unwrap_or(&self.partial)
    }

    pub(crate) fn is_open(&self) -> bool {
        match self.status {
            SpeechStatus::Unconfirmed | SpeechStatus::Confirmed => true,
            SpeechStatus::Sent(_) => false,
        }
    }
}

impl User {
    pub(crate) fn silent(since: Timestamp) -> Self {
        Self { speeches: Vec::new(), last: SpeechId::default(), silent_since: since }
    }

    /// The speech that is heard right now.
    pub(crate) fn speaking(&self) -> Option<&Speech> {
        self.speeches.iter().find(|speech| speech.ended_at.is_none())
    }

    /// Whether the person is silent and no speech waits to be handled.
    pub(crate) fn is_quiet(&self) -> bool {
        self.speeches.iter().all(|speech| !speech.is_open() && speech.ended_at.is_some())
    }

    /// Speech that nothing has followed from yet.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Speech> {
        self.speeches.iter().filter(|speech| speech.is_open())
    }

    pub(crate) fn confirmed(&self) -> impl Iterator<Item = &Speech> {
        self.speeches.iter().filter(|speech| speech.status == SpeechStatus::Confirmed)
    }

    /// The oldest speech without a final transcript.
    pub(crate) fn untranscribed(&self) -> Option<&Speech> {
        self.speeches.iter().find(|speech| speech.said.is_none())
    }

    pub(crate) fn get(&self, id: SpeechId) -> Option<&Speech> {
        self.speeches.iter().find(|speech| speech.id == id)
    }

    fn get_mut(&mut self, id: SpeechId) -> Option<&mut Speech> {
        self.speeches.iter_mut().find(|speech| speech.id == id)
    }

    pub(crate) fn remove(&mut self, id: SpeechId) -> Option<Speech> {
        let at = self.speeches.iter().position(|speech| speech.id == id)?;
        Some(self.speeches.remove(at))
    }

    /// The turn took over everything confirmed; what lacks its transcript is kept.
    pub(crate) fn send(&mut self, turn: TurnNumber) {
        for speech in &mut self.speeches {
            if speech.status == SpeechStatus::Confirmed {
                speech.status = SpeechStatus::Sent(turn);
            }
        }
        self.forget_finished();
        let sent = self.speeches.iter().filter(|speech| !speech.is_open()).count();
        let mut surplus = sent.saturating_sub(SENT_MAX);
        self.speeches.retain(|speech| {
            let goes = !speech.is_open() && speech.ended_at.is_some() && surplus > 0;
            surplus -= usize::from(goes);
            !goes
        });
    }

    /// A speech that was sent is done with when it has ended and its words are known.
    fn forget_finished(&mut self) {
        self.speeches.retain(|speech| {
            speech.is_open() || speech.said.is_none() || speech.ended_at.is_none()
        });
    }
}

impl State {
    pub(super) fn apply_user(&mut self, event: &UserEvent) {
        let now = self.now;
        match event {
            UserEvent::SpeechStarted { speech } => {
                self.user.last = *speech;
                self.user.speeches.push(Speech {
                    id: *speech,
                    started_at: now,
                    ended_at: None,
                    status: SpeechStatus::Unconfirmed,
                    partial: String::new(),
                    said: None,
                });
            }
            UserEvent::Partial { speech, text } => {
                if let Some(speech) = self.user.get_mut(*speech) {
                    speech.partial.clone_from(text);
                }
            }
            UserEvent::Confirmed { speech } => {
                if let Some(speech) = self.user.get_mut(*speech) {
                    speech.status = SpeechStatus::Confirmed;
                }
                self.add_user_line(*speech);
            }
            UserEvent::SpeechEnded { speech } => {
                self.user.silent_since = now;
                if let Some(speech) = self.user.get_mut(*speech) {
                    speech.ended_at = Some(now);
                }
                self.user.forget_finished();
            }
            UserEvent::Said { speech, text } => {
                if let Some(speech) = self.user.get_mut(*speech) {
                    speech.said = Some(text.clone());
                }
                self.add_user_line(*speech);
                self.user.forget_finished();
            }
            UserEvent::Ignored { speech } => {
                self.user.remove(*speech);
            }
        }
    }

    /// The line of a speech, once it counts and its words are final.
    fn add_user_line(&mut self, id: SpeechId) {
        let Some(speech) = self.user.get(id) else { return };
        let turn = match speech.status {
            SpeechStatus::Unconfirmed => return,
            SpeechStatus::Confirmed if self.ask.is_some() => self.turn.number,
            SpeechStatus::Confirmed => self.turn.number.next(),
            SpeechStatus::Sent(turn) => turn,
        };
        let Some(text) = speech.said.clone() else { return };
        let at = speech.started_at;
        self.add_line(Line { at, turn, speaker: Speaker::User, text, shown: Shown::Yes });
    }
}
