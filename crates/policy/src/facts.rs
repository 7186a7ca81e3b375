//! The facts by which one call is judged, gathered by the caller.
//!
//! A fact that cannot be read is passed in as an error, and an error denies: a guard cannot
//! be skipped by failing to read it.

use std::sync::Arc;

use contract::{Call, Contract, Digest, Mode};
use serde_json::Value;

use crate::{
    CheckedCall, ConfigRules, ConversationId, GrantedApproval, InvalidApproval, Ledger, Limits,
    LoopDetector, StandingAnswers, Timestamp, ToolMemory, TurnUsage,
};

/// What a guard found, or why it failed.
pub type Guard<T> = Result<T, GuardFault>;

/// A guard that failed. For people; the model only learns that the call was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GuardFault(pub String);

/// One call, and everything that the verdict depends on.
#[derive(Debug)]
pub struct CallFacts<'a> {
    /// The call as the model made it.
    pub call: &'a Call,
    pub conversation: &'a ConversationId,
    pub mode: Mode,
    pub turn: u64,
    pub now: Timestamp,
    /// What the registry has under the name of the call.
    pub tool: Option<ListedTool>,
    /// The names of all tools of the registry, to suggest one.
    pub known_tools: &'a [&'a str],
    pub condition: Guard<Availability>,
    /// The result of checking the arguments.
    pub arguments: Result<CheckedCall, RejectedArguments>,
    pub rules: Guard<&'a ConfigRules>,
    pub standing_answers: Guard<&'a StandingAnswers>,
    pub limits: &'a Limits,
    pub spent: Guard<&'a TurnUsage>,
    pub loops: Guard<&'a LoopDetector>,
    pub memory: Guard<&'a ToolMemory>,
    /// The outcome of asking a person; none if nobody was asked yet.
    pub approval: Guard<Option<Result<GrantedApproval, InvalidApproval>>>,
    pub approver: Approver,
    pub ledger: Guard<Ledger<'a>>,
}

/// A tool as the registry lists it.
#[derive(Debug, Clone)]
pub struct ListedTool {
    pub contract: Arc<Contract>,
    /// Of the whole tool: schema, documents, handler.
    pub digest: Digest,
    pub switch: Switch,
}

/// The operator's switch for a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Switch {
    On,
    Off { because: String },
}

/// The current result of the tool's condition. A tool without one is available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    Available,
    Unavailable { because: String },
}

/// Arguments that do not fit the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct RejectedArguments {
    /// Every complaint as one text that a model can act on.
    pub message: String,
    /// The same as data: a list with a JSON pointer for each complaint.
    pub details: Value,
}

/// Whether a person can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approver {
    Present,
    /// Nobody would answer.
    Absent,
}
