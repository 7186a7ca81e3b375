//! The open questions of a conversation's handlers: listed, and followed as they change.

use contract::{Ask, CallId};
use policy::ConversationId;
use serde_json::Value;
use store::{Change, Pages, StoreFault, Subscription};

use super::StoredQuestions;
use crate::engine::Engine;
use crate::store_keys;

/// A question that a person can answer.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuestion {
    pub call: CallId,
    pub tool: String,
    /// The handler's name for it.
    pub name: String,
    pub message: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
}

/// How many calls with questions are listed.
const CALLS_MAX: usize = 100;

impl Engine {
    /// The questions of a conversation that wait for a person.
    pub async fn questions_in(&self, id: &ConversationId) -> Result<Vec<OpenQuestion>, StoreFault> {
        let prefix = store_keys::inputs_of(id)?;
        let (mut pages, mut open, mut calls) = (Pages::of(CALLS_MAX), Vec::new(), 0);
        while let Some(request) = pages.request() {
            for key in pages.items(self.store().kv().keys(&prefix, request).await?) {
                calls += 1;
                if calls > CALLS_MAX {
                    return Ok(open);
                }
                let Some(entry) = self.store().kv().get(&key).await? else { continue };
                open.extend(open_in(entry.value.to()?));
            }
        }
        Ok(open)
    }

    /// Follows the questions of a conversation from now on; a change says that something was
    /// asked or answered.
    pub async fn watch_questions(
        &self,
        id: &ConversationId,
    ) -> Result<Subscription<Change>, StoreFault> {
        let kv = self.store().kv();
        kv.watch(&store_keys::inputs_of(id)?, kv.revision().await?).await
    }
}

fn open_in(stored: StoredQuestions) -> Vec<OpenQuestion> {
    let Some(asker) = stored.asker else { return Vec::new() };
    let question = |(name, ask): (String, Ask)| match ask {
        Ask::Person { message, schema } => {
            let (call, tool) = (asker.call.clone(), asker.tool.clone());
            Some(OpenQuestion { call, tool, name, message, schema })
        }
        Ask::Model { .. } | Ask::Folders => None,
    };
    stored.open.into_iter().filter_map(question).collect()
}
