//! Says what this system can enforce, by trying it: a child raises the fence of a
//! JavaScript worker and then attempts what a handler must never manage.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use tokio::io::Interest;

use super::{Fence, Level};
use crate::spawn::{Launch, LaunchFault, Role, launch};
use crate::wire::FromChild;
use crate::wire::frame::Decoder;
use crate::worker::FRAME_BYTES_MAX;

/// How long the child may take for a dozen attempts.
const PATIENCE: Duration = Duration::from_secs(10);

/// What this system can enforce.
#[derive(Debug, Clone)]
pub struct Report {
    pub level: Level,
    /// What was attempted behind the fence and did not work.
    pub blocked: Vec<String>,
    /// What was attempted and did work; should be empty.
    pub open: Vec<String>,
    /// Why JavaScript handlers would not run here; none if they would.
    pub gap: Option<String>,
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

/// Starts `program` (our own) as a probe.
pub async fn doctor(program: PathBuf) -> Result<Report, DoctorFault> {
    let fence = Fence::engine(1 << 30);
    let order = Launch { program, fence: fence.clone(), role: Role::Probe };
    let mut running = launch(order).await?;
    let channel = running.take_channel().ok_or(DoctorFault::Silent)?;
    channel.set_nonblocking(true)?;
    let channel = tokio::net::UnixStream::from_std(channel)?;
    let messages = tokio::time::timeout(PATIENCE, read_two(&channel));
    match messages.await.map_err(|_| DoctorFault::Silent)?? {
        (FromChild::Hello { level }, FromChild::Probed { blocked, open }) => {
            let gap = fence.gap(&level, super::Sandbox::Required);
            Ok(Report { level, blocked, open, gap })
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
pub(crate) fn probe(parent: u32) -> FromChild {
    // Passed on, because not even this question is allowed any more.
    let parent = rustix::process::Pid::from_raw(parent.cast_signed());
    #[expect(clippy::disallowed_methods, reason = "the attempt is the point; it must fail")]
    let attempts = [
        ("read a file", fs::read("/etc/passwd").is_ok()),
        ("list a directory", fs::read_dir("/").is_ok()),
        // A name by chance, and only if nobody has it: it might work.
        ("write a file", fs::File::create_new(chance_name()).is_ok()),
        ("listen on TCP", TcpListener::bind("127.0.0.1:0").is_ok()),
        ("open UDP", UdpSocket::bind("127.0.0.1:0").is_ok()),
        ("open a Unix socket", UnixStream::pair().is_ok()),
        ("start a program", Command::new("/bin/true").spawn().is_ok()),
        (
            "signal its parent",
            parent.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok()),
        ),
        ("raise its limits", raise_limits()),
    ];
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
