//! Judges calls: a checked call, the rules and what was spent in; a verdict out.
//!
//! The reading order below is the way of a call: what it is, what is known about it, the
//! order in which it is judged, and what a person or the ledger adds. Nothing here reads a
//! file, a clock or a socket; `Cargo.toml` and this crate's `clippy.toml` keep that true.
//!
//! Start at [`decide`]. Only it makes an [`Approved`], and a [`Host`] takes nothing else.

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod call;
mod facts;

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
mod ledger;

mod host;

mod display_text;
mod timestamp;

pub use approval::{
    ApprovalAnswer, ApprovalRequest, Choice, Granted, PlainAnswer, RequestId, Scope, Status, Void,
    judge_approval, parse_answer, plain_answer,
};
pub use call::{Approved, CheckedCall, ConversationId};
pub use decide::decide;
pub use decide::explain::{Given, explain};
pub use decide::stage::{Mark, Stage, Step, Trace};
pub use facts::{Approver, Availability, Case, Guard, GuardFault, Listing, Rejected, Switch};
pub use host::{
    Answer, BoxFuture, Breakdown, Host, Job, ServiceFault, Services, Side, SideKind, Thrown,
};
pub use idempotency::{IdUse, idempotency_key};
pub use ledger::{Entry, Event, Late, Ledger, Next, Resolution, State, WrongStep, what_now};
pub use limits::{Limits, Pause, RetryLimits, Spent};
pub use loops::{Circle, Delivery, LoopWatch, is_empty};
pub use memory::{
    Answered, Duplicate, QUERY_TOOL_MEMORY, Remembered, ToolMemory, query_tool_memory,
    query_tool_memory_schema,
};
pub use retry::{NoRetry, Retry, may_retry};
pub use rule_id::{Reason, RuleId};
pub use rules::{
    ConfigRule, ConfigRules, Effect, Glob, Remember, RuleFault, RulePlace, Said, parse_rules,
};
pub use timestamp::{Timestamp, spoken};
pub use verdict::{Judgement, Question, Recorded, Verdict};

#[cfg(test)]
mod test_fixtures;
