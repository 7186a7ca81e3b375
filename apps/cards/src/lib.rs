//! Flashcards: text in, cards out, nothing lost on the way.

mod language;
mod segment;

pub use language::{BadLanguage, Language};
pub use segment::{Engine, Segmentation, Span, segment};
