//! A run: one text on its way to cards, kept in the store, so that any process can resume it.
//!
//! The log of a run ([`event`]) is the truth; everything else is read from it ([`snapshot`]).
//! [`state`] says what may happen when, and [`handle_answer`] what to do with an answer.
//! [`work`] drives a run; [`interactive`] and [`batch`] send the requests.

pub(crate) mod event;
pub(crate) mod run_info;

pub(crate) mod journal;
pub(crate) mod known_forms;
pub(crate) mod lease;
pub(crate) mod reuse;
pub(crate) mod snapshot;
pub(crate) mod state;

pub(crate) mod work;

pub(crate) mod question;

pub(crate) mod batch;
pub(crate) mod interactive;

pub(crate) mod brake;
pub(crate) mod cost_limit;
pub(crate) mod handle_answer;
pub(crate) mod polling;

pub(crate) mod estimate;
pub(crate) mod progress;
