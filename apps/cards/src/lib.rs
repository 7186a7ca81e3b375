//! Flashcards: text in, cards out, nothing lost on the way.
//!
//! In: a text. Out: cards for its words and phrases, in the order of the text. Must hold: a
//! failed sentence leaves a hole in its place and nowhere else; received results survive a
//! crash, and any process can resume the run.
//!
//! Start at [`Library`]. The modules are in the order in which a text passes through them.

#![cfg_attr(
    test,
    allow(
        clippy::needless_pass_by_value,
        clippy::wildcard_enum_match_arm,
        reason = "a test table reads best by value, and tests look at one case"
    )
)]

mod input;

mod text;

mod model;

mod run;

mod deck;

mod export;
mod import;
mod library;

mod fault;

pub use deck::aggregate::{Aggregate, Metrics, aggregate};
pub use deck::card::{Card, CardKey, CardRef, Context, Form, Unit};
pub use deck::edit::{CardChange, ContextChange, Strategy};
pub use deck::merge::{ContextsMax, merge};
pub use deck::quality::Doubt;
pub use deck::review::{BadReviewId, Learning, Rating, Recall, Recalls, Review, ReviewId};
pub use deck::view::{
    CardView, Familiarity, Mark, RunView, Segment, SentenceView, TextCounts, TextPiece, Trouble,
};
pub use deck::{Deck, DeckCard};
pub use export::{
    AnkiOptions, ExportHead, GAP_NOTE_TYPE, NOTE_TYPE, Sound, Sounds, Speaker, WORD_NOTE_TYPE, csv,
    deck_name, json, jsonl, sounds_of,
};
pub use fault::CardsFault;
pub use import::{IMPORT_BYTES_MAX, read_cards};
pub use input::{DOCUMENT_BYTES_MAX, Document, DocumentHint, DocumentKind, read_document};
pub use library::{
    AnkiCall, AnkiCaller, DueCard, ImportPreview, Library, NewOrder, NewRun, PushReport,
    RetryScope, ReviewChange, ReviewPlan, ReviewQueue, TEXT_BYTES_MAX,
};
pub use model::ask_settings::AskSettings;
pub use model::error_code::{Banner, ErrorCode, LOCALES};
pub use model::offline_model::{OfflineModel, REHEARSED};
pub use model::prompt::{
    EMIT_FLASHCARDS, Flashcard, Flashcards, emit_flashcards_tool, tool_definition,
};
pub use model::sentence_result::{Extent, SentenceCard, SentenceResult, Sorted, sort};
pub use run::estimate::Estimate;
pub use run::event::{Hole, RunEvent, Spent};
pub use run::progress::{Progress, Stage, cost_of};
pub use run::run_info::{BadRunId, RunId, RunInfo};
pub use run::snapshot::{SentBatch, Snapshot};
pub use run::state::{BadStep, Machine, RunState, SentenceState, Step};
pub use run::work::{Answerer, Patience, Sending, Watcher, WorkEnd, WorkOptions};
pub use text::language::{BadLanguage, Language, Pair};
pub use text::manifest::{
    BadManifest, Chunking, Manifest, ManifestStats, Sentence, normalise, signature,
};
pub use text::segment::{SegmentRules, Segmentation, Span, segment};
