//! Finds out what this system can enforce by trying: a child applies a sandbox and then attempts
//! what must fail.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rustix::fs::{Mode, chmod};
use tokio::io::Interest;

use super::{Calls, Files, Level, Sandbox, SandboxPolicy};
use crate::js::worker::FRAME_BYTES_MAX;
use crate::protocol::FromChild;
use crate::protocol::frame::Decoder;
use crate::spawn::{Launch, LaunchFault, Role, launch};

/// How long the child may take for all attempts.
const PATIENCE: Duration = Duration::from_secs(10);

/// What this system can enforce for one kind of child.
#[derive(Debug, Clone)]
pub struct Report {
    sandbox: Sandbox,
    pub level: Level,
    /// Attempts that failed, as they should.
    pub blocked: Vec<String>,
    /// Attempts that succeeded; should be empty.
    pub open: Vec<String>,
}

impl Report {
    /// Why children of this kind do not run here, if so.
    pub fn gap(&self, policy: SandboxPolicy) -> Option<String> {
        self.sandbox.gap(&self.level, policy)
    }
}

/// The kinds of children that can be probed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Runs JavaScript handlers.
    Engine,
    /// An MCP server or another program.
    Program,
    /// The same with the network.
    Networked,
}

impl Kind {
    fn sandbox(self) -> Sandbox {
        let memory = 1 << 30;
        let program = Sandbox::program(Files::default(), memory, 0);
        match self {
            Kind::Engine => Sandbox::engine(memory),
            Kind::Program => program,
            Kind::Networked => Sandbox { calls: Calls::Networked, ..program },
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DoctorFault {
    #[error(transparent)]
    Launch(#[from] LaunchFault),
    #[error("the channel to the probe broke: {0}")]
    Channel(#[from] std::io::Error),
    #[error("the probe gave no valid answer")]
    Silent,
}

/// Starts `program` (our own) as a probe of this kind.
pub async fn doctor(program: PathBuf, kind: Kind) -> Result<Report, DoctorFault> {
    let sandbox = kind.sandbox();
    let order = Launch { program, sandbox: sandbox.clone(), role: Role::Probe };
    let mut running = launch(order).await?;
    let channel = running.take_channel().ok_or(DoctorFault::Silent)?;
    channel.set_nonblocking(true)?;
    let channel = tokio::net::UnixStream::from_std(channel)?;
    let messages = tokio::time::timeout(PATIENCE, read_two(&channel));
    match messages.await.map_err(|_| DoctorFault::Silent)?? {
        (FromChild::Hello { level }, FromChild::Probed { blocked, open }) => {
            Ok(Report { sandbox, level, blocked, open })
        }
        _ => Err(DoctorFault::Silent),
    }
}

async fn read_two(channel: &tokio::net::UnixStream) -> Result<(FromChild, FromChild), DoctorFault> {
    let mut decoder = Decoder::new(FRAME_BYTES_MAX);
    let mut messages = Vec::new();
    while messages.len() < 2 {
        channel.ready(Interest::READABLE).await?;
        let room = decoder.room(4096);
        match channel.try_read(room) {
            Ok(0) => return Err(DoctorFault::Silent),
            Ok(count) => decoder.filled(4096 - count),
            Err(fault) if fault.kind() == std::io::ErrorKind::WouldBlock => decoder.filled(4096),
            Err(fault) => return Err(fault.into()),
        }
        while let Some(frame) = decoder.next().map_err(|_| DoctorFault::Silent)? {
            messages.push(serde_json::from_slice(frame).map_err(|_| DoctorFault::Silent)?);
        }
    }
    let mut messages = messages.into_iter();
    messages.next().zip(messages.next()).ok_or(DoctorFault::Silent)
}

/// The child's side: every attempt must fail.
pub(crate) fn probe(parent: u32, calls: Calls) -> FromChild {
    // Passed in, because `getppid` is not allowed any more.
    let parent = rustix::process::Pid::from_raw(parent.cast_signed());
    let mut attempts = vec![
        ("read a file", fs::read("/etc/passwd").is_ok()),
        ("list a directory", fs::read_dir("/").is_ok()),
        // A random name that must not exist, because this may succeed.
        ("write a file", fs::File::create_new(chance_name()).is_ok()),
        ("change a mode", chmod("/proc/self", Mode::from_raw_mode(0o555)).is_ok()),
        ("open a Unix socket", UnixDatagram::unbound().is_ok()),
        (
            "signal its parent",
            parent.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok()),
        ),
        ("raise its limits", raise_limits()),
    ];
    if calls != Calls::Networked {
        attempts.push(("listen on TCP", TcpListener::bind("127.0.0.1:0").is_ok()));
        attempts.push(("open UDP", UdpSocket::bind("127.0.0.1:0").is_ok()));
    }
    if !calls.may_start_others() {
        #[expect(clippy::disallowed_methods, reason = "the attempt is the point; it must fail")]
        attempts.push(("start a program", Command::new("/bin/true").spawn().is_ok()));
        attempts.push(("make a pair of sockets", UnixStream::pair().is_ok()));
    }
    let named = |wanted: bool| {
        let found = attempts.iter().filter(move |(_, worked)| *worked == wanted);
        found.map(|(name, _)| (*name).to_owned()).collect()
    };
    FromChild::Probed { blocked: named(false), open: named(true) }
}

fn chance_name() -> PathBuf {
    use std::hash::{BuildHasher, RandomState};
    format!("/tmp/ghosthand-probe-{:016x}", RandomState::new().hash_one(())).into()
}

fn raise_limits() -> bool {
    use rustix::process::{Resource, Rlimit, setrlimit};
    setrlimit(Resource::Core, Rlimit { current: Some(1), maximum: Some(1) }).is_ok()
}
