//! The words of a message: chunks, language, stems, numbers and the few words with a meaning.
//!
//! Start at [`chunk::chunks`]; everything else looks at its chunks.

pub(crate) mod chunk;
pub(crate) mod language;
pub(crate) mod lexicon;
pub(crate) mod number;
pub(crate) mod stem;
