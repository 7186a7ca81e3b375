//! `ghostpen`: a second name for `ghosthand pen`, which stands beside it.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join("ghosthand")));
    let program = beside.unwrap_or_else(|| "ghosthand".into());
    #[expect(clippy::disallowed_methods, reason = "it takes this program's place, with all it has")]
    let mut command = Command::new(&program);
    command.arg("pen").args(std::env::args_os().skip(1));
    let fault = run(&mut command);
    let said = format!("error: `{}` cannot be started: {fault}\n", program.display());
    // Without a terminal the code still says it.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), said.as_bytes());
    ExitCode::from(70)
}

/// Becomes the other program; comes back only if that cannot be.
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
