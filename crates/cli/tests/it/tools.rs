//! Tools on disk: checking, building, locking, testing them, and the dialects of providers.

mod bad_tools;
mod build;
mod dialect;
mod goldens;
mod handler_code;
mod keywords;
mod lock;
mod new;
mod samples;
mod test_command;
mod types;
