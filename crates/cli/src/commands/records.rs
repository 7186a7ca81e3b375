//! Commands that read or answer what the store has recorded: approvals, calls, conversations.

pub(super) mod approvals;
pub(super) mod audit;
pub(super) mod ledger;
pub(super) mod metrics;
pub(super) mod replay;
pub(super) mod store;
