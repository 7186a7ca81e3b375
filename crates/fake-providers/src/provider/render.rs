//! A turn in the format of each wire, as a whole answer and as the frames of a stream.

pub(super) mod anthropic;
pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod responses;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::Wire;
use serde_json::Value;

use super::turn::Turn;

/// One answer, both ways.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) whole: Value,
    pub(crate) frames: Vec<Frame>,
}

/// One event of an event stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) event: Option<String>,
    pub(crate) data: String,
}

impl Frame {
    /// A frame whose event is named in its data too.
    pub(crate) fn named(data: &Value) -> Self {
        let event = data["type"].as_str().map(str::to_owned);
        Self { event, data: data.to_string() }
    }

    pub(crate) fn plain(data: &Value) -> Self {
        Self { event: None, data: data.to_string() }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(event) = &self.event {
            writeln!(f, "event: {event}")?;
        }
        write!(f, "data: {}\n\n", self.data)
    }
}

/// What an answer depends on in its request.
pub(crate) struct Asked<'a> {
    pub(crate) model: &'a str,
    pub(crate) ids: &'a Ids,
    /// Chat: whether the usage was requested.
    pub(crate) with_usage: bool,
}

/// Unique numbers of a server.
#[derive(Debug, Default)]
pub(crate) struct Ids(AtomicU64);

impl Ids {
    pub(crate) fn next(&self, prefix: &str) -> String {
        format!("{prefix}{:04}", self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

pub(crate) fn render(wire: Wire, turn: &Turn, asked: &Asked<'_>) -> Rendered {
    match wire {
        Wire::Anthropic => anthropic::render(turn, asked),
        Wire::Chat => chat::render(turn, asked),
        Wire::Responses => responses::render(turn, asked),
        Wire::Gemini => gemini::render(turn, asked),
    }
}

/// The text in pieces as models send it: word by word.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// JSON text in pieces that end only at character boundaries.
pub(crate) fn scraps(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).map(|chunk| chunk.iter().collect()).collect()
}
