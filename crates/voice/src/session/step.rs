//! One step of a session: the only place where a decision can change the state.

use policy::Timestamp;

use crate::command::{Command, RoadCommand};
use crate::event::{AudioEvent, LogEntry, Purpose, SessionEvent, VoiceEvent};
use crate::ids::UtteranceId;
use crate::state::State;

/// A state that can be looked at, and changed by recording only.
pub(super) struct Step<'a> {
    state: &'a mut State,
    now: Timestamp,
    commands: Vec<Command>,
}

impl<'a> Step<'a> {
    pub(super) fn new(state: &'a mut State, now: Timestamp) -> Self {
        Self { state, now, commands: Vec::new() }
    }

    pub(super) fn state(&self) -> &State {
        self.state
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Whether a time has come.
    pub(super) fn is_due(&self, due: Option<Timestamp>) -> bool {
        due.is_some_and(|due| due <= self.now)
    }

    pub(super) fn record(&mut self, event: impl Into<VoiceEvent>) {
        let entry = LogEntry { at: self.now, event: event.into() };
        self.state.apply(&entry);
        self.commands.push(Command::Record(entry));
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        self.record(SessionEvent::Noted { text: text.into() });
    }

    pub(super) fn command(&mut self, command: Command) {
        self.commands.push(command);
    }

    pub(super) fn road(&mut self, command: RoadCommand) {
        self.commands.push(Command::Road(command));
    }

    /// Queues words of our own.
    pub(super) fn say(&mut self, purpose: Purpose, text: impl Into<String>) -> UtteranceId {
        let utterance = self.state.playback.last.next();
        self.record(AudioEvent::OwnSpeech { utterance, purpose, text: text.into() });
        utterance
    }

    pub(super) fn into_commands(self) -> Vec<Command> {
        self.commands
    }
}
