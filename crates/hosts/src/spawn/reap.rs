//! Waits for a child to end, ends what it left behind, and says how it went.

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

/// How much of what a child wrote to its errors is kept: the end of it.
pub(crate) const LAST_WORDS_BYTES_MAX: usize = 4096;
/// How long they may take to arrive after its end.
pub(crate) const LAST_WORDS_MAX: Duration = Duration::from_millis(100);

/// How a child ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exit {
    status: ExitStatus,
    last_words: String,
}

impl Exit {
    pub(crate) fn new(status: ExitStatus, last_words: String) -> Self {
        Self { status, last_words }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status.signal(), self.status.code()) {
            (Some(signal), _) => write!(f, "ended by signal {signal}")?,
            (None, Some(code)) => write!(f, "ended with code {code}")?,
            (None, None) => write!(f, "ended")?,
        }
        match self.last_words.trim() {
            "" => Ok(()),
            words => write!(f, "; it said: {words}"),
        }
    }
}

/// Reaps the child when it ends. Two small threads: one must always read, one must wait.
pub(super) fn watch(mut child: Child) -> io::Result<oneshot::Receiver<Exit>> {
    let words = Arc::new(Mutex::new(Vec::new()));
    let (said, all_said) = mpsc::channel::<()>();
    if let Some(stderr) = child.stderr.take() {
        let words = Arc::clone(&words);
        small_thread("child-errors").spawn(move || {
            listen(stderr, &words);
            drop(said);
        })?;
    }
    let (tell, exit) = oneshot::channel();
    small_thread("child-reaper").spawn(move || {
        let pid = Pid::from_child(&child);
        // Looked at but not yet reaped, the number of the child is still its own, and so is
        // the group: nobody else can be hit.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
        let _ = kill_process_group(pid, Signal::KILL);
        if let Ok(status) = child.wait() {
            // Its last words may still be on their way. Whoever left its group may hold them
            // open for ever, and is not waited for.
            let _ = all_said.recv_timeout(LAST_WORDS_MAX);
            let words = words.lock().unwrap_or_else(PoisonError::into_inner);
            let last_words = String::from_utf8_lossy(&words).into_owned();
            // Nobody may be interested; the child is reaped all the same.
            let _ = tell.send(Exit { status, last_words });
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
        let excess = words.len().saturating_sub(LAST_WORDS_BYTES_MAX);
        words.drain(..excess);
    }
}
