//! A template: an interpreter with the runtime loaded that only forks workers.
//!
//! In: a one-byte request with a channel, a stderr pipe and a Landlock ruleset as descriptors.
//! Out: the process id and pidfd of the worker, and later its exit status. What the worker runs
//! goes over its own channel, never through the template.
//!
//! Must hold: no code of a tool runs here. Workers die with their template, and the template with
//! us.

use std::collections::HashMap;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdStream;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::pipe::{PipeFlags, pipe_with};
use tokio::io::{AsyncReadExt, Interest};
use tokio::net::{UnixStream, unix::pipe};
use tokio::sync::{mpsc, oneshot, watch};

use crate::child::{ChildConfig, launch_child};
use crate::sandbox::Level;
use crate::spawn::reap::{STDERR_TAIL_BYTES_MAX, STDERR_WAIT_MAX};
use crate::spawn::{Exit, Running};

/// How long a fork may take on a busy machine.
const FORK_MAX: Duration = Duration::from_secs(10);
/// One byte for the kind, four for the process id, four for the status.
const RECORD: usize = 9;
const GONE: &str = "its template has ended";

pub(crate) struct Template {
    running: Running,
    level: Level,
    control: Arc<UnixStream>,
    /// Held for a whole fork, so that answers match requests.
    forked: tokio::sync::Mutex<mpsc::UnboundedReceiver<Result<Forked, String>>>,
    is_gone: watch::Receiver<bool>,
}

/// A forked process.
struct Forked {
    pid: u32,
    pidfd: OwnedFd,
    exit: oneshot::Receiver<ExitStatus>,
}

impl Template {
    pub(crate) async fn start(config: &ChildConfig) -> Result<Arc<Self>, String> {
        let (running, level, channel) = launch_child(config).await?;
        let control = Arc::new(channel.into_stream());
        let (tell, forked) = mpsc::unbounded_channel();
        let (gone, is_gone) = watch::channel(false);
        tokio::spawn(listen(Arc::clone(&control), tell, gone));
        let forked = tokio::sync::Mutex::new(forked);
        Ok(Arc::new(Self { running, level, control, forked, is_gone }))
    }

    pub(crate) fn is_live(&self) -> bool {
        !*self.is_gone.borrow()
    }

    pub(crate) fn level(&self) -> &Level {
        &self.level
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    pub(crate) fn kill(&self) {
        self.running.kill();
    }

    /// Forks a process that waits on its channel for its configuration. Must not be dropped
    /// before it completes: its answer would be taken for the next one's.
    pub(crate) async fn fork(&self, ruleset: Option<&OwnedFd>) -> Result<Running, String> {
        let words = |fault: io::Error| format!("cannot fork a worker: {fault}");
        let (ours, theirs) = StdStream::pair().map_err(words)?;
        let (errors, errors_in) =
            pipe_with(PipeFlags::CLOEXEC).map_err(|fault| words(fault.into()))?;
        let mut forked = self.forked.lock().await;
        self.ask(&theirs.into(), &errors_in, ruleset).await.map_err(words)?;
        drop(errors_in);
        let answer = tokio::time::timeout(FORK_MAX, forked.recv()).await;
        let Ok(answer) = answer else {
            // A late answer would belong to no request.
            self.kill();
            return Err("no worker was forked in time".to_owned());
        };
        drop(forked);
        let Forked { pid, pidfd, exit } = answer.ok_or_else(|| GONE.to_owned())??;
        let (tell, end) = oneshot::channel();
        tokio::spawn(report_exit(errors, exit, tell));
        Ok(Running::forked(pid, pidfd, ours, end))
    }

    async fn ask(
        &self,
        channel: &OwnedFd,
        errors: &OwnedFd,
        ruleset: Option<&OwnedFd>,
    ) -> io::Result<()> {
        let mut passed = vec![channel.as_fd(), errors.as_fd()];
        passed.extend(ruleset.map(AsFd::as_fd));
        let send = || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            control.push(SendAncillaryMessage::ScmRights(&passed));
            let sent =
                sendmsg(&*self.control, &[IoSlice::new(b"f")], &mut control, SendFlags::NOSIGNAL)?;
            Ok(sent)
        };
        self.control.async_io(Interest::WRITABLE, send).await.map(drop)
    }
}

/// Reads records until the template is gone.
async fn listen(
    control: Arc<UnixStream>,
    tell: mpsc::UnboundedSender<Result<Forked, String>>,
    gone: watch::Sender<bool>,
) {
    let exits = Mutex::new(HashMap::<u32, oneshot::Sender<ExitStatus>>::new());
    let lock = || exits.lock().unwrap_or_else(PoisonError::into_inner);
    while let Ok(record) = record(&control).await {
        let Record { kind, pid, status, handle } = record;
        let told = match (kind, handle) {
            (b'f', Some(pidfd)) => {
                let (end, exit) = oneshot::channel();
                lock().insert(pid, end);
                tell.send(Ok(Forked { pid, pidfd, exit })).is_ok()
            }
            (b'e', _) => {
                if let Some(end) = lock().remove(&pid) {
                    // The receiver may be gone.
                    let _ = end.send(ExitStatus::from_raw(status));
                }
                true
            }
            (b'n', _) => {
                let fault = io::Error::from_raw_os_error(status);
                tell.send(Err(format!("cannot fork a worker: {fault}"))).is_ok()
            }
            _ => false,
        };
        if !told {
            break;
        }
    }
    gone.send_replace(true);
}

struct Record {
    kind: u8,
    pid: u32,
    status: i32,
    handle: Option<OwnedFd>,
}

async fn record(control: &UnixStream) -> io::Result<Record> {
    let (mut bytes, mut filled, mut handle) = ([0; RECORD], 0, None);
    while filled < RECORD {
        let receive = || {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut passed = RecvAncillaryBuffer::new(&mut space);
            let mut rest = [IoSliceMut::new(&mut bytes[filled..])];
            let count = recvmsg(control, &mut rest, &mut passed, RecvFlags::CMSG_CLOEXEC)?.bytes;
            let fds = passed.drain().filter_map(|message| {
                let RecvAncillaryMessage::ScmRights(fds) = message else { return None };
                Some(fds)
            });
            Ok((count, fds.flatten().next()))
        };
        let (count, fd) = control.async_io(Interest::READABLE, receive).await?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        filled += count;
        handle = handle.or(fd);
    }
    let [kind, pid @ .., s0, s1, s2, s3] = bytes;
    let status = i32::from_le_bytes([s0, s1, s2, s3]);
    Ok(Record { kind, pid: u32::from_le_bytes(pid), status, handle })
}

/// Keeps the end of a worker's stderr and reports its exit.
async fn report_exit(
    errors: OwnedFd,
    exit: oneshot::Receiver<ExitStatus>,
    tell: oneshot::Sender<Exit>,
) {
    let mut words = Vec::new();
    let status = {
        let mut reading = Box::pin(read_tail(errors, &mut words));
        let mut exit = Box::pin(exit);
        tokio::select! {
            status = &mut exit => {
                // Stderr may still be on its way.
                let _ = tokio::time::timeout(STDERR_WAIT_MAX, reading).await;
                status
            }
            () = &mut reading => exit.await,
        }
    };
    let exit = match status {
        Ok(status) => Exit::new(status, String::from_utf8_lossy(&words).into_owned()),
        Err(_) => Exit::new(ExitStatus::from_raw(libc::SIGKILL), GONE.to_owned()),
    };
    // The receiver may be gone.
    let _ = tell.send(exit);
}

async fn read_tail(errors: OwnedFd, words: &mut Vec<u8>) {
    let Ok(mut errors) = pipe::Receiver::from_owned_fd(errors) else { return };
    let mut piece = [0; 1024];
    while let Ok(count) = errors.read(&mut piece).await {
        if count == 0 {
            return;
        }
        words.extend_from_slice(&piece[..count]);
        let excess = words.len().saturating_sub(STDERR_TAIL_BYTES_MAX);
        words.drain(..excess);
    }
}
