//! The child's side of a launch: from a fresh process to its role behind the fence.

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

use crate::sandbox::{Surroundings, doctor};
use crate::wire::FromChild;
use crate::wire::frame;
use crate::worker;

use super::orders::Orders;
use super::{CHILD_COMMAND, Program, Role, keeper, namespace};

/// The channel of a program that a child became.
const PROGRAM_CHANNEL: i32 = 3;
const BAD_ORDERS: u8 = 64;
pub(super) const BROKEN: u8 = 70;

/// Becomes a child if the arguments (without the program's name) say so; `main` calls this
/// before anything else. None means: this is an ordinary start.
pub fn child_main(args: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut args = args.into_iter();
    if args.next()? != CHILD_COMMAND {
        return None;
    }
    if args.next().is_some_and(|word| word == namespace::TRY) {
        return Some(namespace::tried(args.next().and_then(|text| text.into_string().ok())));
    }
    let Ok(orders) = Orders::hear() else { return Some(ExitCode::from(BAD_ORDERS)) };
    let ended = if orders.is_kept { obey(orders) } else { keeper::keep(orders) };
    Some(match ended {
        Ok(code) => code,
        Err(fault) => {
            // Standard error is the pipe to our parent, which keeps the last words.
            let _ = writeln!(io::stderr(), "{fault}");
            ExitCode::from(BROKEN)
        }
    })
}

fn obey(orders: Orders) -> io::Result<ExitCode> {
    let Orders {
        parent,
        landlock_abi_max,
        stranger,
        namespace: _,
        is_kept: _,
        is_grouped,
        fence,
        role,
    } = orders;
    // An own session: a key pressed in the terminal of our parent is its business.
    let _ = rustix::process::setsid();
    let mut channel = File::from(fcntl_dupfd_cloexec(stdin(), PROGRAM_CHANNEL)?);
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    drop(null);

    // Behind the fence it may be somebody who could not go there.
    if let Role::Talk(Program { dir, .. }) = &role {
        rustix::process::chdir(dir).map_err(|fault| {
            let fault = io::Error::from(fault);
            io::Error::new(fault.kind(), format!("`{}` cannot be entered: {fault}", dir.display()))
        })?;
    }
    let level = fence.raise(Surroundings { parent, landlock_abi_max, stranger, is_grouped });
    say(&mut channel, &FromChild::Hello { level })?;
    match role {
        Role::Worker(limits) => worker::work(channel, limits)?,
        Role::Probe => say(&mut channel, &doctor::probe(parent, fence.calls))?,
        Role::Exec { program, args, env } => {
            let Err(fault) = become_program(&channel.into(), program, args, env);
            return Err(fault);
        }
        Role::Talk(program) => {
            let Err(fault) = become_talker(&channel.into(), program);
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

/// Comes back only if it failed.
fn become_program(
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
    #[expect(clippy::disallowed_methods, reason = "the fence is up; this becomes the program")]
    Err(Command::new(program).args(args).env_clear().envs(env).exec())
}

/// Comes back only if it failed.
fn become_talker(channel: &OwnedFd, talker: Program) -> Result<Infallible, io::Error> {
    let Program { program, args, env, dir: _ } = talker;
    dup2_stdin(channel)?;
    dup2_stdout(channel)?;
    #[expect(clippy::disallowed_methods, reason = "the fence is up; this becomes the program")]
    let fault = Command::new(&program).args(args).env_clear().envs(env).exec();
    Err(io::Error::new(fault.kind(), format!("`{}` cannot be run: {fault}", program.display())))
}
