//! Limits of attachments. No `Default`: callers choose explicitly.

use std::time::Duration;

/// The limits of one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttachmentLimits {
    pub file_bytes_max: usize,
    /// Files of one message.
    pub per_message_max: usize,
    /// All files of an owner.
    pub owner_bytes_max: u64,
    pub owner_files_max: usize,
    /// The text of a file that is stored.
    pub text_bytes_max: usize,
    /// How much of a file's text is in a message for the model.
    pub prompt_bytes_max: usize,
    /// How long a file is kept that no message has.
    pub draft_time_max: Duration,
    /// Files that are read at the same time.
    pub readers_max: usize,
}

impl AttachmentLimits {
    /// For a server on one machine.
    pub const fn machine() -> Self {
        Self {
            file_bytes_max: 20 << 20,
            per_message_max: 20,
            owner_bytes_max: 2 << 30,
            owner_files_max: 5_000,
            text_bytes_max: 4 << 20,
            prompt_bytes_max: 200_000,
            draft_time_max: Duration::from_secs(7 * 24 * 60 * 60),
            readers_max: 2,
        }
    }

    /// The limits of reading one file.
    pub(crate) fn read_limits(&self) -> documents::ReadLimits {
        documents::ReadLimits {
            text_bytes_max: self.text_bytes_max,
            unpacked_bytes_max: self.file_bytes_max.saturating_mul(4),
            steps_max: 20_000_000,
        }
    }
}
