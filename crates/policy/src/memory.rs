//! Recent tool results of one conversation, so that a repeated retrieval is not run again.
//!
//! In: every finished call, and the time. Out: the recorded result for a retrieval call that
//! repeats an earlier one. Must hold: conversations do not share results; no result is older
//! than an hour, or than the turn if the contract says so; a result from before a write is not
//! reused, because the write may have changed it; neither is a result that reports a failure.

mod arc_serde;
mod query;
mod similar;

use std::collections::VecDeque;
use std::sync::Arc;

use contract::{CallId, Category, Digest, Reuse, SideEffects, ToolError, ToolId, failure_in};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::display_text::{clip, visible_json};
use crate::{CheckedCall, ConversationId, Timestamp};

pub use query::{QUERY_TOOL_MEMORY, query_tool_memory, query_tool_memory_schema};

/// The finished calls of one conversation, oldest first. Clones share the entries, because
/// every judged call needs one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolMemory {
    conversation: ConversationId,
    #[serde(with = "arc_serde")]
    calls: VecDeque<Arc<MemoryEntry>>,
}

/// One finished call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEntry {
    pub id: CallId,
    pub tool: ToolId,
    pub digest: Digest,
    pub category: Category,
    pub side_effects: SideEffects,
    pub args: Value,
    pub turn: u64,
    pub at: Timestamp,
    pub answer: RememberedOutcome,
}

/// The result of a call, whole or summarised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RememberedOutcome {
    Data(Value),
    Error(ToolError),
    /// A successful result that is too old to be kept whole.
    DataSummary(String),
    ErrorSummary(String),
}

/// An earlier result that answers a call.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierResult<'a> {
    pub earlier: &'a MemoryEntry,
    pub data: &'a Value,
}

impl EarlierResult<'_> {
    /// The note that goes with the reused result.
    pub fn note(&self) -> String {
        let MemoryEntry { tool, turn, .. } = self.earlier;
        format!("Reused result from previous {tool} call from turn {turn}")
    }
}

impl ToolMemory {
    pub const FULL_MAX: usize = 10;
    pub const SUMMARIES_MAX: usize = 40;
    pub const AGE_MS_MAX: u64 = 3_600_000;
    const SUMMARY_CHARS_MAX: usize = 200;

    pub fn new(conversation: ConversationId) -> Self {
        Self { conversation, calls: VecDeque::new() }
    }

    pub fn conversation(&self) -> &ConversationId {
        &self.conversation
    }

    /// Remembers a call that ran. Calls of other conversations are ignored.
    pub fn remember(
        &mut self,
        call: &CheckedCall,
        outcome: &Result<Value, ToolError>,
        at: Timestamp,
    ) {
        if *call.conversation() != self.conversation {
            return;
        }
        let answer = match outcome {
            Ok(data) => RememberedOutcome::Data(data.clone()),
            Err(error) => RememberedOutcome::Error(error.clone()),
        };
        self.calls.push_back(Arc::new(MemoryEntry {
            id: call.id().clone(),
            tool: call.tool().clone(),
            digest: call.digest(),
            category: call.contract().category,
            side_effects: call.contract().side_effects,
            args: call.args().clone(),
            turn: call.turn(),
            at,
            answer,
        }));
        self.shrink(at);
    }

    /// The calls of the last hour, oldest first.
    pub fn recent(&self, now: Timestamp) -> impl DoubleEndedIterator<Item = &MemoryEntry> {
        let calls = self.calls.iter().map(AsRef::as_ref);
        calls.filter(move |call: &&MemoryEntry| now.ms_since(call.at) <= Self::AGE_MS_MAX)
    }

    /// The result of an earlier call that asked the same: a successful result of the same,
    /// unchanged retrieval tool, with no write after it.
    pub fn duplicate(&self, call: &CheckedCall, now: Timestamp) -> Option<EarlierResult<'_>> {
        if call.contract().category != Category::Retrieval
            || *call.conversation() != self.conversation
        {
            return None;
        }
        // A person may answer differently next time.
        if !call.contract().asks.is_empty() {
            return None;
        }
        let is_in_scope = |earlier: &&MemoryEntry| match call.contract().reuse {
            Reuse::Conversation => true,
            Reuse::Turn => earlier.turn == call.turn(),
        };
        self.recent(now)
            .rev()
            .filter(is_in_scope)
            .take_while(|earlier| earlier.side_effects != SideEffects::Writes)
            .filter(|earlier| earlier.tool == *call.tool())
            .filter(|earlier| earlier.digest == call.digest())
            .find_map(|earlier| match &earlier.answer {
                // A reported failure may succeed next time, even if `returns` describes the field.
                RememberedOutcome::Data(data) if failure_in(data, None).is_some() => None,
                RememberedOutcome::Data(data)
                    if similar::same_question(&earlier.args, call.args()) =>
                {
                    Some(EarlierResult { earlier, data })
                }
                RememberedOutcome::Data(_)
                | RememberedOutcome::Error(_)
                | RememberedOutcome::DataSummary(_)
                | RememberedOutcome::ErrorSummary(_) => None,
            })
    }

    /// Forgets the results of these turns, which a person has undone.
    pub fn forget(&mut self, turns: &std::ops::RangeInclusive<u64>) {
        self.calls.retain(|call| !turns.contains(&call.turn));
    }

    fn shrink(&mut self, now: Timestamp) {
        self.calls.retain(|call| now.ms_since(call.at) <= Self::AGE_MS_MAX);
        while self.calls.len() > Self::FULL_MAX + Self::SUMMARIES_MAX {
            self.calls.pop_front();
        }
        let old = self.calls.iter_mut().rev().skip(Self::FULL_MAX);
        for call in old.filter(|call| call.answer.is_whole()) {
            Arc::make_mut(call).shorten(Self::SUMMARY_CHARS_MAX);
        }
    }
}

impl MemoryEntry {
    fn shorten(&mut self, characters_max: usize) {
        self.answer.summarise(characters_max);
        if let Value::Object(args) = &mut self.args {
            for arg in args.values_mut().filter(|arg| arg.is_string()) {
                *arg = visible_json(arg, characters_max).into();
            }
        }
    }
}

impl RememberedOutcome {
    pub fn is_error(&self) -> bool {
        match self {
            RememberedOutcome::Error(_) | RememberedOutcome::ErrorSummary(_) => true,
            RememberedOutcome::Data(_) | RememberedOutcome::DataSummary(_) => false,
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            RememberedOutcome::Data(_) | RememberedOutcome::Error(_) => true,
            RememberedOutcome::DataSummary(_) | RememberedOutcome::ErrorSummary(_) => false,
        }
    }

    /// A short text for a list of calls.
    pub fn summary(&self, characters_max: usize) -> String {
        match self {
            RememberedOutcome::Data(data) => visible_json(data, characters_max),
            RememberedOutcome::Error(error) => {
                clip(&format!("{}: {}", error.kind, error.message), characters_max)
            }
            RememberedOutcome::DataSummary(text) | RememberedOutcome::ErrorSummary(text) => {
                clip(text, characters_max)
            }
        }
    }

    fn summarise(&mut self, characters_max: usize) {
        let summary = || self.summary(characters_max);
        *self = match self {
            RememberedOutcome::Data(_) => RememberedOutcome::DataSummary(summary()),
            RememberedOutcome::Error(_) => RememberedOutcome::ErrorSummary(summary()),
            RememberedOutcome::DataSummary(_) | RememberedOutcome::ErrorSummary(_) => return,
        };
    }
}

#[cfg(test)]
mod tests;
