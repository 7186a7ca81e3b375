//! What a conversation's calls have left behind: budget, loops, memory, seen ids, and what
//! a person said.
//!
//! Kept in memory, read from the store when a conversation is first met, and written
//! behind. Losing the last moment of it in a crash loosens nothing that matters: writes
//! are guarded by the ledger, approvals by their own records.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::ToolError;
use policy::{CheckedCall, ConversationId, LoopWatch, Said, Spent, Timestamp, ToolMemory};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Json;

/// The notes of one conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Notes {
    pub spent: Spent,
    pub loops: LoopWatch,
    pub memory: ToolMemory,
    pub said: Said,
    /// The ids that each tool's results carried: what may be asked for by id later.
    #[serde(with = "shared")]
    pub seen: Arc<Seen>,
}

/// Ids by tool. Shared by all who look at the notes, and copied when one is added.
pub(crate) type Seen = BTreeMap<String, BTreeSet<String>>;

impl Notes {
    pub(crate) fn new(conversation: &ConversationId, turn: u64) -> Self {
        Self {
            spent: Spent::nothing(turn),
            loops: LoopWatch::default(),
            memory: ToolMemory::new(conversation.clone()),
            said: Said::nothing(conversation.clone()),
            seen: Arc::default(),
        }
    }

    /// Notes what came back from a call that ran.
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
        self.note_seen(call.contract.tool_id.as_str(), ids, seen_ids_max);
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

    /// The read-only session state that a handler sees.
    pub(crate) fn session_state(&self) -> Value {
        json!({ "seenIds": self.seen.as_ref() })
    }
}

/// Spells what is shared like what is not.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Seen;

    pub(super) fn serialize<S: Serializer>(seen: &Arc<Seen>, to: S) -> Result<S::Ok, S::Error> {
        seen.as_ref().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<Seen>, D::Error> {
        Seen::deserialize(from).map(Arc::new)
    }
}

/// The notes of every conversation met so far.
#[derive(Debug, Default)]
pub(crate) struct Notebook {
    /// Locked for a look or a change, never across an await.
    notes: Mutex<HashMap<ConversationId, Notes>>,
}

/// How many conversations are kept in memory; the store has them all.
const CONVERSATIONS_MAX: usize = 10_000;

impl Notebook {
    pub(crate) fn get(&self, conversation: &ConversationId) -> Option<Notes> {
        self.lock().get(conversation).cloned()
    }

    /// Puts notes that were read from the store, unless others came first.
    pub(crate) fn put_first(&self, conversation: &ConversationId, notes: Notes) -> Notes {
        let mut known = self.lock();
        if known.len() >= CONVERSATIONS_MAX {
            known.clear();
        }
        known.entry(conversation.clone()).or_insert(notes).clone()
    }

    /// Changes the notes of a conversation.
    pub(crate) fn change(
        &self,
        conversation: &ConversationId,
        turn: u64,
        change: impl FnOnce(&mut Notes),
    ) {
        let mut known = self.lock();
        let notes =
            known.entry(conversation.clone()).or_insert_with(|| Notes::new(conversation, turn));
        change(notes);
    }

    pub(crate) fn forget(&self, conversation: &ConversationId) {
        self.lock().remove(conversation);
    }

    pub(crate) fn json(&self, conversation: &ConversationId) -> Option<Json> {
        self.lock().get(conversation).and_then(|notes| Json::of(notes).ok())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Notes>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
