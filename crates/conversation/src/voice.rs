//! Voice sessions in a conversation: their entries in the log, and what they mean for readers.
//!
//! In: the log entries of a [`voice::Session`]. Out: events of the conversation, and from those
//! the entries of a surface and the text for the next model request. Must hold: a session's state
//! is made from the log alone, so that a reload, or another process, has the same; its turns have
//! numbers of the conversation, and none is used twice.
//!
//! Start at [`VoiceSession`], then [`log`], which writes it, and [`calls`], which settles calls.

pub(crate) mod answers;
pub(crate) mod calls;
pub(crate) mod form_target;
pub(crate) mod forms;
pub(crate) mod log;
pub(crate) mod questions;
pub(crate) mod told;
pub(crate) mod view;

use voice::{LogEntry, SessionEvent, State, TurnEvent, TurnNumber, VoiceEvent};

/// A voice session of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct VoiceSession {
    /// Counts the sessions of a conversation, from 1.
    pub session: u64,
    /// The number of the text turn before it; 0 before the first.
    pub after: u64,
    /// The number of the newest turn before it: its first turn has the next one.
    pub turns_before: u64,
    /// Its log, with the number of each event.
    pub entries: Vec<(u64, LogEntry)>,
}

impl VoiceSession {
    /// The number in the conversation of a turn of this session.
    pub(crate) fn number_of(&self, turn: TurnNumber) -> u64 {
        self.turns_before + u64::from(turn.0.max(1))
    }

    /// The number of its newest turn.
    pub(crate) fn newest(&self) -> u64 {
        let turns = self.entries.iter().rev().find_map(|(_, entry)| match &entry.event {
            VoiceEvent::Turn(TurnEvent::Requested { turn, .. }) => Some(*turn),
            VoiceEvent::Turn(_)
            | VoiceEvent::Session(_)
            | VoiceEvent::User(_)
            | VoiceEvent::Audio(_)
            | VoiceEvent::Call(_)
            | VoiceEvent::Ask(_)
            | VoiceEvent::Ending(_) => None,
        });
        self.number_of(turns.unwrap_or_default())
    }

    /// Its log, to go on from.
    pub fn log(&self) -> Vec<LogEntry> {
        self.entries.iter().map(|(_, entry)| entry.clone()).collect()
    }

    pub fn has_ended(&self) -> bool {
        let is_end =
            |event: &VoiceEvent| matches!(event, VoiceEvent::Session(SessionEvent::Ended { .. }));
        self.entries.iter().any(|(_, entry)| is_end(&entry.event))
    }

    /// Its state; none if its log does not begin with its opening.
    pub fn state(&self) -> Option<State> {
        State::replay(&self.log())
    }
}
