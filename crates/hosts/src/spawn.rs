//! The one way this program starts a child: itself, with a hidden command.
//!
//! In: a [`Launch`]. Out: a [`Running`] child with a private channel. The child raises its
//! fence, says hello with the level that holds, and then takes up its [`Role`].
//!
//! Must hold: no child outlives us. It is killed when [`Running`] is dropped, when its
//! channel is closed, and by the kernel when our process dies. That last signal is tied to
//! the *thread* that forked, so all children are forked by one thread that never ends. A
//! program that may start others has a [`keeper`], which ends all of them with it.
//!
//! The channel arrives as descriptor 0, because that needs no code between fork and exec;
//! the child moves it away and puts the null device there before it does anything else.

mod child;
mod group;
mod keeper;
mod namespace;
mod orders;
pub(crate) mod reap;
mod talk;
mod tree;

use std::io;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::sync::{Mutex, OnceLock};
use std::thread;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use crate::sandbox::{Fence, pretended_landlock, stranger};
use crate::worker::WorkerLimits;

use namespace::Namespace;
use orders::Orders;

pub use child::child_main;
pub use namespace::pretend_no_namespaces;
pub use reap::Exit;
pub use talk::{Program, Talk, TalkFault, talk};

/// The hidden command.
pub(crate) const CHILD_COMMAND: &str = "__ghosthand-child";

/// What to start.
pub struct Launch {
    /// Our own program; `main` must call [`child_main`] first.
    pub program: PathBuf,
    pub fence: Fence,
    pub role: Role,
}

/// What a child becomes behind its fence.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Role {
    /// Runs JavaScript handlers.
    Worker(WorkerLimits),
    /// Tries what the fence forbids, says what happened, and ends.
    Probe,
    /// Becomes another program. Its channel is descriptor 3, standard input is empty and
    /// standard output goes where errors go.
    Exec { program: PathBuf, args: Vec<String>, env: Vec<(String, String)> },
    /// Becomes another program whose standard input and output are the channel.
    Talk(Program),
}

#[derive(Debug, thiserror::Error)]
pub enum LaunchFault {
    #[error("the child could not be started: {0}")]
    Start(#[from] io::Error),
    #[error("the thread that starts children is gone")]
    NoLauncher,
}

/// A child that was started. Dropping it kills it.
pub struct Running {
    pid: u32,
    pidfd: OwnedFd,
    channel: Option<UnixStream>,
    exit: Option<oneshot::Receiver<Exit>>,
    /// Of a program with a keeper, which ends all of it when this is let go.
    leash: Option<UnixStream>,
}

impl Running {
    /// A process that a child of ours forked for us; whoever reaps it says how it ended.
    pub(crate) fn forked(
        pid: u32,
        pidfd: OwnedFd,
        channel: UnixStream,
        exit: oneshot::Receiver<Exit>,
    ) -> Self {
        Self { pid, pidfd, channel: Some(channel), exit: Some(exit), leash: None }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Our end of the channel; it can be taken once.
    pub fn take_channel(&mut self) -> Option<UnixStream> {
        self.channel.take()
    }

    /// Says how the child ended, once it has; it can be taken once.
    pub fn take_exit(&mut self) -> Option<oneshot::Receiver<Exit>> {
        self.exit.take()
    }

    /// Kills the child and what it started.
    pub fn kill(&self) {
        if let Some(leash) = &self.leash {
            let _ = leash.shutdown(Shutdown::Both);
            return;
        }
        // It fails only when the child is already dead.
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
    launcher()?.send(Errand { launch, answer }).map_err(|_| LaunchFault::NoLauncher)?;
    started.await.map_err(|_| LaunchFault::NoLauncher)?
}

struct Errand {
    launch: Launch,
    answer: oneshot::Sender<Result<Running, LaunchFault>>,
}

/// The thread that forks all children. It ends with the process and not before.
fn launcher() -> Result<mpsc::Sender<Errand>, LaunchFault> {
    static LAUNCHER: OnceLock<Mutex<mpsc::Sender<Errand>>> = OnceLock::new();
    let sender = LAUNCHER.get_or_init(|| {
        let (sender, errands) = mpsc::channel::<Errand>();
        let body = move || {
            for Errand { launch, answer } in errands {
                // Nobody waits any more: the child is dropped, and so killed.
                let _ = answer.send(start(launch));
            }
        };
        // Without the thread the receiver is dropped, and every launch says so.
        let _ = thread::Builder::new().name("launcher".into()).spawn(body);
        Mutex::new(sender)
    });
    Ok(sender.lock().map_err(|_| LaunchFault::NoLauncher)?.clone())
}

fn start(launch: Launch) -> Result<Running, LaunchFault> {
    let Launch { program, fence, role } = launch;
    // Whoever may start others has somebody who ends them all.
    let is_free = fence.calls.may_start_others();
    let namespace = if is_free { namespace::offered(&program) } else { Namespace::None };
    let orders = Orders {
        parent: std::process::id(),
        landlock_abi_max: pretended_landlock(),
        stranger: stranger(),
        namespace,
        is_kept: !is_free,
        is_grouped: false,
        fence,
        role,
    };
    let (ours, theirs) = UnixStream::pair()?;
    let (line, end_of_line) = UnixStream::pair()?;
    #[expect(clippy::disallowed_methods, reason = "this is the place where children are started")]
    let mut child = Command::new(program)
        .arg(CHILD_COMMAND)
        .env_clear()
        // Memory of ended calls is kept for the next ones and given back when all is quiet.
        .envs([("MALLOC_ARENA_MAX", "4"), ("MALLOC_TRIM_THRESHOLD_", "268435456")])
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::from(OwnedFd::from(end_of_line)))
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
    // A child that has ended already says why by its end.
    let _ = orders.tell(&line);
    let leash = is_free.then_some(line);
    Ok(Running { pid, pidfd, channel: Some(ours), exit: Some(exit), leash })
}
