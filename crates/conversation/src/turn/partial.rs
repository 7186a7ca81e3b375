//! An answer while it is being written: kept in the log piece by piece, so that a stop, a
//! broken connection or a crash takes nothing from the screen.
//!
//! Must hold: what was shown is written down within [`PACE`] or [`BYTES_MAX`], whichever
//! comes first, and the model is never waited for because of it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::Delta;
use tokio::sync::Notify;

use crate::event::PartialKind;
use crate::state::TurnState;

/// How long words may be on a screen and not yet in the log.
const PACE: Duration = Duration::from_millis(250);
/// How many bytes may be.
const BYTES_MAX: usize = 4_096;

/// An answer that has no end, or never got one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialAnswer {
    /// How many answers of the turn were whole before it.
    pub round: usize,
    pub attempt: u32,
    pub pieces: Vec<PartialPiece>,
    /// How many events it is made of.
    pub parts: u32,
    /// The number of the event after which the model was asked again.
    pub broke_off: Option<u64>,
}

/// Words of one kind that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialPiece {
    pub kind: PartialKind,
    pub text: String,
    /// The number of the newest event in it.
    pub event: u64,
}

impl PartialAnswer {
    /// What it says, without thoughts; empty if that is nothing but space.
    pub(crate) fn text(&self) -> String {
        let said = self.pieces.iter().filter(|piece| piece.kind == PartialKind::Text);
        let text: String = said.map(|piece| piece.text.as_str()).collect();
        if text.trim().is_empty() { String::new() } else { text }
    }
}

impl TurnState {
    /// The answer that is being written, or was when the turn ended.
    pub fn open_partial(&self) -> Option<&PartialAnswer> {
        self.partial.last().filter(|partial| partial.broke_off.is_none())
    }

    /// Takes out the answer that is being written, for whoever hears it as it is said.
    pub fn drop_open_partial(&mut self) {
        if self.ended.is_none() {
            self.partial.pop_if(|partial| partial.broke_off.is_none());
        }
    }

    /// How often the model was asked in the round that comes next, without a whole answer.
    pub(crate) fn attempts(&self) -> u32 {
        let here = self.partial.iter().filter(|partial| partial.round == self.rounds.len());
        u32::try_from(here.count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn said_so_far(&mut self, attempt: u32, kind: PartialKind, text: String, at: u64) {
        let round = self.rounds.len();
        if self.open_partial().is_none_or(|open| (open.round, open.attempt) != (round, attempt)) {
            let (pieces, parts, broke_off) = (Vec::new(), 0, None);
            self.partial.push(PartialAnswer { round, attempt, pieces, parts, broke_off });
        }
        let Some(open) = self.partial.last_mut() else { return };
        open.parts += 1;
        match open.pieces.last_mut() {
            Some(last) if last.kind == kind => {
                last.text.push_str(&text);
                last.event = at;
            }
            Some(_) | None => open.pieces.push(PartialPiece { kind, text, event: at }),
        }
    }
}

/// The words of an answer that the log does not have yet.
#[derive(Default)]
pub(crate) struct PartialBuffer {
    words: Mutex<Vec<(PartialKind, String)>>,
    begun: Notify,
    full: Notify,
}

impl PartialBuffer {
    pub(crate) fn push(&self, delta: &Delta) {
        let (kind, text) = match delta {
            Delta::Text(text) => (PartialKind::Text, text),
            Delta::Thinking(text) => (PartialKind::Thinking, text),
            Delta::CallBegun { .. } => return,
        };
        if text.is_empty() {
            return;
        }
        let mut words = self.lock();
        if words.is_empty() {
            self.begun.notify_one();
        }
        match words.last_mut() {
            Some((last, words)) if *last == kind => words.push_str(text),
            Some(_) | None => words.push((kind, text.clone())),
        }
        if words.iter().map(|(_, text)| text.len()).sum::<usize>() >= BYTES_MAX {
            self.full.notify_one();
        }
    }

    /// Waits until there are words that should be written down.
    pub(crate) async fn due(&self) {
        self.begun.notified().await;
        // Either way there is something to write.
        let _ = tokio::time::timeout(PACE, self.full.notified()).await;
    }

    pub(crate) fn take(&self) -> Vec<(PartialKind, String)> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(PartialKind, String)>> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
