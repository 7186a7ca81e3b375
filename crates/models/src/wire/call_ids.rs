//! Ids for calls whose server sends none, or sends one twice.

use std::collections::BTreeSet;

use contract::{CallId, Message, Part};

/// The ids of a conversation. A new one depends only on the conversation, so that the same
/// frames give the same ids.
#[derive(Debug, Clone, Default)]
pub struct CallIds {
    taken: BTreeSet<String>,
    messages: usize,
    made: usize,
}

impl CallIds {
    /// The ids that these messages already use.
    pub fn of(messages: &[Message]) -> Self {
        let blocks = messages.iter().flat_map(|message| &message.blocks);
        let taken = blocks.filter_map(|block| match &block.part {
            Part::Call(call) => Some(call.id.0.clone()),
            Part::TornCall { id, .. } => Some(id.0.clone()),
            Part::Text { .. }
            | Part::Thinking { .. }
            | Part::Result(_)
            | Part::Refusal { .. }
            | Part::Other { .. }
            | Part::File(_) => None,
        });
        Self { taken: taken.collect(), messages: messages.len(), made: 0 }
    }

    /// The server's id if it is unique in the conversation, otherwise a new one.
    pub(super) fn claim(&mut self, server_id: &str) -> CallId {
        let mut id = server_id.to_owned();
        while id.is_empty() || self.taken.contains(&id) {
            self.made += 1;
            // Short counters: another conversation may have the same ones.
            id = format!("c{}_{}", self.messages, self.made);
        }
        self.taken.insert(id.clone());
        CallId(id)
    }
}

#[cfg(test)]
mod tests;
