//! A call whose arguments fit the contract.

use std::sync::Arc;

use contract::{Answers, CallId, Contract, Digest, Mode, ToolId, canonical_bytes};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The conversation a call belongs to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConversationId(pub String);

/// The turn in which a call is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTurn {
    pub conversation: ConversationId,
    pub mode: Mode,
    /// Counts the turns of the conversation.
    pub turn: u64,
}

/// A call whose arguments fit the contract. It has no permission to run yet: [`crate::decide`]
/// judges it.
#[derive(Debug, Clone)]
pub struct CheckedCall {
    id: CallId,
    contract: Arc<Contract>,
    digest: Digest,
    args: Value,
    answers: Answers,
    turn: CallTurn,
}

impl CheckedCall {
    /// The only way to make one. `args` must be what the check against `contract` returned,
    /// with defaults filled in; `digest` is that of the whole tool; `answers` are the answers
    /// to the handler's earlier questions.
    pub fn new(
        id: CallId,
        contract: Arc<Contract>,
        digest: Digest,
        args: Value,
        answers: Answers,
        turn: CallTurn,
    ) -> Self {
        Self { id, contract, digest, args, answers, turn }
    }

    pub fn id(&self) -> &CallId {
        &self.id
    }

    pub fn contract(&self) -> &Arc<Contract> {
        &self.contract
    }

    pub fn tool(&self) -> &ToolId {
        &self.contract.tool_id
    }

    /// The digest of the whole tool: schema, documents, handler. Approvals are bound to it.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Checked, with defaults filled in.
    pub fn args(&self) -> &Value {
        &self.args
    }

    /// The answers to the handler's earlier questions.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    pub fn conversation(&self) -> &ConversationId {
        &self.turn.conversation
    }

    pub fn mode(&self) -> Mode {
        self.turn.mode
    }

    /// The number of the turn in its conversation.
    pub fn turn(&self) -> u64 {
        self.turn.turn
    }

    /// What the call does: its arguments, and the answers its handler has. Two calls of a tool
    /// with the same work are the same to the ledger and to a person's approval.
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

    /// The same call under a narrower contract.
    pub(crate) fn under(&self, contract: Contract) -> Self {
        Self { contract: Arc::new(contract), ..self.clone() }
    }
}
