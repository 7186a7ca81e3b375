//! A person's message as the answer to an approval request.

use contract::Mode;
use engine::{ApprovalFault, ApprovalRecord};
use policy::{ConversationId, PlainAnswer, plain_answer};
use serde_json::json;

use super::Conversations;
use crate::fault::ConversationFault;

/// What a person's message means for the open requests of its conversation.
#[derive(Debug)]
pub enum TextAnswer {
    /// An ordinary message; sending it withdraws these requests.
    Message {
        open: Vec<ApprovalRecord>,
    },
    Answered {
        asked: Box<ApprovalRecord>,
        answer: PlainAnswer,
        turn: u64,
    },
    /// An answer that does not say which of several requests it is for.
    WhichOne(Vec<ApprovalRecord>),
}

impl Conversations {
    /// Takes a person's message as the answer to the one request of the open turn, if it is a
    /// plain yes or no. The message must be written by a person; spoken answers are handled
    /// elsewhere, because transcription can be wrong.
    pub async fn answer_in_text(
        &self,
        id: &ConversationId,
        message: &str,
    ) -> Result<TextAnswer, ApprovalFault> {
        let conversation = match self.get(id).await {
            Ok(conversation) => conversation,
            Err(ConversationFault::Store(fault)) => return Err(fault.into()),
            Err(other) => return Err(ApprovalFault::Unreadable(other.to_string())),
        };
        let Some(turn) = conversation.open_turn() else {
            return Ok(TextAnswer::Message { open: Vec::new() });
        };
        let mut open = self.engine.open_approvals().await?;
        open.retain(|asked| {
            asked.origin.conversation == *id && turn.waiting.contains_key(&asked.call.id)
        });
        let is_text = conversation.opened.as_ref().is_some_and(|opened| opened.mode == Mode::Text);
        let answer = plain_answer(message).filter(|_| is_text);
        match (answer, open.as_slice()) {
            (Some(answer), [asked]) => {
                let word = match answer {
                    PlainAnswer::Yes => "approve",
                    PlainAnswer::No => "decline",
                };
                let payload = json!({ "request": asked.request.id, "answer": word });
                let asked = self.engine.answer(&payload.to_string()).await?;
                Ok(TextAnswer::Answered { asked: Box::new(asked), answer, turn: turn.number })
            }
            (Some(_), [_, _, ..]) => Ok(TextAnswer::WhichOne(open)),
            (Some(_) | None, _) => Ok(TextAnswer::Message { open }),
        }
    }
}
