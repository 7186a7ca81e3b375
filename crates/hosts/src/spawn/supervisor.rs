//! The keeper of a program that may start others: a small process of ours between us and it.
//!
//! In: the orders for the program, and a leash. Out: the program, one process further down,
//! and its end as if it were the keeper's own.
//!
//! Must hold: when the program ends, the leash is let go, or we die however we die, every
//! process that it has started is killed, in whatever session, and however often it forked.
//! Where it can be had, the program is the first process of a namespace and the kernel sees to
//! that; elsewhere the orphans come to the keeper, which kills them one by one. It also counts
//! processes and memory of all of them together, which no limit of a single process does, and
//! has the kernel limit them where a [`group`](super::group) can be had.

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
use super::group::Group;
use super::namespace::{self, Namespace};
use super::orders::Orders;
use super::tree::Tree;

/// How often processes and memory are counted.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
/// How often it is tried to kill what goes on forking; each time there are fewer left.
const KILLS_MAX: u32 = 10_000;

/// Starts the program and stays until all of it is gone. Says how the program ended.
pub(super) fn keep(mut orders: Orders) -> io::Result<ExitCode> {
    let _ = rustix::process::setsid();
    // The channel is the program's; the leash is ours alone.
    let channel = fcntl_dupfd_cloexec(stdin(), 3)?;
    let leash = fcntl_dupfd_cloexec(stdout(), 3)?;
    let null = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&null)?;
    rustix::stdio::dup2_stdout(&null)?;
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    match orders.namespace {
        Namespace::None => set_child_subreaper(Some(getpid()))?,
        Namespace::Processes | Namespace::UserAndProcesses => {
            namespace::enter(orders.namespace)?;
            // Nothing is left to be done when we die: the kernel does it.
            set_parent_process_death_signal(Some(Signal::KILL))?;
        }
    }
    let limits =
        Ceiling { processes: orders.fence.processes_max, bytes: orders.fence.memory_bytes_max };
    let group = Group::enter(&limits);
    orders.is_grouped = group.is_some();
    let program = start(&mut orders, channel)?;
    // A group that we are still in is no worse: we count as one of its processes.
    let _ = group.as_ref().map(Group::leave);
    let watched = watch(program, &leash, &limits);
    let end = end_all(program);
    let ran_out = group.as_ref().is_some_and(Group::ran_out).then(|| too_much_memory(&limits));
    drop(group);
    if let Some(words) = watched?.or(ran_out) {
        let _ = writeln!(io::stderr(), "{words}");
    }
    Ok(end_like(end))
}

/// Of the program and all it starts, together.
pub(super) struct Ceiling {
    pub processes: u64,
    pub bytes: u64,
}

fn too_much_memory(ceiling: &Ceiling) -> String {
    format!("it used more than {} MiB of memory", ceiling.bytes >> 20)
}

fn start(orders: &mut Orders, channel: OwnedFd) -> io::Result<Pid> {
    orders.is_kept = true;
    orders.parent = std::process::id();
    let (line, end_of_line) = UnixStream::pair()?;
    #[expect(clippy::disallowed_methods, reason = "the keeper starts what it keeps")]
    let child = Command::new("/proc/self/exe")
        .arg(CHILD_COMMAND)
        .env_clear()
        .stdin(Stdio::from(channel))
        .stdout(Stdio::from(OwnedFd::from(end_of_line)))
        .spawn()?;
    // One that has ended already says why by its end.
    let _ = orders.tell(&line);
    Ok(Pid::from_child(&child))
}

/// Until the program has ended, the leash is gone, or there is too much; then it says of what.
fn watch(program: Pid, leash: &OwnedFd, ceiling: &Ceiling) -> io::Result<Option<String>> {
    let handle = pidfd_open(program, PidfdFlags::empty())?;
    loop {
        let mut both = [
            PollFd::from_borrowed_fd(leash.as_fd(), PollFlags::RDHUP),
            PollFd::from_borrowed_fd(handle.as_fd(), PollFlags::IN),
        ];
        match poll(&mut both, Some(&LOOK)) {
            Ok(0) => {}
            Ok(_) => return Ok(None),
            Err(rustix::io::Errno::INTR) => continue,
            Err(fault) => return Err(fault.into()),
        }
        let tree = Tree::below(program);
        if tree.processes() > ceiling.processes {
            return Ok(Some(format!("it ran more than {} processes at once", ceiling.processes)));
        }
        if tree.resident_bytes() > ceiling.bytes {
            return Ok(Some(too_much_memory(ceiling)));
        }
    }
}

/// Kills the program and everything below, and says how the program itself ended.
fn end_all(program: Pid) -> Option<WaitStatus> {
    let mut end = None;
    // The program is ours to reap, so its number is still its own.
    let _ = kill_process(program, Signal::KILL);
    for _ in 0..KILLS_MAX {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == program => end = Some(status),
            Ok(_) => {}
            // Nobody is left.
            Err(rustix::io::Errno::CHILD) => break,
            Err(_) => {}
        }
        // Orphans come to us; in a namespace there are none, the kernel has killed them.
        for pid in Tree::below(getpid()).members() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
    end
}

/// Ends this process as the program ended, so that whoever asks is told the truth.
fn end_like(end: Option<WaitStatus>) -> ExitCode {
    let Some(end) = end else { return ExitCode::from(super::child::BROKEN) };
    if let Some(signal) = end.terminating_signal().and_then(Signal::from_named_raw) {
        let _ = kill_process(getpid(), signal);
    }
    let code = end.exit_status().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::from(super::child::BROKEN), ExitCode::from)
}
