//! Approvals: the request to a person, the answer, and whether the answer lets the call run.
//!
//! In: a stored request, an answer that arrived through the host, and the call as it is now.
//! Out: a [`GrantedApproval`], which only this module makes, or an [`InvalidApproval`]. Must
//! hold: only an exact, fresh and unused approval of this call counts; anything else, from no
//! answer to a malformed one, denies. Text from a model is never read here.

mod answer;
mod plain_words;
mod preview;
mod preview_line;

use contract::{CallId, Digest, Digester, ToolId, canonical_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CheckedCall, ConversationId, Reason, RuleId, Timestamp};

pub use answer::{ApprovalAnswer, ApprovalChoice, ApprovalScope, parse_answer};
pub use plain_words::{PlainAnswer, plain_answer};
pub(crate) use preview::{earlier_line, preview};
pub use preview_line::{PreviewLine, PreviewLineKind, preview_lines};

/// A question to a person about one call. It can be answered once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRequest {
    /// Derived from everything that the answer is bound to.
    pub id: RequestId,
    pub conversation: ConversationId,
    pub call: CallId,
    pub tool: ToolId,
    pub digest: Digest,
    pub args: Value,
    /// Of the canonical arguments, and of the answers if there were any.
    pub args_digest: Digest,
    pub asked_at: Timestamp,
    pub expires_at: Timestamp,
    /// Every rule that asks, with its reason.
    pub why: Vec<Reason>,
    /// Whether the answer may apply to the rest of the conversation.
    pub may_be_remembered: bool,
    /// What the call will do, for a person to read.
    pub preview: String,
    pub status: ApprovalStatus,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    Open,
    /// An answer was accepted; a second answer is rejected.
    Used,
    /// The person continued the conversation without answering.
    Withdrawn,
}

/// A person's approval of one call. It is used once, and is neither copied nor stored.
#[derive(Debug)]
pub struct GrantedApproval {
    request: RequestId,
    conversation: ConversationId,
    call: CallId,
    tool: ToolId,
    digest: Digest,
    args: Digest,
    expires_at: Timestamp,
    rules: Vec<RuleId>,
    scope: ApprovalScope,
    pub(crate) instead: Option<Value>,
}

/// Why an approval does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidApproval {
    #[error("there is no request with this id")]
    NoRequest,
    #[error("there is no answer yet")]
    NoAnswer,
    #[error("the answer cannot be read: {because}")]
    Malformed { because: String },
    #[error("the answer belongs to another request")]
    OtherRequest,
    #[error("the request was changed after it was asked")]
    Tampered,
    #[error("the request has been answered before")]
    Used,
    #[error("the conversation went on without an answer")]
    Withdrawn,
    #[error("it expired without an answer")]
    Expired,
    #[error("the call belongs to another conversation")]
    ChangedConversation,
    #[error("the answer is about another call")]
    ChangedCall,
    #[error("the tool was changed after the question")]
    ChangedTool,
    #[error("the arguments were changed after the question")]
    ChangedArguments,
    #[error("a person declined{}", because(.reason))]
    Declined { reason: Option<String> },
}

fn because(reason: &Option<String>) -> String {
    reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default()
}

impl InvalidApproval {
    /// Whether the call changed, so that a person must be asked about the new one.
    pub fn asks_again(&self) -> bool {
        match self {
            InvalidApproval::ChangedConversation
            | InvalidApproval::ChangedCall
            | InvalidApproval::ChangedTool
            | InvalidApproval::ChangedArguments => true,
            InvalidApproval::NoRequest
            | InvalidApproval::NoAnswer
            | InvalidApproval::Malformed { .. }
            | InvalidApproval::OtherRequest
            | InvalidApproval::Tampered
            | InvalidApproval::Used
            | InvalidApproval::Withdrawn
            | InvalidApproval::Expired
            | InvalidApproval::Declined { .. } => false,
        }
    }
}

impl ApprovalRequest {
    pub(crate) fn new(
        call: &CheckedCall,
        why: Vec<Reason>,
        may_be_remembered: bool,
        preview: String,
        asked_at: Timestamp,
        ms_max: u64,
    ) -> Self {
        let mut request = Self {
            id: RequestId(String::new()),
            conversation: call.conversation().clone(),
            call: call.id().clone(),
            tool: call.tool().clone(),
            digest: call.digest(),
            args: call.args().clone(),
            args_digest: call.work(),
            asked_at,
            expires_at: asked_at.plus_ms(ms_max),
            why,
            may_be_remembered,
            preview,
            status: ApprovalStatus::Open,
        };
        request.id = request.derived_id();
        request
    }

    /// The request as it is stored after an answer, in the same transaction.
    #[must_use]
    pub fn used(self) -> Self {
        Self { status: ApprovalStatus::Used, ..self }
    }

    /// The request as it is stored when the person writes a message instead of answering.
    #[must_use]
    pub fn withdrawn(self) -> Self {
        match self.status {
            ApprovalStatus::Open => Self { status: ApprovalStatus::Withdrawn, ..self },
            ApprovalStatus::Used | ApprovalStatus::Withdrawn => self,
        }
    }

    fn derived_id(&self) -> RequestId {
        let mut digester = Digester::default();
        digester.part(self.conversation.0.as_bytes());
        digester.part(self.call.0.as_bytes());
        digester.part(self.tool.as_str().as_bytes());
        digester.part(self.digest.to_string().as_bytes());
        digester.part(self.args_digest.to_string().as_bytes());
        digester.part(&canonical_bytes(&self.args));
        digester.part(&self.asked_at.0.to_le_bytes());
        digester.part(&self.expires_at.0.to_le_bytes());
        digester.part(&[u8::from(self.may_be_remembered)]);
        digester.part(self.preview.as_bytes());
        self.why.iter().for_each(|reason| digester.part(reason.rule.as_str().as_bytes()));
        RequestId(format!("ask:{}", digester.finish().hex(64)))
    }
}

/// Whether this answer lets this call run now.
pub fn judge_approval(
    request: Option<&ApprovalRequest>,
    answer: Option<&ApprovalAnswer>,
    call: &CheckedCall,
    now: Timestamp,
) -> Result<GrantedApproval, InvalidApproval> {
    let request = request.ok_or(InvalidApproval::NoRequest)?;
    let answer = answer.ok_or(match now < request.expires_at {
        true => InvalidApproval::NoAnswer,
        false => InvalidApproval::Expired,
    })?;
    // An edit approves the arguments that the person wrote.
    let (wanted_args, instead, scope) = match &answer.choice {
        ApprovalChoice::Approve { scope } => (request.args_digest, None, *scope),
        ApprovalChoice::Edit { args } => (call.work_with(args), None, ApprovalScope::ThisCall),
        ApprovalChoice::Instead { data } => {
            (request.args_digest, Some(data.clone()), ApprovalScope::ThisCall)
        }
        ApprovalChoice::Decline { .. } => (request.args_digest, None, ApprovalScope::ThisCall),
    };
    let checks = [
        (answer.request == request.id, InvalidApproval::OtherRequest),
        (request.id == request.derived_id(), InvalidApproval::Tampered),
        (request.status != ApprovalStatus::Used, InvalidApproval::Used),
        (request.status != ApprovalStatus::Withdrawn, InvalidApproval::Withdrawn),
        (now < request.expires_at, InvalidApproval::Expired),
        (*call.conversation() == request.conversation, InvalidApproval::ChangedConversation),
        (*call.id() == request.call, InvalidApproval::ChangedCall),
        (*call.tool() == request.tool, InvalidApproval::ChangedCall),
        (call.digest() == request.digest, InvalidApproval::ChangedTool),
        (call.work() == wanted_args, InvalidApproval::ChangedArguments),
    ];
    if let Some((_, invalid)) = checks.into_iter().find(|(holds, _)| !holds) {
        return Err(invalid);
    }
    if let ApprovalChoice::Decline { reason } = &answer.choice {
        return Err(InvalidApproval::Declined { reason: reason.clone() });
    }
    Ok(GrantedApproval {
        request: request.id.clone(),
        conversation: request.conversation.clone(),
        call: request.call.clone(),
        tool: request.tool.clone(),
        digest: request.digest,
        args: wanted_args,
        expires_at: request.expires_at,
        rules: request.why.iter().map(|reason| reason.rule.clone()).collect(),
        scope: if request.may_be_remembered { scope } else { ApprovalScope::ThisCall },
        instead,
    })
}

impl GrantedApproval {
    /// The request that this approval uses up.
    pub fn request(&self) -> &RequestId {
        &self.request
    }

    /// Whether the person chose "always in this conversation", and the request allows it.
    pub fn scope(&self) -> ApprovalScope {
        self.scope
    }

    /// Whether this approves exactly that call and has not expired.
    pub(crate) fn is_for(&self, call: &CheckedCall, now: Timestamp) -> Result<(), InvalidApproval> {
        let checks = [
            (now < self.expires_at, InvalidApproval::Expired),
            (*call.conversation() == self.conversation, InvalidApproval::ChangedConversation),
            (*call.id() == self.call, InvalidApproval::ChangedCall),
            (*call.tool() == self.tool, InvalidApproval::ChangedCall),
            (call.digest() == self.digest, InvalidApproval::ChangedTool),
            (call.work() == self.args, InvalidApproval::ChangedArguments),
        ];
        checks.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, invalid)| Err(invalid))
    }

    /// Whether the person was shown this rule's reason.
    pub(crate) fn answers(&self, rule: &RuleId) -> bool {
        self.rules.contains(rule)
    }
}

#[cfg(test)]
mod tests;
