//! Detects a model in a loop: the same call again, or empty results again.
//!
//! In: every checked call of a conversation, and its result. Out: the loop, if a call would
//! continue one. Must hold: arguments are compared by their canonical text, turns by their
//! number. Call ids are ignored: some providers count them from zero in every answer.

use std::collections::BTreeMap;

use contract::{Digest, SideEffects, ToolError, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::CheckedCall;

/// The calls of one conversation, turn by turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopDetector {
    turns: BTreeMap<u64, TurnNotes>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TurnNotes {
    calls: Vec<CallNote>,
    /// How often a tool found nothing.
    empty: BTreeMap<ToolId, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallNote {
    tool: ToolId,
    args: Digest,
}

/// Whether a call is judged for the first time, or was noted before: after a reload or a
/// redelivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    First,
    Again,
}

/// A loop that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoopKind {
    SameCall { times: usize },
    EmptyResults { times: usize },
}

impl LoopKind {
    /// The sentence the model reads.
    pub fn message(&self, tool: &ToolId) -> String {
        match self {
            LoopKind::SameCall { times } => format!(
                "Loop detected: {tool} called {times} times with identical arguments. \
                 Try a different approach or rephrase your query."
            ),
            LoopKind::EmptyResults { times } => format!(
                "{tool} returned empty results {times} times. Data may not exist. \
                 Try different search terms or a different tool."
            ),
        }
    }
}

impl LoopDetector {
    /// How many identical calls are allowed.
    pub const SAME_CALLS_MAX: usize = 2;
    /// After this many empty results, the tool is refused for the rest of the turn.
    pub const EMPTY_RESULTS_MAX: usize = 2;
    pub const TURNS_MAX: usize = 5;
    /// More calls than any budget allows; later ones are not noted.
    pub const CALLS_PER_TURN_MAX: usize = 1_000;

    /// Notes a judged call, whatever the verdict.
    pub fn note_call(&mut self, call: &CheckedCall) {
        let calls = &mut self.turn_mut(call.turn()).calls;
        if calls.len() < Self::CALLS_PER_TURN_MAX {
            calls.push(CallNote::of(call));
        }
        self.forget_old_turns();
    }

    /// Notes a result. An error is not empty, and neither is the result of a tool that writes.
    pub fn note_outcome(&mut self, call: &CheckedCall, outcome: &Result<Value, ToolError>) {
        let reads = call.contract().side_effects != SideEffects::Writes;
        if reads && outcome.as_ref().is_ok_and(is_empty) {
            let tool = call.tool().clone();
            *self.turn_mut(call.turn()).empty.entry(tool).or_default() += 1;
        }
        self.forget_old_turns();
    }

    /// The loop that this call would continue.
    pub fn detect(&self, call: &CheckedCall, delivery: Delivery) -> Option<LoopKind> {
        let notes = self.turns.get(&call.turn())?;
        let wanted = CallNote::of(call);
        let noted = notes.calls.iter().filter(|note| **note == wanted).count();
        let times = match delivery {
            Delivery::First => noted + 1,
            Delivery::Again => noted.max(1),
        };
        if times > Self::SAME_CALLS_MAX {
            return Some(LoopKind::SameCall { times });
        }
        let times = notes.empty.get(&wanted.tool).copied().unwrap_or_default();
        (times >= Self::EMPTY_RESULTS_MAX).then_some(LoopKind::EmptyResults { times })
    }

    fn turn_mut(&mut self, turn: u64) -> &mut TurnNotes {
        self.turns.entry(turn).or_default()
    }

    fn forget_old_turns(&mut self) {
        while self.turns.len() > Self::TURNS_MAX {
            self.turns.pop_first();
        }
    }
}

impl CallNote {
    fn of(call: &CheckedCall) -> Self {
        Self { tool: call.tool().clone(), args: call.work() }
    }
}

/// Whether this data means that nothing was found.
///
/// Null, a blank text, an empty list; and an object whose fields are all empty in this sense,
/// or a 0 whose name counts something (`total_found`, `resultCount`). Next to an empty list,
/// `false` is an unset flag; alone it is a result, and so is any other number: a balance of 0
/// is a balance.
pub fn is_empty(data: &Value) -> bool {
    match data {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => {
            let no_items = fields.values().any(|value| value.as_array().is_some_and(Vec::is_empty));
            fields.iter().all(|(name, value)| match value {
                Value::Number(number) => number.as_f64() == Some(0.0) && counts_something(name),
                Value::Bool(flag) => !flag && no_items,
                Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                    is_empty(value)
                }
            })
        }
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// `total`, `total_found`, `resultCount`, `n_hits`: one of the words counts something.
fn counts_something(name: &str) -> bool {
    const WORDS: [&str; 9] =
        ["count", "counts", "total", "found", "hits", "matches", "results", "length", "size"];
    let spaced: String = name
        .chars()
        .flat_map(|c| [c.is_uppercase().then_some('_'), Some(c.to_ascii_lowercase())])
        .flatten()
        .collect();
    spaced.split(['_', '-', ' ']).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests;
