//! Builds what commands need from flags, settings and the environment: tools, engine, model.
//!
//! In: parsed arguments and a [`Config`](crate::config::Config). Out: values of the other crates,
//! ready to use, or a [`Failure`](crate::exit::Failure) with a fix. Start at [`engine_setup`].

pub(crate) mod engine_setup;

pub(crate) mod check_handlers;
pub(crate) mod confirm;
pub(crate) mod json_input;
pub(crate) mod listen;
pub(crate) mod local_token;
pub(crate) mod mcp_servers;
pub(crate) mod open_model;
pub(crate) mod open_road;
pub(crate) mod open_speech;
pub(crate) mod open_store;
pub(crate) mod pen_reads;
pub(crate) mod pen_tools;
pub(crate) mod read_input;
pub(crate) mod read_tools;
pub(crate) mod rung_file;
pub(crate) mod runtime;
pub(crate) mod schema_args;
pub(crate) mod tools_dir;
pub(crate) mod watch_tools;
