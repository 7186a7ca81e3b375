//! Settles calls: from what a model asked to what comes back, in one fixed order.
//!
//! In: a call and where it was made. Out: [`Settled`]: data or an error for the model, notes
//! for people, and perhaps a question to a person. Must hold: a handler starts only after a
//! verdict that lets it run, and a write starts at most once, even across crashes. A refused
//! or failed call is an outcome, never an `Err`.
//!
//! Start at [`Engine::settle`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod engine;
mod wiring;

mod call;
mod session;
mod tools;

mod audit;
mod background_writer;
mod limits;
mod store_keys;

pub use call::approvals::{ApprovalFault, ApprovalRecord};
pub use call::context::{CallContext, Cancel, PaidBy};
pub use call::ledger::{LedgerFault, LedgerLine};
pub use call::origin::CallOrigin;
pub use call::outcome::{clip, for_model, is_timing_note};
pub use call::questions::{AskingCall, HandlerQuestions, QuestionFault};
pub use call::settle::{Settled, Waiting};
pub use engine::Engine;
pub use limits::EngineLimits;
pub use store_keys::inputs_of as questions_of;
pub use store_keys::ledger_of;
pub use tools::filter::ToolFilter;
pub use tools::refused::RefusedTool;
pub use tools::switches::SwitchedOff;
pub use wiring::{Hosts, NoSuchHost, Wiring};

#[cfg(test)]
mod tests;
