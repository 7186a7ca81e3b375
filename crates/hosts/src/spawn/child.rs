//! The child's side of a launch: from a fresh process to its role in the sandbox.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_setfd};
use rustix::stdio::{dup2_stdin, dup2_stdout, stdin};

use crate::js::worker;
use crate::protocol::FromChild;
use crate::protocol::frame;
use crate::sandbox::{Environment, doctor};

use super::launch_message::LaunchMessage;
use super::supervisor;
use super::{CHILD_COMMAND, Program, Role, namespace};

/// The channel's descriptor in an executed program.
const PROGRAM_CHANNEL: i32 = 3;
const EXIT_BAD_MESSAGE: u8 = 64;
pub(super) const EXIT_INTERNAL: u8 = 70;

/// Runs as a child if the arguments (without the program's name) say so. `main` calls this first.
/// `None` means an ordinary start.
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter();
    if args.next()? != CHILD_COMMAND {
        return None;
    }
    if args.next().is_some_and(|word| word == namespace::TRY) {
        return Some(namespace::run_probe(args.next().and_then(|text| text.into_string().ok())));
    }
    let Ok(message) = LaunchMessage::receive() else {
        return Some(ExitCode::from(EXIT_BAD_MESSAGE));
    };
    let ended =
        if message.is_supervised { run_role(message) } else { supervisor::supervise(message) };
    Some(match ended {
        Ok(code) => code,
        Err(fault) => {
            // Stderr is a pipe to our parent, which keeps its end.
            let _ = writeln!(io::stderr(), "{fault}");
            ExitCode::from(EXIT_INTERNAL)
        }
    })
}

fn run_role(message: LaunchMessage) -> io::Result<ExitCode> {
    let LaunchMessage {
        parent,
        landlock_abi_max,
        unprivileged_uid,
        namespace: _,
        is_supervised: _,
        in_cgroup,
        sandbox,
        role,
    } = message;
    // A separate session, so that Ctrl-C in the parent's terminal does not reach us.
    let _ = rustix::process::setsid();
    let mut channel = File::from(fcntl_dupfd_cloexec(stdin(), PROGRAM_CHANNEL)?);
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    drop(null);

    // In the sandbox it may run as a user who cannot enter the folder.
    if let Role::Stdio(Program { dir, .. }) = &role {
        rustix::process::chdir(dir).map_err(|fault| {
            let fault = io::Error::from(fault);
            io::Error::new(fault.kind(), format!("`{}` cannot be entered: {fault}", dir.display()))
        })?;
    }
    let level =
        sandbox.apply(Environment { parent, landlock_abi_max, unprivileged_uid, in_cgroup });
    say(&mut channel, &FromChild::Hello { level })?;
    match role {
        Role::Worker(limits) => worker::work(channel, limits)?,
        Role::Probe => say(&mut channel, &doctor::probe(parent, sandbox.calls))?,
        Role::Exec { program, args, env } => {
            let Err(fault) = exec_with_channel(&channel.into(), program, args, env);
            return Err(fault);
        }
        Role::Stdio(program) => {
            let Err(fault) = exec_stdio(&channel.into(), program);
            return Err(fault);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn say(channel: &mut File, message: &FromChild) -> io::Result<()> {
    let mut bytes = Vec::new();
    frame::encode(message, &mut bytes, worker::FRAME_BYTES_MAX).map_err(io::Error::other)?;
    channel.write_all(&bytes)
}

/// Returns only if it fails.
fn exec_with_channel(
    channel: &OwnedFd,
    program: PathBuf,
    args: Vec<String>,
    env: Vec<(String, String)>,
) -> Result<Infallible, io::Error> {
    if channel.as_raw_fd() != PROGRAM_CHANNEL {
        return Err(io::Error::other("the channel is not where the program expects it"));
    }
    fcntl_setfd(channel.as_fd(), FdFlags::empty())?;
    dup2_stdout(rustix::stdio::stderr())?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the sandbox is applied; this executes the program"
    )]
    Err(Command::new(program).args(args).env_clear().envs(env).exec())
}

/// Returns only if it fails.
fn exec_stdio(channel: &OwnedFd, stdio_program: Program) -> Result<Infallible, io::Error> {
    let Program { program, args, env, dir: _ } = stdio_program;
    dup2_stdin(channel)?;
    dup2_stdout(channel)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the sandbox is applied; this executes the program"
    )]
    let fault = Command::new(&program).args(args).env_clear().envs(env).exec();
    Err(io::Error::new(fault.kind(), format!("`{}` cannot be run: {fault}", program.display())))
}
