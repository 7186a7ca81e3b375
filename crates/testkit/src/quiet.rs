//! Starts third-party programs without output.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

/// A program without input and output.
pub(crate) fn quiet(program: impl AsRef<OsStr>) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a development check, never part of the program")]
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}
