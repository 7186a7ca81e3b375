//! `ghostpen`: another name for `ghosthand pen`; runs the `ghosthand` beside it.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("ghosthand")));
    let program = beside.unwrap_or_else(|| "ghosthand".into());
    #[expect(clippy::disallowed_methods, reason = "replaces this process, with its environment")]
    let mut command = Command::new(&program);
    command.arg("pen").args(std::env::args_os().skip(1));
    let fault = run(&mut command);
    let message = format!("error: `{}` cannot be started: {fault}\n", program.display());
    // Without a terminal, the exit code still reports it.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), message.as_bytes());
    ExitCode::from(70)
}

/// Becomes the other program; returns only on failure.
#[cfg(unix)]
fn run(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn run(command: &mut Command) -> std::io::Error {
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(70)),
        Err(fault) => fault,
    }
}
