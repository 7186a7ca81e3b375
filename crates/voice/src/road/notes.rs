//! Notes about unexpected messages: each kind once, and not without end.

use std::collections::BTreeSet;

use crate::input::Input;
use crate::road::RoadEvent;

/// How many kinds are named; later ones are counted in silence.
const KINDS_MAX: usize = 32;
const CHARS_MAX: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Notes {
    known: BTreeSet<String>,
}

impl Notes {
    /// A note about a kind of message, the first time.
    pub(crate) fn once(&mut self, kind: &str) -> Option<RoadEvent> {
        let kind: String = kind.chars().take(CHARS_MAX).collect();
        let is_new = self.known.len() < KINDS_MAX && self.known.insert(kind.clone());
        is_new
            .then(|| note(format!("the provider sent something unknown, which is ignored: {kind}")))
    }
}

/// A note for people.
pub(crate) fn note(text: impl Into<String>) -> RoadEvent {
    let text: String = text.into();
    RoadEvent::Input(Input::Noted { text: text.chars().take(CHARS_MAX).collect() })
}
