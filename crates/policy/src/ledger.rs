//! The effect ledger: what is known about each call of a tool that writes.
//!
//! In: what happened, and the time. Out: the entry's next state, and what may be done now.
//! Must hold: an effect that may have happened is never repeated by itself. An entry that
//! has ended keeps its outcome; only a person can say what became of one that is in doubt.

mod lookup;

use std::time::Duration;

use contract::{CallId, Contract, Digest, ErrorType, ToolError, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Approved, ConversationId, Timestamp};

pub use lookup::Ledger;

/// One call that writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub conversation: ConversationId,
    pub call: CallId,
    pub turn: u64,
    pub tool: ToolId,
    pub digest: Digest,
    /// Of the canonical arguments, and of the answers if there were any.
    pub args: Digest,
    pub idempotency_key: String,
    /// As the contract said when the call was intended.
    pub idempotent: bool,
    pub intended_at: Timestamp,
    pub state: State,
}

/// What is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum State {
    /// It was let run, and nothing has started.
    Intended,
    Started {
        at: Timestamp,
        tries: u32,
    },
    Done {
        at: Timestamp,
        data: Value,
    },
    Failed {
        at: Timestamp,
        error: ToolError,
    },
    /// It started, and nobody saw how it ended.
    InDoubt {
        at: Timestamp,
        because: String,
        /// What came back after nobody waited any more. Shown to people, never delivered.
        late: Option<Late>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Late {
    Data(Value),
    Error(ToolError),
}

/// What happened to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A handler is about to run; written before it does.
    Start,
    End(Result<Value, ToolError>),
    /// Whoever ran it is gone, or stopped waiting.
    Lose {
        because: String,
    },
    /// A person found out.
    Resolve(Resolution),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    Happened { data: Value },
    DidNotHappen,
}

/// A step that the ledger refuses to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WrongStep {
    #[error("the call may have run already and is not idempotent; it is not started again")]
    WouldRunTwice,
    #[error("the call has ended, and its outcome stands")]
    AlreadyEnded,
    #[error("the call cannot have ended: it never started")]
    NeverStarted,
    #[error("only a call in doubt can be resolved by a person")]
    NotInDoubt,
}

/// What may be done with a call that is in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Start,
    ReturnRecorded(Result<Value, ToolError>),
    /// The same call is running right now: its answer will come from there.
    StillRunning,
    AskPersonInDoubt,
    /// Start it again, under the key that the far side knows.
    RetrySameKey,
}

impl State {
    /// The same fact without what came back; none where nothing came back or it is in doubt.
    pub fn without_content(&self) -> Option<Self> {
        match self {
            State::Done { at, .. } => Some(State::Done { at: *at, data: Value::Null }),
            State::Failed { at, error } => {
                let error = ToolError {
                    message: String::new(),
                    details: Value::Null,
                    confirmation_request: Value::Null,
                    ..error.clone()
                };
                Some(State::Failed { at: *at, error })
            }
            State::Intended | State::Started { .. } | State::InDoubt { .. } => None,
        }
    }
}

impl Entry {
    /// The entry to write before the handler starts.
    pub fn intend(approved: &Approved, now: Timestamp) -> Self {
        let call = approved.call();
        Self {
            conversation: call.conversation.clone(),
            call: call.id.clone(),
            turn: call.turn,
            tool: call.contract.tool_id.clone(),
            digest: call.digest,
            args: call.work(),
            idempotency_key: approved.idempotency_key().to_owned(),
            idempotent: call.contract.idempotent,
            intended_at: now,
            state: State::Intended,
        }
    }

    /// The entry after something happened.
    pub fn advance(&self, event: Event, now: Timestamp) -> Result<Self, WrongStep> {
        let state = next_state(&self.state, event, self.idempotent, now)?;
        Ok(Self { state, ..self.clone() })
    }

    /// Did it start so long ago that whoever ran it, with this limit, must be gone?
    pub fn is_overdue(&self, limit: Duration, now: Timestamp) -> bool {
        match &self.state {
            State::Started { at, .. } => now.ms_since(*at) > overdue_after_ms(limit),
            State::Intended | State::Done { .. } | State::Failed { .. } | State::InDoubt { .. } => {
                false
            }
        }
    }

    /// After how long it is overdue, if it has no end until then.
    pub fn overdue_in_ms(&self, limit: Duration, now: Timestamp) -> u64 {
        overdue_after_ms(limit).saturating_sub(now.ms_since(self.changed_at())).saturating_add(1)
    }

    /// Did it start, and is its end not known: it runs, or it is in doubt?
    pub fn may_still_end(&self) -> bool {
        match self.state {
            State::Started { .. } | State::InDoubt { .. } => true,
            State::Intended | State::Done { .. } | State::Failed { .. } => false,
        }
    }

    /// When the state was last known to change.
    pub fn changed_at(&self) -> Timestamp {
        match &self.state {
            State::Intended => self.intended_at,
            State::Started { at, .. }
            | State::Done { at, .. }
            | State::Failed { at, .. }
            | State::InDoubt { at, .. } => *at,
        }
    }
}

/// The table of all steps.
fn next_state(
    state: &State,
    event: Event,
    idempotent: bool,
    now: Timestamp,
) -> Result<State, WrongStep> {
    let ended = |outcome: Result<Value, ToolError>| match outcome {
        Ok(data) => State::Done { at: now, data },
        Err(error) => State::Failed { at: now, error },
    };
    match (state, event) {
        (State::Intended, Event::Start) => Ok(State::Started { at: now, tries: 1 }),
        (State::Intended, Event::End(Err(error))) => Ok(State::Failed { at: now, error }),
        (State::Intended, Event::End(Ok(_))) => Err(WrongStep::NeverStarted),
        (State::Intended, Event::Lose { .. }) => Ok(State::Intended),

        (State::Started { tries, .. }, Event::Start) if idempotent => {
            Ok(State::Started { at: now, tries: tries.saturating_add(1) })
        }
        (State::InDoubt { .. }, Event::Start) if idempotent => {
            Ok(State::Started { at: now, tries: 2 })
        }
        (State::Started { .. } | State::InDoubt { .. }, Event::Start) => {
            Err(WrongStep::WouldRunTwice)
        }
        (State::Started { .. }, Event::End(outcome)) => Ok(ended(outcome)),
        (State::Started { .. }, Event::Lose { because }) => {
            Ok(State::InDoubt { at: now, because, late: None })
        }

        (State::InDoubt { at, because, .. }, Event::End(outcome)) => Ok(State::InDoubt {
            at: *at,
            because: because.clone(),
            late: Some(match outcome {
                Ok(data) => Late::Data(data),
                Err(error) => Late::Error(error),
            }),
        }),
        (State::InDoubt { .. }, Event::Lose { .. }) => Ok(state.clone()),
        (State::InDoubt { .. }, Event::Resolve(Resolution::Happened { data })) => {
            Ok(State::Done { at: now, data })
        }
        (State::InDoubt { .. }, Event::Resolve(Resolution::DidNotHappen)) => {
            let message = "a person found that nothing happened; if it is still wanted, call again";
            let error = ToolError::before_start(ErrorType::Transient, message);
            Ok(State::Failed { at: now, error })
        }

        (State::Intended | State::Started { .. }, Event::Resolve(_)) => Err(WrongStep::NotInDoubt),
        (State::Done { .. } | State::Failed { .. }, _) => Err(WrongStep::AlreadyEnded),
    }
}

/// How long after its hard limit a call may still be winding down.
const GRACE_MS: u64 = 5_000;

fn overdue_after_ms(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).saturating_add(GRACE_MS)
}

/// What may be done now with a call that has this entry. A tool must have been idempotent
/// when the call was intended, and still be, to be started again by itself.
pub fn what_now(entry: &Entry, contract: &Contract, now: Timestamp) -> Next {
    let if_lost = match entry.idempotent && contract.idempotent {
        true => Next::RetrySameKey,
        false => Next::AskPersonInDoubt,
    };
    match &entry.state {
        State::Intended => Next::Start,
        State::Started { .. } if entry.is_overdue(contract.timeout(), now) => if_lost,
        State::Started { .. } => Next::StillRunning,
        State::Done { data, .. } => Next::ReturnRecorded(Ok(data.clone())),
        State::Failed { error, .. } => Next::ReturnRecorded(Err(error.clone())),
        State::InDoubt { .. } => if_lost,
    }
}

#[cfg(test)]
mod tests;
