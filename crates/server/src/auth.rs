//! Authentication and the limits of each caller: every request passes [`middleware`] first.
//!
//! In: a request's head. Out: its owner or program, or a refusal. Must hold: only digests of
//! tokens and logins are stored; a wrong token costs the sender, never the owner.

pub(crate) mod middleware;

pub(crate) mod caller;
pub(crate) mod logins;
pub(crate) mod sign_in;
pub(crate) mod tokens;

pub(crate) mod concurrency;
pub(crate) mod rate_limit;
