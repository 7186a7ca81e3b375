//! How the stream spells a text that is being said: the answer, a notice, a thought.
//!
//! SideEventReader its words, an answer or a notice is sent as HTML, block by block, while it grows.

use serde_json::json;

use crate::render::incremental::{Blocks, IncrementalMarkdown};
use crate::stream::event::Event;

/// A text that is being said.
#[derive(Debug, Clone)]
pub(crate) struct TextMessage {
    kind: &'static str,
    key: String,
    /// None for thoughts: they are shown as they are.
    growing: Option<IncrementalMarkdown>,
}

impl TextMessage {
    pub(crate) fn new(kind: &'static str, key: String) -> Self {
        let growing = (kind != "thinking").then(IncrementalMarkdown::default);
        Self { kind, key, growing }
    }

    pub(crate) fn start(&self) -> Vec<Event> {
        start_of(self.kind, &self.key)
    }

    pub(crate) fn add(&mut self, text: &str) -> Event {
        if let Some(growing) = &mut self.growing {
            growing.push(text);
        }
        content_of(self.kind, &self.key, text)
    }

    /// As HTML, what is different since this was last asked.
    pub(crate) fn rendered(&mut self) -> Option<Event> {
        let blocks = self.growing.as_mut()?.blocks()?;
        Some(rendered(&self.key, &blocks))
    }

    pub(crate) fn end(self) -> Vec<Event> {
        let Self { kind, key, growing } = self;
        let last = growing.map(|growing| rendered(&key, &growing.finish()));
        last.into_iter().chain(end_of(kind, &key)).collect()
    }
}

/// Blocks of a text from one on; all that was said of these blocks before need not be kept.
fn rendered(key: &str, Blocks { from, html }: &Blocks) -> Event {
    let value = json!({ "key": key, "from": from, "blocks": html });
    Event::custom("rendered", value).instead_of(format!("{key} {from}"))
}

/// A text begins.
pub(crate) fn start_of(kind: &'static str, key: &str) -> Vec<Event> {
    match kind {
        "thinking" => vec![
            Event::new("REASONING_START", json!({ "messageId": key })),
            Event::new("REASONING_MESSAGE_START", json!({ "messageId": key, "role": "reasoning" })),
        ],
        role => vec![Event::new("TEXT_MESSAGE_START", json!({ "messageId": key, "role": role }))],
    }
}

pub(crate) fn content_of(kind: &'static str, key: &str, text: &str) -> Event {
    let event = match kind {
        "thinking" => "REASONING_MESSAGE_CONTENT",
        _ => "TEXT_MESSAGE_CONTENT",
    };
    Event::new(event, json!({ "messageId": key, "delta": text }))
}

pub(crate) fn end_of(kind: &'static str, key: &str) -> Vec<Event> {
    let end = |event| Event::new(event, json!({ "messageId": key }));
    match kind {
        "thinking" => vec![end("REASONING_MESSAGE_END"), end("REASONING_END")],
        _ => vec![end("TEXT_MESSAGE_END")],
    }
}
