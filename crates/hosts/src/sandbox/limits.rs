//! Limits of the process itself, and its tie to the program that started it.
//!
//! `RLIMIT_DATA` and not `RLIMIT_AS`: runtimes reserve address space they never touch. There
//! is no limit of processes: it would count everything the user runs, and the list of
//! system calls already decides who may start one.

use rustix::process::{
    Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit,
};

use super::{Fence, Part, part};

pub(super) fn set(fence: &Fence) -> Part {
    let wanted = [
        (Resource::Data, fence.memory_bytes_max),
        (Resource::Fsize, fence.file_bytes_max),
        (Resource::Nofile, fence.open_files_max),
        (Resource::Core, 0),
    ];
    let outcome = wanted.into_iter().try_for_each(|(resource, max)| {
        setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) })
    });
    part(outcome.map(|()| {
        format!(
            "memory {} MiB, files of {} bytes, {} descriptors, no core",
            fence.memory_bytes_max >> 20,
            fence.file_bytes_max,
            fence.open_files_max,
        )
    }))
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
        _ => Part::Unavailable("the parent is already gone".into()),
    }
}
