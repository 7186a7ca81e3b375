//! What one call may cost beyond its own contract. No `Default`: whoever opens an engine says.

/// Ceilings of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineLimits {
    /// The arguments as JSON; more is refused before anything is looked at.
    pub args_bytes_max: usize,
    /// What the model is shown of a result; the rest is cut, and that is said.
    pub shown_bytes_max: usize,
    /// One message of a person; as an event it must fit into a record of the log.
    pub said_bytes_max: usize,
    /// How much of a handler's exception people may read.
    pub trace_bytes_max: usize,
    /// How many entries of one conversation's ledger are looked at.
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
            said_bytes_max: 512 << 10,
            trace_bytes_max: 8 << 10,
            ledger_entries_max: 10_000,
            seen_ids_max: 1_000,
        }
    }
}
