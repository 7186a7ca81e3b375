//! A small process of ours between us and a program that may start others.
//!
//! In: the launch message of the program, and a lifeline socket. Out: the program as its child,
//! and the program's exit status as its own.
//!
//! Must hold: when the program ends, the lifeline is closed, or we die in any way, every process
//! that the program started is killed, in whatever session and however often it forked. Where
//! possible the program is the first process of a PID namespace, and the kernel does this;
//! elsewhere the supervisor is the subreaper and kills orphans one by one. It also limits the
//! processes and memory of all of them together, with a [`cgroup`](super::cgroup) where one is
//! available.

use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, kill_process,
    pidfd_open, set_child_subreaper, set_parent_process_death_signal, setrlimit, wait,
};
use rustix::stdio::{stdin, stdout};

use super::CHILD_COMMAND;
use super::cgroup::Cgroup;
use super::launch_message::LaunchMessage;
use super::namespace::{self, Namespace};
use super::process_tree::ProcessTree;

/// How often processes and memory are counted.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// How many rounds of killing; a forking program has fewer processes after each.
const KILLS_MAX: u32 = 10_000;

/// Starts the program, stays until all its processes are gone, and exits like the program.
pub(super) fn supervise(mut message: LaunchMessage) -> io::Result<ExitCode> {
    let _ = rustix::process::setsid();
    // The channel belongs to the program, the lifeline to us.
    let channel = fcntl_dupfd_cloexec(stdin(), 3)?;
    let lifeline = fcntl_dupfd_cloexec(stdout(), 3)?;
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    match message.namespace {
        Namespace::None => set_child_subreaper(Some(getpid()))?,
        Namespace::Processes | Namespace::UserAndProcesses => {
            namespace::enter(message.namespace)?;
            // If we die, the kernel kills the namespace.
            set_parent_process_death_signal(Some(Signal::KILL))?;
        }
    }
    let limits = TreeLimits {
        processes: message.sandbox.processes_max,
        bytes: message.sandbox.memory_bytes_max,
    };
    let group = Cgroup::enter(&limits);
    message.in_cgroup = group.is_some();
    let program = start(&mut message, channel)?;
    // If leaving fails, we merely count as one of its processes.
    let _ = group.as_ref().map(Cgroup::leave);
    let watched = watch(program, &lifeline, &limits);
    let end = end_all(program);
    let ran_out = group.as_ref().is_some_and(Cgroup::ran_out).then(|| too_much_memory(&limits));
    drop(group);
    if let Some(words) = watched?.or(ran_out) {
        let _ = writeln!(io::stderr(), "{words}");
    }
    Ok(end_like(end))
}

/// For the program and everything it starts.
pub(super) struct TreeLimits {
    pub processes: u64,
    pub bytes: u64,
}

fn too_much_memory(limits: &TreeLimits) -> String {
    format!("it used more than {} MiB of memory", limits.bytes >> 20)
}

fn start(message: &mut LaunchMessage, channel: OwnedFd) -> io::Result<Pid> {
    message.is_supervised = true;
    message.parent = std::process::id();
    let (stream, child_end) = UnixStream::pair()?;
    #[expect(clippy::disallowed_methods, reason = "the supervisor starts its program")]
    let child = Command::new("/proc/self/exe")
        .arg(CHILD_COMMAND)
        .env_clear()
        .stdin(Stdio::from(channel))
        .stdout(Stdio::from(OwnedFd::from(child_end)))
        .spawn()?;
    // If the child has already ended, its exit says why.
    let _ = message.send(&stream);
    Ok(Pid::from_child(&child))
}

/// Waits until the program has ended, the lifeline is closed, or a limit is exceeded; returns the
/// exceeded limit.
fn watch(program: Pid, lifeline: &OwnedFd, limits: &TreeLimits) -> io::Result<Option<String>> {
    let handle = pidfd_open(program, PidfdFlags::empty())?;
    loop {
        let mut both = [
            PollFd::from_borrowed_fd(lifeline.as_fd(), PollFlags::RDHUP),
            PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN),
        ];
        match poll(&mut both, Some(&LOOK)) {
            Ok(0) => {}
            Ok(_) => return Ok(None),
            Err(rustix::io::Errno::INTR) => continue,
            Err(fault) => return Err(fault.into()),
        }
        let tree = ProcessTree::below(program);
        if tree.processes() > limits.processes {
            return Ok(Some(format!("it ran more than {} processes at once", limits.processes)));
        }
        if tree.resident_bytes() > limits.bytes {
            return Ok(Some(too_much_memory(limits)));
        }
    }
}

/// Kills the program and its descendants; returns how the program ended.
fn end_all(program: Pid) -> Option<WaitStatus> {
    let mut end = None;
    // Not reaped yet, so its process id is still valid.
    let _ = kill_process(program, Signal::KILL);
    for _ in 0..KILLS_MAX {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => end = Some(status),
            Ok(_) => {}
            // No children are left.
            Err(rustix::io::Errno::CHILD) => break,
            Err(_) => {}
        }
        // Orphans are reparented to us; in a namespace the kernel has killed them.
        for pid in ProcessTree::below(getpid()).members() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    end
}

/// Exits the way the program did.
fn end_like(end: Option<WaitStatus>) -> ExitCode {
    let Some(end) = end else { return ExitCode::from(super::child::EXIT_INTERNAL) };
    if let Some(signal) = end.terminating_signal().and_then(Signal::from_named_raw) {
        let _ = kill_process(getpid(), signal);
    }
    let code = end.exit_status().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::from(super::child::EXIT_INTERNAL), ExitCode::from)
}
