//! Says what this system can enforce, by trying it: a child raises a fence and then attempts
//! what nobody behind it must ever manage.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rustix::fs::{Mode, chmod};
use tokio::io::Interest;

use super::{Calls, Fence, Files, Level, Sandbox};
use crate::spawn::{Launch, LaunchFault, Role, launch};
use crate::wire::FromChild;
use crate::wire::frame::Decoder;
use crate::worker::FRAME_BYTES_MAX;

/// How long the child may take for a dozen attempts.
const PATIENCE: Duration = Duration::from_secs(10);

/// What this system can enforce around one kind of child.
#[derive(Debug, Clone)]
pub struct Report {
    fence: Fence,
    pub level: Level,
    /// What was attempted behind the fence and did not work.
    pub blocked: Vec<String>,
    /// What was attempted and did work; should be empty.
    pub open: Vec<String>,
}

impl Report {
    /// Why children of this kind do not run here; none if they do.
    pub fn gap(&self, sandbox: Sandbox) -> Option<String> {
        self.fence.gap(&self.level, sandbox)
    }
}

/// The kinds of children that can be asked about without one of them at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Runs JavaScript handlers.
    Engine,
    /// An MCP server, or another program.
    Program,
    /// The same with the network.
    Networked,
}

impl Kind {
    fn fence(self) -> Fence {
        let memory = 1 << 30;
        let program = Fence::program(Files::default(), memory, 0);
        match self {
            Kind::Engine => Fence::engine(memory),
            Kind::Program => program,
            Kind::Networked => Fence { calls: Calls::Networked, ..program },
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DoctorFault {
    #[error(transparent)]
    Launch(#[from] LaunchFault),
    #[error("the channel to the probe broke: {0}")]
    Channel(#[from] std::io::Error),
    #[error("the probe did not answer as it should")]
    Silent,
}

/// Starts `program` (our own) as a probe of this kind.
pub async fn doctor(program: PathBuf, kind: Kind) -> Result<Report, DoctorFault> {
    let fence = kind.fence();
    let order = Launch { program, fence: fence.clone(), role: Role::Probe };
    let mut running = launch(order).await?;
    let channel = running.take_channel().ok_or(DoctorFault::Silent)?;
    channel.set_nonblocking(true)?;
    let channel = tokio::net::UnixStream::from_std(channel)?;
    let messages = tokio::time::timeout(PATIENCE, read_two(&channel));
    match messages.await.map_err(|_| DoctorFault::Silent)?? {
        (FromChild::Hello { level }, FromChild::Probed { blocked, open }) => {
            Ok(Report { fence, level, blocked, open })
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
    // Passed on, because not even this question is allowed any more.
    let parent = rustix::process::Pid::from_raw(parent.cast_signed());
    let mut attempts = vec![
        ("read a file", fs::read("/etc/passwd").is_ok()),
        ("list a directory", fs::read_dir("/").is_ok()),
        // A name by chance, and only if nobody has it: it might work.
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
