//! Limits of folders and searches. No `Default`: callers choose explicitly.

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
        }
    }
}
