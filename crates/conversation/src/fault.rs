//! Faults of operations on a conversation.

use store::StoreFault;

/// Why an operation on a conversation fails.
#[derive(Debug, thiserror::Error)]
pub enum ConversationFault {
    #[error("there is no conversation `{0}`")]
    NotFound(String),
    #[error("the conversation `{0}` already exists")]
    Exists(String),
    #[error("another program is answering in this conversation; try again in a moment")]
    Held,
    #[error("event {sequence} of the conversation cannot be read: {because}")]
    Unreadable { sequence: u64, because: String },
    #[error("a message may have at most {max} bytes; this one has {bytes}")]
    TooLong { bytes: usize, max: usize },
    #[error("the message is empty")]
    Empty,
    #[error("the conversation has no turn {0}")]
    NoTurn(u64),
    #[error("entry {entry} {because}")]
    BadEntry { entry: usize, because: &'static str },
    #[error("a call in a later turn waits for a person; answer it first")]
    Waits,
    #[error(transparent)]
    Store(#[from] StoreFault),
}

pub(crate) fn bad_name(bad: &store::BadName) -> ConversationFault {
    ConversationFault::Store(StoreFault::Unusable { because: bad.to_string() })
}
