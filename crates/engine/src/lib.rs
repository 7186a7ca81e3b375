//! Settles calls: from what a model asked to what comes back, in one fixed order.
//!
//! In: a call and the room it was made in. Out: [`Settled`]: data or an error for the
//! model, what people may know, and perhaps a question to a person. Must hold: a handler
//! starts only with a verdict that says so, and a write starts at most once, whatever
//! crashes in between. A refused or failed call is an outcome, never an `Err`.
//!
//! Start at [`Desk::settle`].

#![cfg_attr(
    test,
    allow(clippy::needless_pass_by_value, reason = "a test table reads best by value")
)]

mod allowed;
mod approvals;
mod audit;
mod behind;
mod checkers;
mod desk;
mod gates;
mod gather;
mod given;
mod hear;
mod input;
mod join;
mod keys;
mod ledger;
mod limits;
mod metrics;
mod notes;
mod offer;
mod outcome;
mod own;
mod personas;
mod room;
mod run;
mod settle;
mod sides;
mod stage;
mod start;
mod switches;
mod talk;

pub use allowed::Allowed;
pub use approvals::{Asked, Plain, Unanswerable};
pub use audit::AuditLine;
pub use desk::{Desk, Hosts, NoSuchHost, Wiring};
pub use gates::{Gates, Turnstile};
pub use given::GivenFault;
pub use input::{InputFault, Wanted};
pub use ledger::{LedgerFault, LedgerLine};
pub use limits::EngineLimits;
pub use metrics::{Metrics, Percentiles, ToolMetrics};
pub use offer::offered;
pub use outcome::for_model;
pub use room::Room;
pub use settle::{Settled, Waiting};
pub use stage::{Cancel, PaidBy, Stage};
pub use switches::SwitchedOff;
pub use talk::*;

#[cfg(test)]
mod tests;
