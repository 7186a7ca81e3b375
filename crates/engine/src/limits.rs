//! Limits of a call besides those of its contract. No `Default`: callers choose explicitly.

/// The limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineLimits {
    /// The arguments as JSON; larger ones are refused before they are checked.
    pub args_bytes_max: usize,
    /// How much of a result the model sees; a cut is marked.
    pub shown_bytes_max: usize,
    /// One message of a person; as an event it must fit into a record of the log.
    pub message_bytes_max: usize,
    /// How much of a handler's exception people may read.
    pub trace_bytes_max: usize,
    /// How many entries of one conversation's ledger are read.
    pub ledger_entries_max: usize,
    /// How many ids of earlier results a conversation remembers, per tool.
    pub seen_ids_max: usize,
}

impl EngineLimits {
    /// For a program on one machine.
    pub fn machine() -> Self {
        Self {
            args_bytes_max: 1 << 20,
            shown_bytes_max: 64 << 10,
            message_bytes_max: 512 << 10,
            trace_bytes_max: 8 << 10,
            ledger_entries_max: 10_000,
            seen_ids_max: 1_000,
        }
    }
}
