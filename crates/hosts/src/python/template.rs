//! A template: an interpreter with the runtime loaded that only forks workers.
//!
//! In: a one-byte request with a channel and a stderr pipe as descriptors. Out: the process id
//! and pidfd of the worker, and later its exit status. The Landlock ruleset and the order of a
//! worker go over its own channel, never through the template.
//!
//! One spare worker is forked ahead, which takes the fork out of the time to a new worker. It
//! waits on its channel and has run no code of a tool.
//!
//! Must hold: no code of a tool runs here. Workers die with their template, and the template with
//! us.

use std::collections::HashMap;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
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
    /// The worker that is forked ahead. Held while it is being forked; a caller that finds it
    /// locked or empty forks its own.
    spare: tokio::sync::Mutex<Option<Running>>,
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
        let spare = tokio::sync::Mutex::default();
        Ok(Arc::new(Self { running, level, control, forked, spare, is_gone }))
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

    /// A process that waits on its channel for its order, with the Landlock ruleset already
    /// sent. Must not be dropped before it completes, like [`Self::fork`].
    pub(crate) async fn worker(&self, ruleset: Option<&OwnedFd>) -> Result<Running, String> {
        let spare = self.spare.try_lock().ok().and_then(|mut spare| spare.take());
        let running = match spare {
            Some(running) if running.is_alive() => running,
            Some(_) | None => self.fork().await?,
        };
        let channel = running.channel().ok_or("the worker has no channel")?;
        let passed: Vec<_> = ruleset.into_iter().map(AsFd::as_fd).collect();
        // The first byte on a new socket always has room.
        send_with(channel, &passed).map_err(|fault| cannot_fork(&fault))?;
        Ok(running)
    }

    /// Forks the next spare worker in the background, unless there is one.
    pub(crate) fn fork_spare(self: &Arc<Self>) {
        let template = Arc::clone(self);
        tokio::spawn(async move {
            let Ok(mut spare) = template.spare.try_lock() else { return };
            if spare.as_ref().is_none_or(|running| !running.is_alive()) {
                // A failure is reported to the next caller, which forks its own.
                *spare = template.fork().await.ok();
            }
        });
    }

    /// The process id of the spare worker.
    pub(crate) fn spare_pid(&self) -> Option<u32> {
        self.spare.try_lock().ok()?.as_ref().map(Running::pid)
    }

    /// Forks a process that waits on its channel. Must not be dropped before it completes: its
    /// answer would be taken for the next one's.
    async fn fork(&self) -> Result<Running, String> {
        let (ours, theirs) = StdStream::pair().map_err(|fault| cannot_fork(&fault))?;
        let (errors, errors_in) =
            pipe_with(PipeFlags::CLOEXEC).map_err(|fault| cannot_fork(&fault.into()))?;
        let mut forked = self.forked.lock().await;
        let send = || send_with(&*self.control, &[theirs.as_fd(), errors_in.as_fd()]);
        self.control
            .async_io(Interest::WRITABLE, send)
            .await
            .map_err(|fault| cannot_fork(&fault))?;
        drop(theirs);
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
}

fn cannot_fork(fault: &io::Error) -> String {
    format!("cannot fork a worker: {fault}")
}

/// Sends one byte with descriptors.
fn send_with(socket: impl AsFd, passed: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !passed.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(passed));
    }
    sendmsg(socket, &[IoSlice::new(b"f")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
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
        let delivered = match (kind, handle) {
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
                tell.send(Err(cannot_fork(&fault))).is_ok()
            }
            _ => false,
        };
        if !delivered {
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
