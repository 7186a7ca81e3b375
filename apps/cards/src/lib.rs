//! Flashcards: text in, cards out, nothing lost on the way.
//!
//! In: a text. Out: cards for its words and phrases, in the order of the text. Must hold: a
//! sentence that cannot be done leaves a hole in its place and nowhere else; whatever dies,
//! what was received is there, and the same run goes on from any process.
//!
//! Start at [`Library`]. The modules stand in the order in which a text meets them.

#![cfg_attr(
    test,
    allow(
        clippy::needless_pass_by_value,
        clippy::wildcard_enum_match_arm,
        reason = "a test table reads best by value, and tests look at one case"
    )
)]

mod language;
mod segment;

mod manifest;

mod card;
mod emitted;
mod sentence_result;

mod error_code;
mod fault;
mod run;
mod stand_in;

mod aggregate;
mod merge;

mod deck;
mod edit;
mod export;
mod import;
mod library;
mod marks;
mod review;
mod view;

pub use aggregate::{Aggregate, Metrics, Pair, aggregate};
pub use card::{Card, CardKey, Context, Form, Unit};
pub use deck::{Deck, DeckCard};
pub use edit::{CardChange, ContextChange, Strategy};
pub use emitted::{EMIT_FLASHCARDS, Flashcard, Flashcards, emit_flashcards_tool, tool_definition};
pub use error_code::{Banner, ErrorCode, LOCALES};
pub use export::{ExportHead, NOTE_TYPE, anki_text, csv, deck_name, json, jsonl};
pub use fault::CardsFault;
pub use import::{IMPORT_BYTES_MAX, read_cards};
pub use language::{BadLanguage, Language};
pub use library::{
    Again, Beginning, DueCard, ImportPreview, Library, ReviewPlan, ReviewQueue, TEXT_BYTES_MAX,
};
pub use manifest::{
    BadManifest, Chunking, Manifest, ManifestStats, Sentence, normalise, signature,
};
pub use merge::{ContextsMax, merge};
pub use review::{Learning, Memory, Rating, Review};
pub use run::estimate::Estimate;
pub use run::event::{Hole, RunEvent, Spent};
pub use run::head::{BadRunId, RunHead, RunId};
pub use run::progress::{Progress, Stage, cost_of};
pub use run::record::{Record, SentBatch};
pub use run::state::{BadStep, Machine, RunState, SentenceState, Step};
pub use run::work::{Answerer, Patience, Sending, Watcher, WorkEnd, WorkOptions};
pub use segment::{Engine, Segmentation, Span, segment};
pub use sentence_result::{Extent, SentenceCard, SentenceResult, Sorted, sort};
pub use stand_in::{REHEARSED, StandIn};
pub use view::{CardView, Mark, Piece, RunView, Segment, SentenceView, TextCounts, Trouble};
