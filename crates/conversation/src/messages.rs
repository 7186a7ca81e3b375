//! What the person wrote and said in a conversation.

use crate::state::Conversation;
use crate::view::{Entry, view};

impl Conversation {
    /// The messages of the person, written and spoken, in their order.
    pub fn messages(&self) -> Vec<String> {
        if self.voice.is_empty() {
            return self.turns.iter().map(|turn| turn.message.clone()).collect();
        }
        let message = |entry| match entry {
            Entry::User { text, .. } => Some(text),
            Entry::Assistant { .. }
            | Entry::Thinking { .. }
            | Entry::System { .. }
            | Entry::Step(_)
            | Entry::BrokeOff { .. }
            | Entry::Ended { .. } => None,
        };
        view(self).into_iter().filter_map(message).collect()
    }
}
