//! A call that fits its contract, and a call that may run.

use std::sync::Arc;

use contract::{Answers, CallId, Contract, Digest, Mode, canonical_bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The conversation a call belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConversationId(pub String);

/// A call whose arguments fit the contract; nobody has said yet that it may run.
#[derive(Debug, Clone)]
pub struct CheckedCall {
    pub id: CallId,
    pub contract: Arc<Contract>,
    /// The whole tool: schema, documents, handler. What approvals are bound to.
    pub digest: Digest,
    /// Checked, with defaults filled in.
    pub args: Value,
    /// What the handler was answered before.
    pub answers: Answers,
    pub conversation: ConversationId,
    pub mode: Mode,
    /// Counts the turns of the conversation.
    pub turn: u64,
}

impl CheckedCall {
    /// What the call is about: its arguments, and the answers its handler has. Two calls of
    /// a tool with the same work are the same to the ledger and to a person's agreement.
    pub fn work(&self) -> Digest {
        self.work_with(&self.args)
    }

    /// The same with other arguments.
    pub(crate) fn work_with(&self, args: &Value) -> Digest {
        match self.answers.is_empty() {
            true => Digest::of(&canonical_bytes(args)),
            false => {
                let work = json!({ "args": args, "answers": self.answers });
                Digest::of(&canonical_bytes(&work))
            }
        }
    }
}

/// A call the policy let through. The private fields are the point: only a verdict makes
/// one, and [`crate::Host::run`] takes nothing else.
#[derive(Debug)]
pub struct Approved {
    call: CheckedCall,
    /// Given to the handler; the same for every try of the same call. Empty before a call may
    /// run.
    idempotency_key: String,
}

impl Approved {
    /// Only a verdict makes one.
    pub(crate) fn new(call: CheckedCall, idempotency_key: String) -> Self {
        Self { call, idempotency_key }
    }

    pub fn call(&self) -> &CheckedCall {
        &self.call
    }

    /// May the handler do nothing but ask? Nobody has agreed to the call yet.
    pub fn may_only_ask(&self) -> bool {
        self.idempotency_key.is_empty()
    }

    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }
}
