//! Resource limits of a process, and its tie to the parent.
//!
//! `RLIMIT_DATA` and not `RLIMIT_AS`: runtimes reserve address space that they never touch.
//! `RLIMIT_NPROC` counts all threads of the user, so the current ones are added; it is set only
//! for children that may start processes.

use rustix::process::{
    Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};

use std::os::unix::fs::MetadataExt;

use super::user::UserChange;
use super::{Protection, Sandbox, protection};

pub(super) fn set(sandbox: &Sandbox, change: UserChange, in_cgroup: bool) -> Protection {
    let mut wanted = vec![
        (Resource::Data, sandbox.memory_bytes_max),
        (Resource::Fsize, sandbox.file_bytes_max),
        (Resource::Nofile, sandbox.open_files_max),
        (Resource::Core, 0),
    ];
    if sandbox.calls.may_start_others() {
        let user = match change {
            UserChange::To { number, .. } => number,
            UserChange::NotNeeded | UserChange::Refused(_) => rustix::process::geteuid().as_raw(),
        };
        wanted.push((Resource::Nproc, sandbox.processes_max + threads_of(user)));
    }
    let outcome = wanted.into_iter().try_for_each(|(resource, max)| {
        setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) })
    });
    protection(outcome.map(|()| {
        let together = match (sandbox.calls.may_start_others(), in_cgroup) {
            (false, _) => String::new(),
            (true, true) => format!("; {} processes, a cgroup together", sandbox.processes_max),
            (true, false) => format!("; {} processes, counted together", sandbox.processes_max),
        };
        format!(
            "memory {} MiB, files of {} bytes, {} descriptors, no core{together}",
            sandbox.memory_bytes_max >> 20,
            sandbox.file_bytes_max,
            sandbox.open_files_max,
        )
    }))
}

/// The number of threads of a user; 0 without `/proc`.
fn threads_of(user: u32) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let of_user = processes.flatten().filter(|entry| {
        entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok())
            && entry.metadata().is_ok_and(|found| found.uid() == user)
    });
    of_user
        .map(|entry| {
            std::fs::read_dir(entry.path().join("task")).map_or(1, |all| all.count() as u64)
        })
        .sum()
}

/// Asks to be killed when the parent dies. The signal is tied to the thread that forked us, so
/// that thread must live as long as its program; see [`crate::spawn`].
pub(super) fn die_with(parent: u32) -> Protection {
    if let Err(fault) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return Protection::Unavailable(fault.to_string());
    }
    // The parent may have died already.
    match getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs()) {
        Some(pid) if pid == parent => Protection::Enforced("killed with its parent".into()),
        // The first process of a PID namespace cannot see its parent.
        None if std::process::id() == 1 => {
            Protection::Enforced("killed with its supervisor, like everything it starts".into())
        }
        _ => Protection::Unavailable("the parent is already gone".into()),
    }
}
