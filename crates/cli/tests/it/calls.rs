//! One call: approvals, limits, the network, secrets, crashes, the store.

mod approvals;
mod call;
mod envelope;
mod kill;
mod limits;
mod net;
mod old_store;
mod secret_leaks;
mod store;
