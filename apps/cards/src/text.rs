//! The text: its language, its sentences, and where words occur in them.

pub(crate) mod language;
pub(crate) mod segment;

pub(crate) mod manifest;

pub(crate) mod word_spans;
