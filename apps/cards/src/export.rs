//! Writes cards for other programs.
//!
//! Must hold: the same cards give the same bytes; a card keeps its id in every export, so
//! that importing it again updates instead of adding.

mod anki;
mod apkg;
mod csv;
mod document;
mod zip;

pub use anki::NOTE_TYPE;
pub(crate) use anki::{AnkiNote, anki_text, guid, notes};
pub use apkg::deck_name;
pub(crate) use apkg::{DatedNote, apkg};
pub use csv::csv;
pub use document::{ExportHead, json, jsonl};
#[cfg(test)]
pub(crate) use zip::pack;
