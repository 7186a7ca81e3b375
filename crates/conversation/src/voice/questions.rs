//! What handlers ask the person of a voice session: listed, answered once, and followed.

use std::collections::BTreeMap;

use contract::{Call, CallId, HandlerAnswer};
use engine::{CallOrigin, QuestionFault};
use policy::ConversationId;
use serde_json::Value;
use store::{Change, StoreFault, Subscription};
use voice::OpenQuestion as Asked;

use super::VoiceSession;
use super::log::VoiceLog;
use crate::conversations::Conversations;
use crate::fault::ConversationFault;

/// A question that waits for a person.
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

impl Conversations {
    /// What the voice session of a conversation waits for. A question of a text turn waits for
    /// nobody: its model was told of it.
    pub async fn questions(
        &self,
        id: &ConversationId,
    ) -> Result<Vec<OpenQuestion>, ConversationFault> {
        let conversation = self.get(id).await?;
        let session = conversation.voice.last().filter(|session| !session.has_ended());
        let asked = session.and_then(VoiceSession::state).map(|state| state.open_questions());
        let origin = self.origin_of(id, &conversation, conversation.newest);
        let mut open = Vec::new();
        for Asked { call, tool, name, message, schema } in asked.unwrap_or_default() {
            if self.is_asked(&origin, &call, &name).await {
                open.push(OpenQuestion { call, tool, name, message, schema });
            }
        }
        Ok(open)
    }

    /// Answers a question by the id of its call. The first answer counts.
    pub async fn answer_question(
        &self,
        id: &ConversationId,
        call: &CallId,
        name: &str,
        answer: HandlerAnswer,
    ) -> Result<(), QuestionFault> {
        let open = self.questions(id).await;
        let open = open.map_err(|fault| QuestionFault::Store(fault.to_string()))?;
        if !open.iter().any(|one| one.call == *call && one.name == name) {
            return Err(QuestionFault::NotAsked);
        }
        let conversation = self.get(id).await;
        let conversation = conversation.map_err(|bad| QuestionFault::Store(bad.to_string()))?;
        let origin = self.origin_of(id, &conversation, conversation.newest);
        self.answer_asked(&origin, call, name, answer).await
    }

    /// Whether the engine still waits for the answer.
    async fn is_asked(&self, origin: &CallOrigin, call: &CallId, name: &str) -> bool {
        let open = self.engine().open_questions(origin, &by_id(call)).await;
        open.is_some_and(|open| open.asks.iter().any(|(asked, _)| asked == name))
    }

    async fn answer_asked(
        &self,
        origin: &CallOrigin,
        call: &CallId,
        name: &str,
        answer: HandlerAnswer,
    ) -> Result<(), QuestionFault> {
        // An answer to another question would be ignored.
        if !self.is_asked(origin, call, name).await {
            return Err(QuestionFault::NotAsked);
        }
        let given = BTreeMap::from([(name.to_owned(), answer)]);
        self.engine().answer_input(origin, &by_id(call), &given).await.map(|_| ())
    }
}

/// Questions are stored by the id of their call.
fn by_id(call: &CallId) -> Call {
    Call { id: call.clone(), tool: String::new(), args: Value::Null }
}

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
