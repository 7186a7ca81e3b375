//! What a model is asked, and how its answer is read.
//!
//! In: numbered sentences. Out: a [`sentence_result::SentenceResult`] for each, or an
//! [`error_code::ErrorCode`]. Start at [`prompt`].

pub(crate) mod ask_settings;
pub(crate) mod prompt;
pub(crate) mod sentence_result;

pub(crate) mod error_code;

pub(crate) mod offline_model;
