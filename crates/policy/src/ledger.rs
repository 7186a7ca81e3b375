//! The effect ledger: the state of each call of a tool that writes.
//!
//! In: an event and the time. Out: the entry's next state, and what may be done now. Must
//! hold: an effect that may have happened is never repeated automatically. An entry that has
//! ended keeps its outcome; only a person resolves one that is in doubt.

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
pub struct LedgerEntry {
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
    pub state: LedgerState,
}

/// What is known about the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum LedgerState {
    /// It may run, and has not started.
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
    /// It started, and its outcome is unknown.
    InDoubt {
        at: Timestamp,
        because: String,
        /// The outcome that arrived too late. Shown to people, never to the model.
        late: Option<LateOutcome>,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateOutcome {
    Data(Value),
    Error(ToolError),
}

/// What happened to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum LedgerEvent {
    /// A handler is about to run; recorded before it does.
    Start,
    End(Result<Value, ToolError>),
    /// The process that ran it is gone or stopped waiting.
    Lose {
        because: String,
    },
    /// A person found out what happened.
    Resolve(Resolution),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    Happened { data: Value },
    DidNotHappen,
}

/// A state change that the ledger refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTransition {
    #[error("the call may have run already and is not idempotent; it is not started again")]
    WouldRunTwice,
    #[error("the call has ended, and its outcome stands")]
    AlreadyEnded,
    #[error("the call cannot have ended: it never started")]
    NeverStarted,
    #[error("only a call in doubt can be resolved by a person")]
    NotInDoubt,
}

/// What to do with a call that is in the ledger.
#[derive(Debug, Clone, PartialEq)]
pub enum NextStep {
    Start,
    ReturnRecorded(Result<Value, ToolError>),
    /// The same call is running; wait for its outcome.
    StillRunning,
    AskPersonInDoubt,
    /// Start it again with the same idempotency key.
    RetrySameKey,
}

impl LedgerState {
    /// The same state without its content; none unless the call has ended.
    pub fn without_content(&self) -> Option<Self> {
        match self {
            LedgerState::Done { at, .. } => Some(LedgerState::Done { at: *at, data: Value::Null }),
            LedgerState::Failed { at, error } => {
                let error = ToolError {
                    message: String::new(),
                    details: Value::Null,
                    confirmation_request: Value::Null,
                    ..error.clone()
                };
                Some(LedgerState::Failed { at: *at, error })
            }
            LedgerState::Intended | LedgerState::Started { .. } | LedgerState::InDoubt { .. } => {
                None
            }
        }
    }
}

impl LedgerEntry {
    /// The entry to write before the handler starts.
    pub fn intend(approved: &Approved, now: Timestamp) -> Self {
        let call = approved.call();
        Self {
            conversation: call.conversation().clone(),
            call: call.id().clone(),
            turn: call.turn(),
            tool: call.tool().clone(),
            digest: call.digest(),
            args: call.work(),
            idempotency_key: approved.idempotency_key().to_owned(),
            idempotent: call.contract().idempotent,
            intended_at: now,
            state: LedgerState::Intended,
        }
    }

    /// The entry after an event.
    pub fn advance(&self, event: LedgerEvent, now: Timestamp) -> Result<Self, InvalidTransition> {
        let state = next_state(&self.state, event, self.idempotent, now)?;
        Ok(Self { state, ..self.clone() })
    }

    /// Whether it started so long ago that its process, with this limit, must be gone.
    pub fn is_overdue(&self, limit: Duration, now: Timestamp) -> bool {
        match &self.state {
            LedgerState::Started { at, .. } => now.ms_since(*at) > overdue_after_ms(limit),
            LedgerState::Intended
            | LedgerState::Done { .. }
            | LedgerState::Failed { .. }
            | LedgerState::InDoubt { .. } => false,
        }
    }

    /// When it becomes overdue unless it ends before.
    pub fn overdue_in_ms(&self, limit: Duration, now: Timestamp) -> u64 {
        overdue_after_ms(limit).saturating_sub(now.ms_since(self.changed_at())).saturating_add(1)
    }

    /// Whether it started and has no known outcome: it runs, or it is in doubt.
    pub fn may_still_end(&self) -> bool {
        match self.state {
            LedgerState::Started { .. } | LedgerState::InDoubt { .. } => true,
            LedgerState::Intended | LedgerState::Done { .. } | LedgerState::Failed { .. } => false,
        }
    }

    /// When the state was last known to change.
    pub fn changed_at(&self) -> Timestamp {
        match &self.state {
            LedgerState::Intended => self.intended_at,
            LedgerState::Started { at, .. }
            | LedgerState::Done { at, .. }
            | LedgerState::Failed { at, .. }
            | LedgerState::InDoubt { at, .. } => *at,
        }
    }
}

/// The table of all transitions.
fn next_state(
    state: &LedgerState,
    event: LedgerEvent,
    idempotent: bool,
    now: Timestamp,
) -> Result<LedgerState, InvalidTransition> {
    let ended = |outcome: Result<Value, ToolError>| match outcome {
        Ok(data) => LedgerState::Done { at: now, data },
        Err(error) => LedgerState::Failed { at: now, error },
    };
    match (state, event) {
        (LedgerState::Intended, LedgerEvent::Start) => {
            Ok(LedgerState::Started { at: now, tries: 1 })
        }
        (LedgerState::Intended, LedgerEvent::End(Err(error))) => {
            Ok(LedgerState::Failed { at: now, error })
        }
        (LedgerState::Intended, LedgerEvent::End(Ok(_))) => Err(InvalidTransition::NeverStarted),
        (LedgerState::Intended, LedgerEvent::Lose { .. }) => Ok(LedgerState::Intended),

        (LedgerState::Started { tries, .. }, LedgerEvent::Start) if idempotent => {
            Ok(LedgerState::Started { at: now, tries: tries.saturating_add(1) })
        }
        (LedgerState::InDoubt { .. }, LedgerEvent::Start) if idempotent => {
            Ok(LedgerState::Started { at: now, tries: 2 })
        }
        (LedgerState::Started { .. } | LedgerState::InDoubt { .. }, LedgerEvent::Start) => {
            Err(InvalidTransition::WouldRunTwice)
        }
        (LedgerState::Started { .. }, LedgerEvent::End(outcome)) => Ok(ended(outcome)),
        (LedgerState::Started { .. }, LedgerEvent::Lose { because }) => {
            Ok(LedgerState::InDoubt { at: now, because, late: None })
        }

        (LedgerState::InDoubt { at, because, .. }, LedgerEvent::End(outcome)) => {
            Ok(LedgerState::InDoubt {
                at: *at,
                because: because.clone(),
                late: Some(match outcome {
                    Ok(data) => LateOutcome::Data(data),
                    Err(error) => LateOutcome::Error(error),
                }),
            })
        }
        (LedgerState::InDoubt { .. }, LedgerEvent::Lose { .. }) => Ok(state.clone()),
        (LedgerState::InDoubt { .. }, LedgerEvent::Resolve(Resolution::Happened { data })) => {
            Ok(LedgerState::Done { at: now, data })
        }
        (LedgerState::InDoubt { .. }, LedgerEvent::Resolve(Resolution::DidNotHappen)) => {
            let message = "a person found that nothing happened; if it is still wanted, call again";
            let error = ToolError::before_start(ErrorType::Transient, message);
            Ok(LedgerState::Failed { at: now, error })
        }

        (LedgerState::Intended | LedgerState::Started { .. }, LedgerEvent::Resolve(_)) => {
            Err(InvalidTransition::NotInDoubt)
        }
        (LedgerState::Done { .. } | LedgerState::Failed { .. }, _) => {
            Err(InvalidTransition::AlreadyEnded)
        }
    }
}

/// How long after its hard limit a call may still be winding down.
const GRACE_MS: u64 = 5_000;

fn overdue_after_ms(limit: Duration) -> u64 {
    u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).saturating_add(GRACE_MS)
}

/// What to do now with a call that has this entry. It is restarted automatically only if its
/// tool was idempotent when the call was intended, and still is.
pub fn next_step(entry: &LedgerEntry, contract: &Contract, now: Timestamp) -> NextStep {
    let if_lost = match entry.idempotent && contract.idempotent {
        true => NextStep::RetrySameKey,
        false => NextStep::AskPersonInDoubt,
    };
    match &entry.state {
        LedgerState::Intended => NextStep::Start,
        LedgerState::Started { .. } if entry.is_overdue(contract.timeout(), now) => if_lost,
        LedgerState::Started { .. } => NextStep::StillRunning,
        LedgerState::Done { data, .. } => NextStep::ReturnRecorded(Ok(data.clone())),
        LedgerState::Failed { error, .. } => NextStep::ReturnRecorded(Err(error.clone())),
        LedgerState::InDoubt { .. } => if_lost,
    }
}

#[cfg(test)]
mod tests;
