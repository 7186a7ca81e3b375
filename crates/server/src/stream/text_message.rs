//! The AG-UI events of a streamed text: an answer, a notice, reasoning.
//!
//! Besides its deltas, an answer or a notice is sent as HTML, block by block.

use serde_json::json;

use crate::render::incremental::{Blocks, IncrementalMarkdown};
use crate::stream::event::Event;

/// A text that is being streamed.
#[derive(Debug, Clone)]
pub(crate) struct TextMessage {
    kind: &'static str,
    key: String,
    /// None for reasoning, which is shown as plain text.
    markdown: Option<IncrementalMarkdown>,
}

impl TextMessage {
    pub(crate) fn new(kind: &'static str, key: String) -> Self {
        let markdown = (kind != "thinking").then(IncrementalMarkdown::default);
        Self { kind, key, markdown }
    }

    pub(crate) fn start(&self) -> Vec<Event> {
        start_of(self.kind, &self.key)
    }

    pub(crate) fn add(&mut self, text: &str) -> Event {
        if let Some(markdown) = &mut self.markdown {
            markdown.push(text);
        }
        content_of(self.kind, &self.key, text)
    }

    /// The changed blocks as HTML.
    pub(crate) fn rendered(&mut self) -> Option<Event> {
        let blocks = self.markdown.as_mut()?.blocks()?;
        Some(rendered(&self.key, &blocks))
    }

    pub(crate) fn end(self) -> Vec<Event> {
        let Self { kind, key, markdown } = self;
        let last = markdown.map(|markdown| rendered(&key, &markdown.finish()));
        last.into_iter().chain(end_of(kind, &key)).collect()
    }
}

/// Blocks from one on; they replace all earlier versions of these blocks.
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
