//! An answer while it is being written: stored in the log piece by piece, so that a stop, a
//! broken connection or a crash loses nothing that was shown.
//!
//! Must hold: shown text is written to the log after [`PACE`] or [`BYTES_MAX`], whichever
//! comes first, and the model is never delayed by it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::Delta;
use tokio::sync::Notify;

use crate::event::PartialKind;
use crate::state::TurnState;

/// How long text may be shown before it is in the log.
const PACE: Duration = Duration::from_millis(250);
/// How much text may be shown before it is in the log.
const BYTES_MAX: usize = 4_096;

/// An answer that is unfinished, or was never finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialAnswer {
    /// How many complete answers the turn had before it.
    pub round: usize,
    pub attempt: u32,
    pub pieces: Vec<PartialPiece>,
    /// How many events it consists of.
    pub parts: u32,
    /// The number of the event after which the model was asked again.
    pub broke_off: Option<u64>,
}

/// Consecutive text of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialPiece {
    pub kind: PartialKind,
    pub text: String,
    /// The number of the newest event in it.
    pub event: u64,
}

impl PartialAnswer {
    /// Its text without thinking; empty if it is only white space.
    pub(crate) fn text(&self) -> String {
        let texts = self.pieces.iter().filter(|piece| piece.kind == PartialKind::Text);
        let text: String = texts.map(|piece| piece.text.as_str()).collect();
        if text.trim().is_empty() { String::new() } else { text }
    }
}

impl TurnState {
    /// The answer that is being written, or was when the turn ended.
    pub fn open_partial(&self) -> Option<&PartialAnswer> {
        self.partial.last().filter(|partial| partial.broke_off.is_none())
    }

    /// Removes the unfinished answer, for readers that receive it as deltas.
    pub fn drop_open_partial(&mut self) {
        if self.ended.is_none() {
            self.partial.pop_if(|partial| partial.broke_off.is_none());
        }
    }

    /// How often the model was asked in the next round without a complete answer.
    pub(crate) fn attempts(&self) -> u32 {
        let here = self.partial.iter().filter(|partial| partial.round == self.rounds.len());
        u32::try_from(here.count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn add_partial(&mut self, attempt: u32, kind: PartialKind, text: String, at: u64) {
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

/// The text of an answer that the log does not have yet.
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

    /// Waits until there is text to write to the log.
    pub(crate) async fn due(&self) {
        self.begun.notified().await;
        // In both cases there is something to write.
        let _ = tokio::time::timeout(PACE, self.full.notified()).await;
    }

    pub(crate) fn take(&self) -> Vec<(PartialKind, String)> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(PartialKind, String)>> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
