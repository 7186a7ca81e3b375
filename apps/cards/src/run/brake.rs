//! Stops a run whose model cannot do what it is asked for.
//!
//! Without it, a model that always answers in another form is asked about every sentence, in
//! halves down to one. Must hold: after so many answers in a row nothing more is sent.

use super::handle_answer::Usable;
use crate::model::error_code::ErrorCode;

/// Answers in a row that could not be used, after which a run stops.
pub(crate) const UNUSABLE_MAX: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct Brake {
    in_a_row: usize,
}

impl Brake {
    /// Counts the answers of one request; returns why the run stops.
    pub(crate) fn add(&mut self, usable: Usable, answers: usize) -> Option<(ErrorCode, String)> {
        match usable {
            Usable::Yes => self.in_a_row = 0,
            Usable::No => self.in_a_row += answers,
            Usable::Unknown => {}
        }
        (self.in_a_row >= UNUSABLE_MAX).then(|| {
            let message = format!(
                "{} answers in a row could not be used; the model does not answer in the form it \
                 is asked for",
                self.in_a_row
            );
            (ErrorCode::UnusableAnswers, message)
        })
    }
}
