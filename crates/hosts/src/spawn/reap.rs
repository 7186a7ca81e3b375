//! Waits for a child to exit, kills its process group, and reports the exit.

use std::fmt;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ExitStatus};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::oneshot;

/// How much of the end of stderr is kept.
pub(crate) const STDERR_TAIL_BYTES_MAX: usize = 4096;
/// How long stderr may take to arrive after the exit.
pub(crate) const STDERR_WAIT_MAX: Duration = Duration::from_millis(100);

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    status: ExitStatus,
    stderr_tail: String,
}

impl Exit {
    pub(crate) fn new(status: ExitStatus, stderr_tail: String) -> Self {
        Self { status, stderr_tail }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status.signal(), self.status.code()) {
            (Some(signal), _) => write!(f, "ended by signal {signal}")?,
            (None, Some(code)) => write!(f, "ended with code {code}")?,
            (None, None) => write!(f, "ended")?,
        }
        match self.stderr_tail.trim() {
            "" => Ok(()),
            words => write!(f, "; stderr: {words}"),
        }
    }
}

/// Reaps the child when it ends. One thread reads its stderr, another waits for it.
pub(super) fn watch(mut child: Child) -> io::Result<oneshot::Receiver<Exit>> {
    let words = Arc::new(Mutex::new(Vec::new()));
    let (stderr_done, stderr_ended) = mpsc::channel::<()>();
    if let Some(stderr) = child.stderr.take() {
        let words = Arc::clone(&words);
        small_thread("child-errors").spawn(move || {
            listen(stderr, &words);
            drop(stderr_done);
        })?;
    }
    let (send, exit) = oneshot::channel();
    small_thread("child-reaper").spawn(move || {
        let pid = Pid::from_child(&child);
        // The exited child is not reaped yet, so its process id and group cannot have been
        // reused.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let _ = kill_process_group(pid, Signal::KILL);
        if let Ok(status) = child.wait() {
            // Its stderr may still be on its way. A process that left the group may hold it open
            // forever, so do not wait for that.
            let _ = stderr_ended.recv_timeout(STDERR_WAIT_MAX);
            let words = words.lock().unwrap_or_else(PoisonError::into_inner);
            let stderr_tail = String::from_utf8_lossy(&words).into_owned();
            // The receiver may be gone; the child is reaped anyway.
            let _ = send.send(Exit { status, stderr_tail });
        }
    })?;
    Ok(exit)
}

fn small_thread(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.into()).stack_size(128 * 1024)
}

fn listen(mut stderr: ChildStderr, words: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(count) = stderr.read(&mut piece) {
        if count == 0 {
            return;
        }
        let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&piece[..count]);
        let excess = words.len().saturating_sub(STDERR_TAIL_BYTES_MAX);
        words.drain(..excess);
    }
}
