//! A name for each entry of a conversation, the same in the view and on the stream.
//!
//! A message of a person is `t2`, a tool call `t2.CALL`; everything else is counted behind
//! the one before it: `t2.assistant0`, `t2.CALL.system1`.

use std::collections::BTreeMap;

use contract::CallId;
use engine::Entry;
use serde_json::Value;

use crate::render::markdown::to_html;

/// Names entries in their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct EntryKeys {
    anchor: String,
    counts: BTreeMap<(String, &'static str), u32>,
}

impl EntryKeys {
    pub(crate) fn of(&mut self, entry: &Entry) -> String {
        match entry {
            Entry::User { turn, .. } => self.anchored(format!("t{turn}")),
            Entry::Step(step) => self.anchored(step_key(step.turn, &step.call)),
            Entry::Assistant { .. } => self.next("assistant"),
            Entry::Thinking { .. } => self.next("thinking"),
            Entry::System { .. } => self.next("system"),
            Entry::BrokeOff { .. } => self.next("broke_off"),
            Entry::Ended { .. } => self.next("ended"),
        }
    }

    /// From here on entries are counted behind this one.
    pub(crate) fn anchored(&mut self, key: String) -> String {
        self.anchor.clone_from(&key);
        key
    }

    pub(crate) fn next(&mut self, kind: &'static str) -> String {
        let anchor = self.anchor.clone();
        self.next_behind(&anchor, kind)
    }

    pub(crate) fn next_behind(&mut self, anchor: &str, kind: &'static str) -> String {
        let count = self.counts.entry((anchor.to_owned(), kind)).or_default();
        let key = format!("{anchor}.{kind}{count}");
        *count += 1;
        key.trim_start_matches('.').to_owned()
    }
}

pub(crate) fn step_key(turn: u64, call: &CallId) -> String {
    format!("t{turn}.{}", call.0)
}

/// An entry as JSON: its key, and HTML where there is Markdown.
pub(crate) fn shown(key: &str, entry: &Entry) -> Value {
    let mut json = serde_json::to_value(entry).unwrap_or_default();
    json["key"] = key.into();
    match entry {
        Entry::Assistant { text, .. } | Entry::System { text, .. } => {
            json["html"] = to_html(text).into();
        }
        Entry::User { .. }
        | Entry::Thinking { .. }
        | Entry::Step(_)
        | Entry::BrokeOff { .. }
        | Entry::Ended { .. } => {}
    }
    json
}
