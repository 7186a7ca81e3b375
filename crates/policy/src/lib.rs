//! Judges calls: a checked call, the rules and the turn's usage in; a verdict out.
//!
//! The modules stand in reading order: the call, its facts, the verdict, the rules, the limits,
//! then approvals and the ledger. Nothing here reads a file, a clock or a socket; `Cargo.toml`
//! and this crate's `clippy.toml` ensure that.
//!
//! Start at [`decide`]. Only it makes an [`Approved`], and a [`Host`] runs nothing else, except a
//! [`DryRun`], in which a handler may only ask.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod checked_call;
mod facts;

mod approved;
mod decide;
mod verdict;

mod rule_id;
mod rules;

mod idempotency;
mod limits;
mod loops;
mod memory;
mod retry;

mod approval;
mod audit;
mod ledger;

mod host;

mod display_text;
mod timestamp;

pub use approval::{
    ApprovalAnswer, ApprovalChoice, ApprovalRequest, ApprovalScope, ApprovalStatus,
    GrantedApproval, InvalidApproval, PlainAnswer, PreviewLine, PreviewLineKind, RequestId,
    judge_approval, parse_answer, plain_answer, preview_lines,
};
pub use approved::{Approved, DryRun, Run};
pub use audit::metrics::{Metrics, Percentiles, ToolMetrics, UNKNOWN_TOOL};
pub use audit::{AuditLine, audit_name, redacted};
pub use checked_call::{CallTurn, CheckedCall, ConversationId};
pub use decide::decide;
pub use decide::explain::{ArgumentsGiven, explain};
pub use decide::stage::{Stage, StageMark, StageStep, Trace};
pub use facts::{
    Approver, Availability, CallFacts, Guard, GuardFault, ListedTool, RejectedArguments, Switch,
};
pub use host::{
    BoxFuture, HandlerException, HandlerFailure, HandlerOutcome, Hook, HookKind, Host, Job,
    ServiceFault, Services,
};
pub use idempotency::{IdUse, idempotency_key};
pub use ledger::{
    InvalidTransition, LateOutcome, Ledger, LedgerEntry, LedgerEvent, LedgerState, NextStep,
    Resolution, next_step,
};
pub use limits::{Backoff, Limits, RetryLimits, TurnUsage};
pub use loops::{Delivery, LoopDetector, LoopKind, is_empty};
pub use memory::{
    EarlierResult, MemoryEntry, QUERY_TOOL_MEMORY, RememberedOutcome, ToolMemory,
    query_tool_memory, query_tool_memory_schema,
};
pub use retry::{NoRetry, Retry, may_retry};
pub use rule_id::{Reason, RuleId};
pub use rules::{
    ConfigRule, ConfigRules, Glob, Remember, RuleEffect, RuleFault, RulePlace, StandingAnswers,
    parse_rules,
};
pub use timestamp::{Timestamp, duration_text};
pub use verdict::{Judgement, Question, RecordedOutcome, Verdict, VerdictKind};

#[cfg(test)]
mod test_fixtures;
