//! Stable names of rules, for logs and approvals.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A rule's name. The rules of the operator are `config.` and the id in the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(Cow<'static, str>);

macro_rules! rule_ids {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)+) => {
        impl RuleId {
            $($(#[$doc])* pub const $name: RuleId = RuleId(Cow::Borrowed($id));)+

            /// Every rule that this crate knows without a file.
            pub const BUILT_IN: &[RuleId] = &[$(RuleId::$name),+];
        }
    };
}

rule_ids! {
    UNKNOWN_TOOL = "tool.unknown";
    DISABLED = "tool.disabled";
    /// The person switched it off for this conversation.
    OFF_HERE = "conversation.off";
    /// The person chose "never" in this conversation.
    NEVER = "conversation.never";
    UNAVAILABLE = "condition.unavailable";
    ONE_TIME = "condition.one-time";
    MODE = "mode.not-allowed";
    ARGUMENTS = "arguments.rejected";
    BUDGET_CALLS = "budget.calls";
    BUDGET_RETRIEVAL = "budget.retrieval";
    SAME_CALL = "loop.same-call";
    EMPTY_RESULTS = "loop.empty-results";
    DUPLICATE = "duplicate.retrieval";
    /// The contract says `requiresConfirmation`.
    CONFIRMATION = "contract.confirmation";
    NOBODY_TO_ASK = "approval.nobody-to-ask";
    /// The approval is invalid: used, malformed, for another call.
    NOT_APPROVED = "approval.not-given";
    /// A person declined.
    DECLINED = "approval.declined";
    /// Nobody answered while the question was open.
    EXPIRED = "approval.expired";
    /// A person answered in the tool's place.
    ANSWERED = "approval.answered-instead";
    /// The handler has a question before it does anything.
    INPUT = "input.needed";
    RECORDED = "ledger.recorded";
    RUNNING = "ledger.still-running";
    IN_DOUBT = "ledger.in-doubt";
    REPEATED_WRITE = "ledger.repeated-write";
    /// The person wrote a message instead of answering.
    MOVED_ON = "turn.moved-on";
    /// The turn ended before the call was made.
    TURN_ENDED = "turn.ended";
    /// The call is part of an imported conversation and was not made here.
    IMPORTED = "turn.imported";
    /// A call that nobody asked for would need a person.
    AUTO_UNASKED = "turn.auto-unasked";
    /// A guard failed.
    GUARD = "guard.failed";
    /// No rule objected.
    DEFAULT = "default.run";
}

impl RuleId {
    /// The name of a rule of the operator's file.
    pub fn config(id: &str) -> Self {
        RuleId(Cow::Owned(format!("config.{id}")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a verdict was reached: the rule, a sentence for people, a sentence for the model.
/// The model's sentence says what it may do next and names no file, address or token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    pub rule: RuleId,
    pub people: String,
    pub model: String,
}

impl Reason {
    pub fn new(rule: RuleId, people: impl Into<String>, model: impl Into<String>) -> Self {
        Self { rule, people: people.into(), model: model.into() }
    }
}
