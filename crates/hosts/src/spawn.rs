//! Starts every child of this program: our own binary with a hidden command.
//!
//! In: a [`Launch`]. Out: a [`Running`] child with a private channel. The child applies its
//! sandbox, sends a hello with the level that holds, and then takes its [`Role`].
//!
//! Must hold: no child outlives us. It is killed when [`Running`] is dropped, when its channel is
//! closed, and by the kernel when our process dies. That last signal is tied to the *thread* that
//! forked, so a single thread that never ends forks all children. A program that may start others
//! has a [`supervisor`], which kills them all.
//!
//! The channel arrives as descriptor 0, because that needs no code between fork and exec; the
//! child moves it and replaces descriptor 0 by /dev/null first of all.

mod cgroup;
mod child;
mod launch_message;
mod namespace;
mod process_tree;
pub(crate) mod reap;
mod stdio_child;
mod supervisor;

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::js::worker::WorkerLimits;
use crate::sandbox::{Sandbox, pretended_landlock, unprivileged_uid};

use launch_message::LaunchMessage;
use namespace::Namespace;

pub use child::child_main;
pub use namespace::pretend_no_namespaces;
pub use reap::Exit;
pub use stdio_child::{Program, StdioChild, StdioChildFault, spawn_stdio_child};

/// The hidden command.
pub(crate) const CHILD_COMMAND: &str = "__ghosthand-child";

/// What to start.
pub struct Launch {
    /// Our own program; its `main` must call [`child_main`] first.
    pub program: PathBuf,
    pub sandbox: Sandbox,
    pub role: Role,
}

/// What a child does in its sandbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Role {
    /// Runs JavaScript handlers.
    Worker(WorkerLimits),
    /// Attempts what the sandbox forbids, reports the results, and ends.
    Probe,
    /// Executes another program. The channel is descriptor 3, stdin is empty, and stdout goes to
    /// stderr.
    Exec { program: PathBuf, args: Vec<String>, env: Vec<(String, String)> },
    /// Executes another program with the channel as stdin and stdout.
    Stdio(Program),
}

#[derive(Debug, thiserror::Error)]
pub enum LaunchFault {
    #[error("the child could not be started: {0}")]
    Start(#[from] io::Error),
    #[error("the launcher thread has ended")]
    NoLauncher,
}

/// A running child. Dropping it kills it.
pub struct Running {
    pid: u32,
    pidfd: OwnedFd,
    channel: Option<UnixStream>,
    exit: Option<oneshot::Receiver<Exit>>,
    /// Closing it makes the supervisor kill the program with all its processes.
    lifeline: Option<UnixStream>,
}

impl Running {
    /// A process that our child forked for us; `exit` reports how it ended.
    pub(crate) fn forked(
        pid: u32,
        pidfd: OwnedFd,
        channel: UnixStream,
        exit: oneshot::Receiver<Exit>,
    ) -> Self {
        Self { pid, pidfd, channel: Some(channel), exit: Some(exit), lifeline: None }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Our end of the channel, until it is taken.
    pub(crate) fn channel(&self) -> Option<&UnixStream> {
        self.channel.as_ref()
    }

    /// Whether the child is still running.
    pub(crate) fn is_alive(&self) -> bool {
        let mut looked_at = [PollFd::new(&self.pidfd, PollFlags::IN)];
        poll(&mut looked_at, Some(&Timespec::default())).is_ok_and(|ended| ended == 0)
    }

    /// Our end of the channel; can be taken once.
    pub fn take_channel(&mut self) -> Option<UnixStream> {
        self.channel.take()
    }

    /// Resolves when the child ends; can be taken once.
    pub fn take_exit(&mut self) -> Option<oneshot::Receiver<Exit>> {
        self.exit.take()
    }

    /// Kills the child and everything it started.
    pub fn kill(&self) {
        if let Some(lifeline) = &self.lifeline {
            let _ = lifeline.shutdown(Shutdown::Both);
            return;
        }
        // Fails only if the child is already dead.
        let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a child.
pub async fn launch(launch: Launch) -> Result<Running, LaunchFault> {
    let (answer, started) = oneshot::channel();
    launcher()?.send(LaunchRequest { launch, answer }).map_err(|_| LaunchFault::NoLauncher)?;
    started.await.map_err(|_| LaunchFault::NoLauncher)?
}

struct LaunchRequest {
    launch: Launch,
    answer: oneshot::Sender<Result<Running, LaunchFault>>,
}

/// The thread that forks all children and lives as long as the process.
fn launcher() -> Result<mpsc::Sender<LaunchRequest>, LaunchFault> {
    static LAUNCHER: OnceLock<Mutex<mpsc::Sender<LaunchRequest>>> = OnceLock::new();
    let sender = LAUNCHER.get_or_init(|| {
        let (sender, requests) = mpsc::channel::<LaunchRequest>();
        let body = move || {
            for LaunchRequest { launch, answer } in requests {
                // If the caller is gone, the child is dropped and thereby killed.
                let _ = answer.send(start(launch));
            }
        };
        // Without the thread the receiver is dropped, and every launch fails.
        let _ = thread::Builder::new().name("launcher".into()).spawn(body);
        Mutex::new(sender)
    });
    Ok(sender.lock().map_err(|_| LaunchFault::NoLauncher)?.clone())
}

fn start(launch: Launch) -> Result<Running, LaunchFault> {
    let Launch { program, sandbox, role } = launch;
    // A program that may start others needs a supervisor.
    let is_free = sandbox.calls.may_start_others();
    let namespace = if is_free { namespace::available(&program) } else { Namespace::None };
    let message = LaunchMessage {
        parent: std::process::id(),
        landlock_abi_max: pretended_landlock(),
        unprivileged_uid: unprivileged_uid(),
        namespace,
        is_supervised: !is_free,
        in_cgroup: false,
        sandbox,
        role,
    };
    let (ours, theirs) = UnixStream::pair()?;
    let (stream, child_end) = UnixStream::pair()?;
    #[expect(clippy::disallowed_methods, reason = "children are started only here")]
    let mut child = Command::new(program)
        .arg(CHILD_COMMAND)
        .env_clear()
        // Keeps the memory of ended calls for later ones; it is released when the worker is idle.
        .envs([("MALLOC_ARENA_MAX", "4"), ("MALLOC_TRIM_THRESHOLD_", "268435456")])
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::from(OwnedFd::from(child_end)))
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = child.id();
    let pidfd = Pid::from_child(&child);
    let pidfd = match pidfd_open(pidfd, PidfdFlags::empty()) {
        Ok(pidfd) => pidfd,
        Err(fault) => {
            child.kill()?;
            child.wait()?;
            return Err(LaunchFault::Start(fault.into()));
        }
    };
    let exit = reap::watch(child)?;
    // If the child has already ended, its exit says why.
    let _ = message.send(&stream);
    let lifeline = is_free.then_some(stream);
    Ok(Running { pid, pidfd, channel: Some(ours), exit: Some(exit), lifeline })
}
