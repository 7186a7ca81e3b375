//! Ghostpen through the whole program.

mod offline;
mod session;
mod tools;
