//! The questions of handlers that wait for a person, in a text turn or a voice session: listed,
//! and answered once.

use std::collections::BTreeMap;

use contract::{Ask, Call, CallId, HandlerAnswer};
use engine::{AskingCall, CallOrigin, HandlerQuestions, QuestionFault};
use policy::ConversationId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::StoreFault;

use crate::conversations::Conversations;
use crate::fault::ConversationFault;
use crate::state::{Conversation, TurnState, WaitsFor};
use crate::voice::VoiceSession;

/// A handler's question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormQuestion {
    /// The handler's name for it; the answer names it, too.
    pub name: String,
    pub message: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
}

/// A question that waits for a person, with its call.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenQuestion {
    pub call: CallId,
    pub tool: String,
    pub question: FormQuestion,
}

/// Who goes on with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnsweredIn {
    /// The voice session, which notices it.
    VoiceSession,
    /// The open turn, as soon as somebody runs it.
    Turn,
}

impl FormQuestion {
    /// The questions that only a person can answer.
    pub(crate) fn of(questions: &HandlerQuestions) -> Vec<Self> {
        let asked = questions.asks.iter().filter_map(|(name, ask)| match ask {
            Ask::Person { message, schema } => {
                let (name, message) = (name.to_owned(), message.clone());
                Some(Self { name, message, schema: schema.clone() })
            }
            Ask::Model { .. } | Ask::Folders => None,
        });
        asked.collect()
    }
}

impl Conversations {
    /// What the open turn or the voice session of a conversation waits for.
    pub async fn questions(
        &self,
        id: &ConversationId,
    ) -> Result<Vec<OpenQuestion>, ConversationFault> {
        let conversation = self.get(id).await?;
        let asked = match in_turn(&conversation) {
            asked if asked.is_empty() => in_session(&conversation),
            asked => asked,
        };
        let origin = self.origin_of(id, &conversation, conversation.newest);
        let mut open = Vec::new();
        for one in asked {
            if self.is_asked(&origin, &one.call, &one.question.name).await {
                open.push(one);
            }
        }
        Ok(open)
    }

    /// What waits for a person in all conversations of a client; at most `max` calls.
    pub async fn all_questions(
        &self,
        client: &str,
        max: usize,
    ) -> Result<Vec<(ConversationId, OpenQuestion)>, ConversationFault> {
        let mut open = Vec::new();
        for (asking, questions) in self.engine.asking_calls(client, max).await? {
            let AskingCall { conversation, call, tool, .. } = asking;
            // The engine knows of a question a moment before the log does; the log knows first
            // that the call will not be made.
            match self.get(&conversation).await {
                Ok(log) if log.may_wait_for(&call) => {}
                Ok(_) | Err(ConversationFault::NotFound(_)) => continue,
                Err(ConversationFault::Store(StoreFault::Erased { .. })) => continue,
                Err(fault) => return Err(fault),
            }
            open.extend(FormQuestion::of(&questions).into_iter().map(|question| {
                let (call, tool) = (call.clone(), tool.clone());
                (conversation.clone(), OpenQuestion { call, tool, question })
            }));
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
    ) -> Result<AnsweredIn, QuestionFault> {
        let broken = |fault: ConversationFault| QuestionFault::Store(fault.to_string());
        let open = self.questions(id).await.map_err(broken)?;
        if !open.iter().any(|one| one.call == *call && one.question.name == name) {
            return Err(QuestionFault::NotAsked);
        }
        let conversation = self.get(id).await.map_err(broken)?;
        let origin = self.origin_of(id, &conversation, conversation.newest);
        self.answer_asked(&origin, call, name, answer).await?;
        Ok(match conversation.waits_for_answers(call) {
            true => AnsweredIn::Turn,
            false => AnsweredIn::VoiceSession,
        })
    }

    /// Whether the engine still waits for the answer.
    pub(crate) async fn is_asked(&self, origin: &CallOrigin, call: &CallId, name: &str) -> bool {
        let open = self.engine().open_questions(origin, &by_id(call)).await;
        open.is_some_and(|open| open.asks.iter().any(|(asked, _)| asked == name))
    }

    pub(crate) async fn answer_asked(
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

impl Conversation {
    /// Whether this call is one of the open turn or voice session, and not settled.
    fn may_wait_for(&self, call: &CallId) -> bool {
        let is_made = |turn: &TurnState| turn.settled_at.contains_key(call);
        self.open_turn().map_or_else(|| self.has_open_voice(), |turn| !is_made(turn))
    }

    /// Whether this call of the open turn waits for a person's answers.
    pub fn waits_for_answers(&self, call: &CallId) -> bool {
        let waits = self.open_turn().and_then(|turn| turn.waiting.get(call));
        matches!(waits, Some(WaitsFor::Answers { .. }))
    }
}

/// The questions of the open text turn, as its log has them.
fn in_turn(conversation: &Conversation) -> Vec<OpenQuestion> {
    let Some(turn) = conversation.open_turn() else { return Vec::new() };
    let calls = turn.rounds.last().into_iter().flat_map(|round| round.reply.calls());
    let mut open = Vec::new();
    for call in calls {
        let Some(WaitsFor::Answers { questions, .. }) = turn.waiting.get(&call.id) else {
            continue;
        };
        open.extend(questions.iter().map(|question| OpenQuestion {
            call: call.id.clone(),
            tool: call.tool.clone(),
            question: question.clone(),
        }));
    }
    open
}

/// The questions of the voice session that has not ended.
fn in_session(conversation: &Conversation) -> Vec<OpenQuestion> {
    let session = conversation.voice.last().filter(|session| !session.has_ended());
    let asked = session.and_then(VoiceSession::state).map(|state| state.open_questions());
    let open = |voice::OpenQuestion { call, tool, name, message, schema }| OpenQuestion {
        call,
        tool,
        question: FormQuestion { name, message, schema },
    };
    asked.unwrap_or_default().into_iter().map(open).collect()
}

/// Questions are stored by the id of their call.
fn by_id(call: &CallId) -> Call {
    Call { id: call.clone(), tool: String::new(), args: Value::Null }
}
