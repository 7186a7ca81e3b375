//! One call, from the model's request to its outcome.
//!
//! In: a [`contract::Call`], where it came from ([`origin`]) and what it runs with
//! ([`context`]). Out: [`settle::Settled`]. Must hold: a handler runs only after a verdict that
//! lets it, and a write starts at most once.
//!
//! Start at `settle.rs`; the other modules are in the order in which it uses them.

pub(crate) mod context;
pub(crate) mod origin;
pub(crate) mod settle;

mod dry_run;
pub(crate) mod facts;
pub(crate) mod questions;

pub(crate) mod approvals;
pub(crate) mod ledger;
mod start;

pub(crate) mod outcome;
mod run_handler;

mod hooks;
