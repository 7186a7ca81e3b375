//! Approvals of a voice session that a person answers somewhere else: on the page, in another
//! terminal, with the API.

use engine::{ApprovalFault, ApprovalRecord};
use policy::{ConversationId, RequestId};
use store::{Change, StoreFault, Subscription};

use super::log::VoiceLog;
use crate::conversations::Conversations;
use crate::fault::ConversationFault;

/// The answers to the approvals of one conversation, as they come, from any process.
pub struct ApprovalAnswers {
    conversations: Conversations,
    id: ConversationId,
    feed: Subscription<Change>,
}

impl VoiceLog {
    /// Follows the answers from now on; also those that the session gives itself.
    pub async fn follow_answers(&self) -> Result<ApprovalAnswers, ConversationFault> {
        let (conversations, id) = (self.conversations.clone(), self.id.clone());
        let feed = conversations.engine().follow_approvals().await.map_err(in_store)?;
        Ok(ApprovalAnswers { conversations, id, feed })
    }
}

impl ApprovalAnswers {
    /// The next request that was answered. Cancel-safe.
    pub async fn next(&mut self) -> Result<RequestId, ConversationFault> {
        loop {
            match self.feed.next().await {
                Ok(change) => {
                    if let Some(request) = self.answered(&change) {
                        return Ok(request);
                    }
                }
                Err(StoreFault::Busy { .. }) => {}
                Err(StoreFault::Forgotten { .. }) => {
                    let feed = self.conversations.engine().follow_approvals().await;
                    self.feed = feed.map_err(in_store)?;
                }
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    fn answered(&self, change: &Change) -> Option<RequestId> {
        let Change::Set(entry) = change else { return None };
        let asked: ApprovalRecord = entry.value.to().ok()?;
        let is_ours = asked.origin.conversation == self.id && asked.answer.is_some();
        is_ours.then_some(asked.request.id)
    }
}

/// Following needs the store and nothing else.
fn in_store(fault: ApprovalFault) -> ConversationFault {
    match fault {
        ApprovalFault::Store(fault) => fault.into(),
        ApprovalFault::NoRequest(_)
        | ApprovalFault::Ambiguous(_)
        | ApprovalFault::Expired { .. }
        | ApprovalFault::Withdrawn(_)
        | ApprovalFault::Void(_)
        | ApprovalFault::BadArguments { .. }
        | ApprovalFault::AlreadyAnswered
        | ApprovalFault::Unreadable(_) => {
            StoreFault::Unusable { because: fault.to_string() }.into()
        }
    }
}
