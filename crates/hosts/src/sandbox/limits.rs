//! Limits of the process itself, and its tie to the program that started it.
//!
//! `RLIMIT_DATA` and not `RLIMIT_AS`: runtimes reserve address space they never touch. The
//! limit of processes counts everything the user runs, so what runs already is added to it;
//! only those have one who may start any.

use rustix::process::{
    Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};

use std::os::unix::fs::MetadataExt;

use super::user::Change;
use super::{Fence, Part, part};

pub(super) fn set(fence: &Fence, change: Change, is_grouped: bool) -> Part {
    let mut wanted = vec![
        (Resource::Data, fence.memory_bytes_max),
        (Resource::Fsize, fence.file_bytes_max),
        (Resource::Nofile, fence.open_files_max),
        (Resource::Core, 0),
    ];
    if fence.calls.may_start_others() {
        let user = match change {
            Change::To { number, .. } => number,
            Change::NotNeeded | Change::Refused(_) => rustix::process::geteuid().as_raw(),
        };
        wanted.push((Resource::Nproc, fence.processes_max + threads_of(user)));
    }
    let outcome = wanted.into_iter().try_for_each(|(resource, max)| {
        setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) })
    });
    part(outcome.map(|()| {
        let together = match (fence.calls.may_start_others(), is_grouped) {
            (false, _) => String::new(),
            (true, true) => format!("; {} processes, a cgroup together", fence.processes_max),
            (true, false) => format!("; {} processes, counted together", fence.processes_max),
        };
        format!(
            "memory {} MiB, files of {} bytes, {} descriptors, no core{together}",
            fence.memory_bytes_max >> 20,
            fence.file_bytes_max,
            fence.open_files_max,
        )
    }))
}

/// How many threads a user runs; without `/proc`, none are seen.
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

/// Asks to be killed when the parent dies. The signal is tied to the thread that forked us,
/// so that one must live as long as its program; see [`crate::spawn`].
pub(super) fn die_with(parent: u32) -> Part {
    if let Err(fault) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return Part::Unavailable(fault.to_string());
    }
    // It may have died in between; then nobody is left to read what we say here.
    match getppid().map(|pid| pid.as_raw_nonzero().get().unsigned_abs()) {
        Some(pid) if pid == parent => Part::Enforced("killed with its parent".into()),
        // The first process of a namespace cannot see who started it.
        None if std::process::id() == 1 => {
            Part::Enforced("killed with its keeper, as all that it starts".into())
        }
        _ => Part::Unavailable("the parent is already gone".into()),
    }
}
