//! How cards are asked for: what an operator may set.

use contract::ToolId;

use super::prompt::EMIT_FLASHCARDS;

/// Settings of the requests for cards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskSettings {
    /// The tool that the model calls; none for `emit_flashcards`.
    pub tool_name: Option<ToolId>,
    /// The output limit of a first request; none for one that depends on the sentences.
    pub output_tokens: Option<u32>,
    /// How many times the limit an answer gets after it was cut off.
    pub output_tokens_bump: u32,
    /// Requests that fail are split down to so many sentences.
    pub sentences_min: usize,
}

impl AskSettings {
    pub fn usual() -> Self {
        Self { tool_name: None, output_tokens: None, output_tokens_bump: 2, sentences_min: 1 }
    }

    pub fn tool_name(&self) -> &str {
        self.tool_name.as_ref().map_or(EMIT_FLASHCARDS, ToolId::as_str)
    }
}
