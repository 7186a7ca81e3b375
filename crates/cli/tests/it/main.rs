//! The whole program, run as a person runs it: exit code, stdout, stderr.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test stops at the first thing that is not as it should be, and starts programs"
)]

mod api;
mod asks;
mod bad_tools;
mod build;
mod call;
mod canary;
mod cards;
mod chaos;
mod chat;
mod code;
mod dialect;
mod emit;
mod envelope;
mod far_side;
mod fixture;
mod ghostpad;
mod goldens;
mod hostile;
mod interrupted;
mod keywords;
mod killed;
mod left_out;
mod limits;
mod local_model;
mod lock;
mod mcp;
mod net;
mod new;
mod no_answer;
mod pad;
mod pen;
mod pen_offline;
mod pen_tools;
mod private;
mod program;
mod project;
mod python;
mod python_env;
#[path = "../../../registry/tests/it/python_reader.rs"]
mod python_reader;
#[path = "../../src/render/faults.rs"]
mod render;
mod samples;
mod serve;
mod store;
mod try_tools;
mod types;
mod usage;
mod width;
mod world;
mod wrong_paths;
