//! A piece of a streamed answer, and its channel.

use serde::{Deserialize, Serialize};

use crate::contract::words;

words! {
    /// Who sees a chunk.
    Channel {
        /// Part of the answer: the person and the model see it.
        Assistant = "assistant",
        /// A separate message: the person and the model see it.
        System = "system",
        /// For the model only; no surface can render it.
        Context = "context",
    }
}

impl Channel {
    /// Whether a surface may show this to a person.
    pub fn is_shown(self) -> bool {
        match self {
            Channel::Assistant | Channel::System => true,
            Channel::Context => false,
        }
    }
}

/// A piece of text that a tool sends while it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    pub channel: Channel,
    pub text: String,
}
