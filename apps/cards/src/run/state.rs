//! What a run and its sentences may do next.
//!
//! In: a [`Machine`] and a [`Step`]. Out: the machine after it, or a [`BadStep`] and the
//! machine as it was. Must hold: a run is `ready` only when every sentence has its cards or
//! was skipped, and `failed` only when none has cards; in every state, received sentences stay
//! usable.

use serde::{Deserialize, Serialize};

use crate::model::error_code::ErrorCode;

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Idle,
    Submitted,
    InProgress,
    Ready,
    /// It stopped with sentences missing, and others can be used; `retry` resumes it.
    PartlyReady,
    /// It stopped before any sentence had cards; `retry` resumes it.
    Failed,
}

impl RunState {
    pub const ALL: [RunState; 6] = [
        RunState::Idle,
        RunState::Submitted,
        RunState::InProgress,
        RunState::Ready,
        RunState::PartlyReady,
        RunState::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            RunState::Idle => "idle",
            RunState::Submitted => "submitted",
            RunState::InProgress => "in progress",
            RunState::Ready => "ready",
            RunState::PartlyReady => "partly ready",
            RunState::Failed => "failed",
        }
    }
}

/// The state of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SentenceState {
    Pending,
    Received,
    /// A hole: it was tried, and has no cards.
    Invalid,
    Retrying,
    Skipped,
}

/// Something that happens to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Submit,
    Start,
    Receive(usize),
    Fail(usize),
    Retry(usize),
    Skip(usize),
    /// Nothing is left to do.
    Complete,
    /// It cannot continue.
    Abort(ErrorCode),
    /// It resumes after a failure.
    Resume,
    Reset,
}

/// Why a step was refused; nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadStep {
    #[error("a run that is {} cannot take this step", .0.as_str())]
    Run(RunState),
    #[error("sentence {index} is already {state:?}")]
    Sentence { index: usize, state: SentenceState },
    #[error("there is no sentence {0}")]
    NoSentence(usize),
    #[error("{0} sentences still wait")]
    Waiting(usize),
}

/// The state of a run and of each of its sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    state: RunState,
    sentences: Vec<SentenceState>,
    why: Option<ErrorCode>,
}

impl Machine {
    pub fn new(sentences: usize) -> Self {
        let sentences = vec![SentenceState::Pending; sentences];
        Self { state: RunState::Idle, sentences, why: None }
    }

    pub fn state(&self) -> RunState {
        self.state
    }

    pub fn sentences(&self) -> &[SentenceState] {
        &self.sentences
    }

    /// Why it failed.
    pub fn why(&self) -> Option<ErrorCode> {
        self.why
    }

    pub fn count(&self, state: SentenceState) -> usize {
        self.sentences.iter().filter(|found| **found == state).count()
    }

    /// How many are still to be sent.
    pub fn waiting(&self) -> usize {
        self.count(SentenceState::Pending) + self.count(SentenceState::Retrying)
    }

    /// Some sentences have cards, and some are missing.
    pub fn is_partial(&self) -> bool {
        let received = self.count(SentenceState::Received);
        received > 0 && received + self.count(SentenceState::Skipped) < self.sentences.len()
    }

    pub fn take(&mut self, step: Step) -> Result<(), BadStep> {
        use RunState::{Failed, Idle, InProgress, PartlyReady, Ready, Submitted};
        use SentenceState::{Invalid, Pending, Received, Retrying, Skipped};
        match (step, self.state) {
            (Step::Submit, Idle) => self.state = Submitted,
            (Step::Start, Submitted) => self.state = InProgress,
            (Step::Receive(index), InProgress) => {
                self.turn(index, &[Pending, Retrying, Invalid], Received)?;
            }
            (Step::Fail(index), InProgress) => self.turn(index, &[Pending, Retrying], Invalid)?,
            (Step::Retry(index), InProgress | Ready | PartlyReady | Failed) => {
                self.turn(index, &[Invalid, Received, Skipped], Retrying)?;
                self.go_on();
            }
            (Step::Skip(index), InProgress | PartlyReady | Failed) => {
                self.turn(index, &[Pending, Retrying, Invalid], Skipped)?;
            }
            (Step::Complete, InProgress | PartlyReady | Failed) => self.complete()?,
            (Step::Abort(why), Submitted | InProgress) => {
                (self.state, self.why) = (self.stopped(), Some(why));
            }
            (Step::Resume, PartlyReady | Failed) if self.waiting() > 0 => self.go_on(),
            (Step::Reset, _) => *self = Self::new(self.sentences.len()),
            (
                Step::Submit
                | Step::Start
                | Step::Receive(_)
                | Step::Fail(_)
                | Step::Retry(_)
                | Step::Skip(_)
                | Step::Complete
                | Step::Abort(_)
                | Step::Resume,
                state,
            ) => return Err(BadStep::Run(state)),
        }
        Ok(())
    }

    fn go_on(&mut self) {
        (self.state, self.why) = (RunState::InProgress, None);
    }

    /// The state of a run that stops with sentences missing.
    fn stopped(&self) -> RunState {
        match self.count(SentenceState::Received) {
            0 => RunState::Failed,
            _ => RunState::PartlyReady,
        }
    }

    fn complete(&mut self) -> Result<(), BadStep> {
        match (self.waiting(), self.count(SentenceState::Invalid)) {
            (0, 0) => (self.state, self.why) = (RunState::Ready, None),
            (0, _) => (self.state, self.why) = (self.stopped(), Some(ErrorCode::Holes)),
            (waiting, _) => return Err(BadStep::Waiting(waiting)),
        }
        Ok(())
    }

    fn turn(
        &mut self,
        index: usize,
        from: &[SentenceState],
        to: SentenceState,
    ) -> Result<(), BadStep> {
        let state = self.sentences.get_mut(index).ok_or(BadStep::NoSentence(index))?;
        if !from.contains(state) {
            return Err(BadStep::Sentence { index, state: *state });
        }
        *state = to;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
