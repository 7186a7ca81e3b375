//! The text of a message: chunks, language, stems, numbers and known words.
//!
//! Start at [`chunk::chunks`]; everything else looks at its chunks.

pub(crate) mod chunk;
pub(crate) mod language;
pub(crate) mod lexicon;
pub(crate) mod number;
pub(crate) mod stem;
