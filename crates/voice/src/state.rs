//! The state of a session: what its events say, and nothing else.
//!
//! In: events, one after the other. Out: [`State`]. Must hold: only [`State::apply`] changes a
//! state, so a log read again, here or in another process, gives the same one.

pub(crate) mod ask;
pub(crate) mod call;
pub(crate) mod ending;
pub(crate) mod playback;
pub(crate) mod shown_form;
pub(crate) mod turn;
pub(crate) mod user;
pub(crate) mod utterance;

use std::collections::BTreeSet;

use contract::Intent;
use policy::Timestamp;
use serde::Serialize;

use crate::config::Config;
use crate::event::{CallEvent, Context, LogEntry, Opened, SessionEvent, VoiceEvent};
use crate::ids::{AnswerId, TurnNumber, UtteranceId};
use crate::state::ask::OpenAsk;
use crate::state::call::Calls;
use crate::state::ending::Ending;
use crate::state::playback::Playback;
use crate::state::turn::Turn;
use crate::state::user::User;
use crate::transcript::{Line, Shown};

/// Everything a session knows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct State {
    pub(crate) config: Config,
    pub(crate) phase: Phase,
    pub(crate) opened_at: Timestamp,
    /// The time of the last event.
    pub(crate) now: Timestamp,
    pub(crate) link: Link,
    pub(crate) user: User,
    pub(crate) turn: Turn,
    pub(crate) playback: Playback,
    pub(crate) calls: Calls,
    pub(crate) ask: Option<OpenAsk>,
    /// How many questions were opened.
    pub(crate) asks: u32,
    pub(crate) ending: Option<Ending>,
    pub(crate) suppress: Suppress,
    /// Messages for the next turn.
    pub(crate) pending: Vec<String>,
    /// The conversation before the session.
    pub(crate) history: Vec<Line>,
    pub(crate) transcript: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    Open,
    Ended { cause: String },
}

/// The connection to the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Link {
    pub(crate) status: LinkStatus,
    /// Counts the contexts that the provider has forgotten.
    pub(crate) epoch: u32,
    /// When the provider will close it.
    pub(crate) closes_at: Option<Timestamp>,
    /// A new connection was asked for.
    pub(crate) reconnecting: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LinkStatus {
    Opening,
    Up,
    Down,
}

/// What tools asked not to be played or shown, each for one turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Suppress {
    pub(crate) audio: Option<TurnNumber>,
    pub(crate) transcript: BTreeSet<TurnNumber>,
}

/// How many messages wait for the next turn; the oldest goes first.
const PENDING_MAX: usize = 8;

impl State {
    /// A session that has just been opened.
    pub(crate) fn opened(at: Timestamp, opened: &Opened) -> Self {
        Self {
            config: opened.config.clone(),
            phase: Phase::Open,
            opened_at: at,
            now: at,
            link: Link {
                status: LinkStatus::Opening,
                epoch: 0,
                closes_at: None,
                reconnecting: false,
            },
            user: User::silent(at),
            turn: Turn::default(),
            playback: Playback::silent(at),
            calls: Calls::default(),
            ask: None,
            asks: 0,
            ending: None,
            suppress: Suppress::default(),
            pending: opened.pending.clone(),
            history: opened.history.clone(),
            transcript: Vec::new(),
        }
    }

    /// The state that a log leads to; none if it does not begin with `opened`.
    pub fn replay(log: &[LogEntry]) -> Option<Self> {
        let (first, rest) = log.split_first()?;
        let VoiceEvent::Session(SessionEvent::Opened(opened)) = &first.event else { return None };
        let mut state = Self::opened(first.at, opened);
        rest.iter().for_each(|entry| state.apply(entry));
        Some(state)
    }

    /// Counts one event in.
    pub fn apply(&mut self, entry: &LogEntry) {
        self.now = entry.at;
        match &entry.event {
            VoiceEvent::Session(event) => self.apply_session(event),
            VoiceEvent::User(event) => self.apply_user(event),
            VoiceEvent::Turn(event) => self.apply_turn(event),
            VoiceEvent::Audio(event) => self.apply_audio(event),
            VoiceEvent::Call(event) => {
                self.apply_call(event);
                if let CallEvent::IntentApplied { intent, .. } = event {
                    self.apply_intent(intent);
                }
            }
            VoiceEvent::Ask(event) => self.apply_ask(event),
            VoiceEvent::Ending(event) => self.apply_ending(event),
        }
    }

    fn apply_session(&mut self, event: &SessionEvent) {
        match event {
            SessionEvent::Opened(_) | SessionEvent::Noted { .. } => {}
            SessionEvent::Ready => self.link.status = LinkStatus::Up,
            SessionEvent::ConnectionLost => {
                self.link.status = LinkStatus::Down;
                self.turn.lose();
            }
            SessionEvent::ConnectionRestored { context } => {
                self.link.status = LinkStatus::Up;
                (self.link.closes_at, self.link.reconnecting) = (None, false);
                if *context == Context::Fresh {
                    self.link.epoch += 1;
                }
            }
            SessionEvent::GoingAway { by } => self.link.closes_at = Some(*by),
            SessionEvent::Reconnecting => self.link.reconnecting = true,
            SessionEvent::Forwarded { call } => self.calls.forwarded(call),
            SessionEvent::Ended { cause } => {
                self.phase = Phase::Ended { cause: cause.clone() };
                self.ask = None;
            }
        }
    }

    /// What a tool asked of the surface; `END_VOICE_SESSION` has events of its own.
    fn apply_intent(&mut self, intent: &Intent) {
        let turn = self.turn.number;
        match intent {
            Intent::EndVoiceSession { .. } => {}
            Intent::SuppressAudio { value } => self.suppress.audio = value.then_some(turn),
            Intent::SuppressTranscript { value: true } => {
                self.suppress.transcript.insert(turn);
                let lines = self.transcript.iter_mut().filter(|line| line.turn == turn);
                lines.for_each(|line| line.shown = Shown::No);
            }
            Intent::SuppressTranscript { value: false } => {
                self.suppress.transcript.remove(&turn);
                let lines = self.transcript.iter_mut().filter(|line| line.turn == turn);
                lines.for_each(|line| line.shown = Shown::Yes);
            }
            Intent::SetPendingMessage { message } => {
                self.pending.push(message.clone());
                if self.pending.len() > PENDING_MAX {
                    self.pending.remove(0);
                }
            }
        }
    }

    /// Adds a line where it began, hidden if its turn is.
    pub(crate) fn add_line(&mut self, mut line: Line) {
        if line.text.trim().is_empty() {
            return;
        }
        line.text = line.text.trim().to_owned();
        if self.suppress.transcript.contains(&line.turn) {
            line.shown = Shown::No;
        }
        crate::transcript::insert(&mut self.transcript, line);
    }

    pub(crate) fn is_up(&self) -> bool {
        self.link.status == LinkStatus::Up
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Ended { .. })
    }
}

// What surfaces read.
impl State {
    pub fn phase(&self) -> &Phase {
        &self.phase
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The utterance of a provider's answer, while it is played or waits to be.
    pub fn utterance_of(&self, answer: &AnswerId) -> Option<UtteranceId> {
        self.playback.of_answer(answer).map(|utterance| utterance.id)
    }

    pub fn turn(&self) -> TurnNumber {
        self.turn.number
    }

    /// What was said and heard in this session, hidden lines included.
    pub fn transcript(&self) -> &[Line] {
        &self.transcript
    }

    /// Whether nothing is under way: nobody speaks, and nobody waits for anything.
    pub fn is_idle(&self) -> bool {
        self.user.is_quiet()
            && self.user.confirmed().next().is_none()
            && self.playback.queue.is_empty()
            && self.calls.unanswered().next().is_none()
            && self.ask.is_none()
            && !self.turn.is_active()
            && !self.turn.owes_speech
    }

    /// Messages that wait for the next turn.
    pub fn pending(&self) -> &[String] {
        &self.pending
    }

    /// The conversation for the model: before the session, and what was heard in it.
    pub fn history(&self) -> Vec<Line> {
        self.history.iter().chain(&self.transcript).cloned().collect()
    }
}
