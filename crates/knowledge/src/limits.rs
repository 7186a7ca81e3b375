//! Limits of folders and searches. No `Default`: callers choose explicitly.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnowledgeLimits {
    pub folders_max: usize,
    pub files_per_folder_max: usize,
    /// The text that one search reads; further files are left out, and the answer says so.
    pub searched_bytes_max: u64,
    /// The indexes that are kept in memory, by the size of their texts.
    pub cached_bytes_max: usize,
    pub passages_max: usize,
    pub query_words_max: usize,
    /// The lines and bytes of a section that is read.
    pub section_lines_max: usize,
    pub section_bytes_max: usize,
    pub embedding: EmbeddingLimits,
}

/// Limits of embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbeddingLimits {
    /// Passages of an owner that have vectors; further ones are found by their words alone.
    pub passages_max: usize,
    /// Passages and bytes of text in one request.
    pub request_passages_max: usize,
    pub request_bytes_max: usize,
    /// What all owners together may send in a day, in tokens.
    pub tokens_per_day_max: u64,
    /// How long a search waits for the vector of its question.
    pub query_time_max: Duration,
    pub query_chars_max: usize,
    /// How long one request for passages may take.
    pub request_time_max: Duration,
    /// After a failure, nothing is sent for so long.
    pub pause_after_fault: Duration,
    /// The vectors that are kept in memory.
    pub cached_bytes_max: usize,
}

impl EmbeddingLimits {
    /// For a server on one machine.
    pub const fn machine() -> Self {
        Self {
            passages_max: 20_000,
            request_passages_max: 64,
            request_bytes_max: 100_000,
            tokens_per_day_max: 2_000_000,
            query_time_max: Duration::from_secs(4),
            query_chars_max: 2_000,
            request_time_max: Duration::from_secs(60),
            pause_after_fault: Duration::from_secs(60),
            cached_bytes_max: 64 << 20,
        }
    }
}

impl KnowledgeLimits {
    /// For a server on one machine.
    pub const fn machine() -> Self {
        Self {
            folders_max: 100,
            files_per_folder_max: 500,
            searched_bytes_max: 64 << 20,
            cached_bytes_max: 64 << 20,
            passages_max: 10,
            query_words_max: 32,
            section_lines_max: 400,
            section_bytes_max: 24_000,
            embedding: EmbeddingLimits::machine(),
        }
    }
}
