//! A handler's questions in a running voice session: answered by voice or elsewhere, and followed.

use contract::{CallId, HandlerAnswer};
use engine::QuestionFault;
use policy::ConversationId;
use store::{Change, StoreFault, Subscription};

use super::log::VoiceLog;
use crate::conversations::Conversations;
use crate::fault::ConversationFault;

impl VoiceLog {
    /// Gives a person's answer to a handler's question to the engine.
    pub async fn answer_form(
        &self,
        call: &CallId,
        name: &str,
        answer: HandlerAnswer,
    ) -> Result<(), QuestionFault> {
        let origin = self.origin(voice::TurnNumber(1));
        self.conversations.answer_asked(&origin, call, name, answer).await
    }

    /// Whether a handler's question still waits for its answer.
    pub async fn is_asked(&self, call: &CallId, name: &str) -> bool {
        self.conversations.is_asked(&self.origin(voice::TurnNumber(1)), call, name).await
    }

    /// Follows what happens to the questions of the conversation, in any process.
    pub async fn follow_questions(&self) -> Result<QuestionChanges, ConversationFault> {
        let (conversations, id) = (self.conversations.clone(), self.id.clone());
        let changes = watch(&conversations, &id).await?;
        Ok(QuestionChanges { conversations, id, changes })
    }
}

/// The changes of a conversation's questions.
pub struct QuestionChanges {
    conversations: Conversations,
    id: ConversationId,
    changes: Subscription<Change>,
}

impl QuestionChanges {
    /// Returns when something was asked or answered, or when that may have been missed.
    /// Cancel-safe.
    pub async fn next(&mut self) -> Result<(), ConversationFault> {
        loop {
            match self.changes.next().await {
                Ok(_) => return Ok(()),
                Err(StoreFault::Busy { .. }) => {}
                Err(StoreFault::Forgotten { .. }) => {
                    self.changes = watch(&self.conversations, &self.id).await?;
                    return Ok(());
                }
                Err(fault) => return Err(fault.into()),
            }
        }
    }
}

async fn watch(
    conversations: &Conversations,
    id: &ConversationId,
) -> Result<Subscription<Change>, StoreFault> {
    let kv = conversations.engine().store().kv();
    kv.watch(&engine::questions_of(id)?, kv.revision().await?).await
}
