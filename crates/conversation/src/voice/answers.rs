//! Approvals of a voice session that a person answers somewhere else: on the page, in another
//! terminal, with the API.

use std::collections::VecDeque;

use engine::{ApprovalFault, ApprovalRecord};
use policy::{ConversationId, RequestId};
use store::StoreFault;

use super::log::VoiceLog;
use crate::approval_feed::{ApprovalChange, ApprovalFeed};
use crate::conversations::Conversations;
use crate::fault::ConversationFault;

/// The answers to the approvals of one conversation, as they come, from any process.
pub struct ApprovalAnswers {
    conversations: Conversations,
    id: ConversationId,
    feed: ApprovalFeed,
    /// Answers to report next.
    answered: VecDeque<RequestId>,
}

impl VoiceLog {
    /// Follows the answers from now on; also those that the session gives itself.
    pub async fn follow_answers(&self) -> Result<ApprovalAnswers, ConversationFault> {
        let (conversations, id) = (self.conversations.clone(), self.id.clone());
        let feed = ApprovalFeed::follow(conversations.engine()).await.map_err(in_store)?;
        Ok(ApprovalAnswers { conversations, id, feed, answered: VecDeque::new() })
    }
}

impl ApprovalAnswers {
    /// The next request that was answered; one may be reported twice. Cancel-safe.
    pub async fn next(&mut self) -> Result<RequestId, ConversationFault> {
        loop {
            if let Some(request) = self.answered.pop_front() {
                return Ok(request);
            }
            match self.feed.next().await.map_err(in_store)? {
                ApprovalChange::Set(record) => self.add([*record]),
                ApprovalChange::Gone => {}
                ApprovalChange::Missed => self.read_again().await?,
            }
        }
    }

    /// After changes were missed. Used answers are known: the session used them itself.
    async fn read_again(&mut self) -> Result<(), ConversationFault> {
        let unused = self.conversations.engine().answered_approvals().await;
        self.add(unused.map_err(in_store)?);
        Ok(())
    }

    fn add(&mut self, records: impl IntoIterator<Item = ApprovalRecord>) {
        let ours = records
            .into_iter()
            .filter(|asked| asked.origin.conversation == self.id && asked.answer.is_some())
            .map(|asked| asked.request.id);
        self.answered.extend(ours);
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
