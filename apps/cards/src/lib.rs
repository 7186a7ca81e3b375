//! Flashcards: text in, cards out, nothing lost on the way.

mod language;
mod segment;

mod manifest;

mod card;
mod emitted;
mod sentence_result;

mod aggregate;
mod merge;

pub use aggregate::{Aggregate, Metrics, Pair, aggregate};
pub use card::{Card, CardKey, Context, Form, Unit};
pub use emitted::{EMIT_FLASHCARDS, Flashcard, Flashcards, emit_flashcards_tool, tool_definition};
pub use language::{BadLanguage, Language};
pub use manifest::{BadManifest, Chunking, Manifest, ManifestStats, Sentence, normalise, signature};
pub use merge::{ContextsMax, merge};
pub use segment::{Engine, Segmentation, Span, segment};
pub use sentence_result::{Extent, SentenceCard, SentenceResult, Sorted, sort};
