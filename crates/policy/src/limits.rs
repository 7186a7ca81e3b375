//! The limits of one turn, and its usage so far.
//!
//! In: the calls that ran. Out: the counts that `decide` compares with the limits. Must
//! hold: every call that ran counts, whatever its outcome; a new turn starts at zero.

use contract::{CallId, Category, ToolId};
use serde::{Deserialize, Serialize};

use crate::CheckedCall;

/// The limits of one turn. No `Default`: the caller states them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub retrieval_calls_max: u32,
    /// All calls, including retrieval.
    pub calls_max: u32,
    pub retry: RetryLimits,
    /// How long a person may take to answer before the request is denied.
    pub approval_ms_max: u64,
    /// How long the same write under a new call id counts as a repetition.
    pub repeated_write_ms_max: u64,
}

/// How often, and after which pauses, a failed call is retried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryLimits {
    /// Attempts after the first.
    pub retries_max: u32,
    pub pause_ms: Backoff,
    /// After `RATE_LIMIT`: the service asked for more time.
    pub rate_limit_ms: Backoff,
    /// How far a pause may vary, so that many callers do not return at once.
    pub jitter_percent: u32,
}

/// The first and the longest pause; each pause doubles the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backoff {
    pub first: u64,
    pub max: u64,
}

impl Limits {
    /// A person listens: few calls, and no time for retries.
    pub fn voice() -> Self {
        let retry = RetryLimits { retries_max: 0, ..RetryLimits::text() };
        Self { retrieval_calls_max: 2, calls_max: 3, retry, ..Self::text() }
    }

    /// A person reads.
    pub fn text() -> Self {
        Self {
            retrieval_calls_max: 5,
            calls_max: 10,
            retry: RetryLimits::text(),
            approval_ms_max: 300_000,
            repeated_write_ms_max: 600_000,
        }
    }
}

impl RetryLimits {
    fn text() -> Self {
        Self {
            retries_max: 3,
            pause_ms: Backoff { first: 300, max: 3_000 },
            rate_limit_ms: Backoff { first: 1_000, max: 10_000 },
            jitter_percent: 20,
        }
    }
}

/// The calls that ran in one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnUsage {
    turn: u64,
    calls: Vec<SpentCall>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpentCall {
    id: CallId,
    tool: ToolId,
    category: Category,
    /// Its turn, if that is an earlier one. Servers that share a store number the turns of programs
    /// apart from each other, so that an earlier turn can come after a later one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
}

impl TurnUsage {
    pub fn nothing(turn: u64) -> Self {
        Self { turn, calls: Vec::new() }
    }

    /// Adds one call. A call of a later turn starts a new count.
    #[must_use]
    pub fn add(&self, call: &CheckedCall) -> Self {
        let mut spent = match call.turn() > self.turn {
            true => Self::nothing(call.turn()),
            false => self.clone(),
        };
        let turn = Some(call.turn()).filter(|turn| *turn < spent.turn);
        // One earlier turn is remembered beside the newest.
        spent.calls.retain(|other| other.turn.is_none() || other.turn == turn);
        let (id, tool) = (call.id().clone(), call.tool().clone());
        spent.calls.push(SpentCall { id, tool, category: call.contract().category, turn });
        spent
    }

    /// How many calls this turn has used.
    pub fn calls(&self, turn: u64) -> u32 {
        self.count(turn, |_| true)
    }

    /// The retrieval calls among them.
    pub fn retrieval_calls(&self, turn: u64) -> u32 {
        self.count(turn, |spent| spent.category == Category::Retrieval)
    }

    /// How often this turn has used the tool.
    pub fn uses(&self, turn: u64, tool: &ToolId) -> u32 {
        self.count(turn, |spent| spent.tool == *tool)
    }

    /// The usage without this call: a call that is delivered twice does not count against itself.
    #[must_use]
    pub(crate) fn without(&self, call: &CheckedCall) -> Self {
        let own = |spent: &SpentCall| spent.id == *call.id() && spent.tool == *call.tool();
        let mut others = self.clone();
        if let Some(index) = others.calls.iter().position(own) {
            others.calls.remove(index);
        }
        others
    }

    fn count(&self, turn: u64, counts: impl Fn(&SpentCall) -> bool) -> u32 {
        let is_of = |spent: &SpentCall| spent.turn.unwrap_or(self.turn) == turn;
        let counted = self.calls.iter().filter(|spent| is_of(spent) && counts(spent)).count();
        u32::try_from(counted).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests;
