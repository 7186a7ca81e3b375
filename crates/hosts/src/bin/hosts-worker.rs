//! A binary that only acts as a child; the tests of this crate start it.

use std::process::ExitCode;

fn main() -> ExitCode {
    hosts::child_main(std::env::args_os().skip(1)).unwrap_or(ExitCode::from(64))
}
