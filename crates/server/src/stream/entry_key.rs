//! Keys of the entries of a conversation, the same in the view and on the stream.
//!
//! A person's message is `t2`, a tool call `t2.CALL`; other entries are numbered after the one
//! before them: `t2.assistant0`, `t2.CALL.system1`.

use std::collections::BTreeMap;

use contract::CallId;
use conversation::{Entry, StepState};
use policy::preview_lines;
use serde_json::{Value, json};

use crate::render::markdown::to_html;

/// Assigns keys in the order of the entries.
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

    /// Later entries are numbered after this one.
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

/// An entry as JSON: its key, HTML where it has Markdown, and the lines of a preview.
pub(crate) fn shown(key: &str, entry: &Entry) -> Value {
    let mut json = serde_json::to_value(entry).unwrap_or_default();
    json["key"] = key.into();
    match entry {
        Entry::Assistant { text, .. } | Entry::System { text, .. } => {
            json["html"] = to_html(text).into();
        }
        Entry::Step(step) => {
            if let StepState::Asked { preview, .. } = &step.state {
                json["state"]["previewLines"] = json!(preview_lines(preview));
            }
        }
        Entry::User { .. }
        | Entry::Thinking { .. }
        | Entry::BrokeOff { .. }
        | Entry::Ended { .. } => {}
    }
    json
}
