//! A program that can be nothing but a child; the tests of this crate start it as theirs.

use std::process::ExitCode;

fn main() -> ExitCode {
    hosts::child_main(std::env::args_os().skip(1)).unwrap_or(ExitCode::from(64))
}
