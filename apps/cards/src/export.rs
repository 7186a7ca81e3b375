//! Writes cards for other programs.
//!
//! Must hold: the same cards give the same bytes; a card keeps its id in every export, so
//! that importing it again updates instead of adding.

mod anki;
mod apkg;
mod csv;
mod document;
mod note_type;
mod sound;
mod zip;

pub(crate) use anki::{AnkiNote, anki_text, guid, notes};
pub use anki::{AnkiOptions, GAP_NOTE_TYPE, NOTE_TYPE, WORD_NOTE_TYPE};
pub use apkg::deck_name;
pub(crate) use apkg::{DatedNote, apkg};
pub use csv::csv;
pub use document::{ExportHead, json, jsonl};
pub(crate) use note_type::{field_names, note_type_name};
pub use sound::{Sound, Sounds, Speaker, sounds_of};
#[cfg(test)]
pub(crate) use zip::pack;
