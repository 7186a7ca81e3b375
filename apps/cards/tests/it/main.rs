//! The flashcards over a real store, with a scripted model.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::needless_pass_by_value,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

mod anki_library;
mod batches;
mod edits;
mod exports;
mod interactive;
mod known_words;
mod old_cards;
mod push;
mod quality;
mod reviews;
mod vocabulary;
mod wires;
mod world;
