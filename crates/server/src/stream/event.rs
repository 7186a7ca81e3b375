//! An event of the stream, and its position, from which a reader can resume.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use axum::body::Bytes;
use serde_json::{Value, json};

use crate::stream::sse;

/// A position in a conversation's stream: everything up to event `sequence` of its log, and
/// `live` frames after it, which the log does not have yet. Live frames are numbered again
/// whenever the stream is opened, so they are valid only together with `epoch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub sequence: u64,
    pub live: u64,
    pub epoch: u32,
}

impl Position {
    pub(crate) fn at(sequence: u64) -> Self {
        Self { sequence, live: 0, epoch: 0 }
    }

    pub(crate) fn next_live(self, epoch: u32) -> Self {
        Self { live: self.live.saturating_add(1), epoch, ..self }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.live {
            0 => write!(f, "{}", self.sequence),
            live => write!(f, "{}.{live}.{:x}", self.sequence, self.epoch),
        }
    }
}

/// The text is not a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadPosition;

impl FromStr for Position {
    type Err = BadPosition;
    fn from_str(text: &str) -> Result<Self, BadPosition> {
        let number = |text: &str| text.parse().map_err(|_| BadPosition);
        let Some((sequence, live)) = text.split_once('.') else {
            return Ok(Self::at(number(text)?));
        };
        let (live, epoch) = live.split_once('.').ok_or(BadPosition)?;
        let epoch = u32::from_str_radix(epoch, 16).map_err(|_| BadPosition)?;
        Ok(Self { sequence: number(sequence)?, live: number(live)?, epoch })
    }
}

/// An AG-UI event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub kind: &'static str,
    pub data: Value,
    /// This event replaces an earlier one with the same name here.
    pub instead_of: Option<String>,
}

impl Event {
    pub(crate) fn new(kind: &'static str, mut fields: Value) -> Self {
        fields["type"] = kind.into();
        Self { kind, data: fields, instead_of: None }
    }

    /// As bytes, without a position: a reader that reconnects reads the values again.
    pub(crate) fn wire(&self) -> Bytes {
        sse::event(None, self.kind, &self.data.to_string())
    }

    pub(crate) fn instead_of(self, name: String) -> Self {
        Self { instead_of: Some(name), ..self }
    }

    pub(crate) fn custom(name: &str, value: Value) -> Self {
        let mut fields = json!({ "name": name });
        fields["value"] = value;
        Self::new("CUSTOM", fields)
    }
}

/// An event with its position.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub place: Position,
    pub kind: &'static str,
    pub data: String,
    pub instead_of: Option<String>,
    /// As bytes, encoded for the first reader.
    wire: OnceLock<Bytes>,
}

impl Frame {
    pub(crate) fn new(place: Position, event: &Event) -> Self {
        let Event { kind, data, instead_of } = event;
        let (data, instead_of) = (data.to_string(), instead_of.clone());
        Self { place, kind, data, instead_of, wire: OnceLock::new() }
    }

    /// All readers share the bytes.
    pub(crate) fn wire(&self) -> Bytes {
        let Self { place, kind, data, .. } = self;
        self.wire.get_or_init(|| sse::event(Some(&place.to_string()), kind, data)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn a_position_round_trips_and_is_ordered() {
        for text in ["0", "12", "12.3.ab"] {
            assert_eq!(text.parse::<Position>().unwrap().to_string(), text);
        }
        for text in ["", "x", "1.x", "1.2", "1.2.x", "1.2.3.4", "-1"] {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
        assert!(Position::at(3).next_live(9) < Position::at(4));
    }
}
