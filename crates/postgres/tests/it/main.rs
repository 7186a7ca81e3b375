//! The engine against real servers: the conformance suite, SQLite beside it, and faults.

mod conformance;
mod export;
mod faults;
mod model;
mod nodes;
mod open;
mod proxy;
mod subject;
