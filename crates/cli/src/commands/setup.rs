//! Commands about this installation: its settings, models, sandbox and shell.

pub(super) mod completions;
pub(super) mod config;
pub(super) mod doctor;
pub(super) mod models;
