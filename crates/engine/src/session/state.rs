//! What the calls of a conversation leave for later calls: budget, loops, memory, seen ids, and
//! a person's standing answers.
//!
//! A crash may lose the latest changes. That is safe: the ledger guards writes, and approvals
//! have records of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::ToolError;
use policy::{
    CheckedCall, ConversationId, LoopDetector, StandingAnswers, Timestamp, ToolMemory, TurnUsage,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The session state of one conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionState {
    pub spent: TurnUsage,
    pub loops: LoopDetector,
    pub memory: ToolMemory,
    #[serde(rename = "said")]
    pub standing_answers: StandingAnswers,
    /// The ids in each tool's results: later calls may ask for these.
    #[serde(with = "shared")]
    pub seen: Arc<Seen>,
}

/// Ids by tool. Shared between clones of the state, and copied when an id is added.
pub(crate) type Seen = BTreeMap<String, BTreeSet<String>>;

impl SessionState {
    pub(crate) fn new(conversation: &ConversationId, turn: u64) -> Self {
        Self {
            spent: TurnUsage::nothing(turn),
            loops: LoopDetector::default(),
            memory: ToolMemory::new(conversation.clone()),
            standing_answers: StandingAnswers::nothing(conversation.clone()),
            seen: Arc::default(),
        }
    }

    /// Records the outcome of a call that ran.
    pub(crate) fn note_outcome(
        &mut self,
        call: &CheckedCall,
        outcome: &Result<Value, ToolError>,
        at: Timestamp,
        seen_ids_max: usize,
    ) {
        self.loops.note_outcome(call, outcome);
        self.memory.remember(call, outcome, at);
        let results = outcome.as_ref().ok().and_then(|data| data.get("results"));
        let ids = results.and_then(Value::as_array).into_iter().flatten();
        let ids = ids.filter_map(|result| result.get("id")?.as_str());
        self.note_seen(call.tool().as_str(), ids, seen_ids_max);
    }

    fn note_seen<'a>(&mut self, tool: &str, ids: impl Iterator<Item = &'a str>, most: usize) {
        let known = self.seen.get(tool);
        let is_new = |id: &&str| !known.is_some_and(|known| known.contains(*id));
        let ids: Vec<&str> = ids.filter(is_new).collect();
        if known.is_some() && ids.is_empty() {
            return;
        }
        let seen = Arc::make_mut(&mut self.seen).entry(tool.to_owned()).or_default();
        for id in ids {
            if seen.len() < most {
                seen.insert(id.to_owned());
            }
        }
    }

    /// The read-only part that a handler sees.
    pub(crate) fn for_handler(&self) -> Value {
        json!({ "seenIds": self.seen.as_ref() })
    }
}

/// Serializes the shared map like an owned one.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Seen;

    pub(crate) fn serialize<S: Serializer>(seen: &Arc<Seen>, to: S) -> Result<S::Ok, S::Error> {
        seen.as_ref().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Seen>, D::Error> {
        Seen::deserialize(from).map(Arc::new)
    }
}
