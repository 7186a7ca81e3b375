//! A fence that a forked process takes on itself: we prepare it, the process puts it on.
//!
//! Landlock's rules travel as a descriptor and the filters of system calls as numbers, so that
//! the process needs no code of ours but two system calls, and builds nothing itself.

use std::os::fd::OwnedFd;

use super::{Fence, Level, Part, files, part, syscalls};

/// What a forked process takes on, and what then holds.
pub(crate) struct Graft {
    /// For `landlock_restrict_self`; none if this kernel has no Landlock.
    pub ruleset: Option<OwnedFd>,
    files: Part,
    abi: u8,
}

impl Fence {
    /// The part that is the same whatever number the process gets.
    pub(crate) fn graft(&self) -> Graft {
        let (ruleset, kept) = files::handed_over(&self.files, self.calls);
        Graft { ruleset, files: kept.part, abi: kept.abi }
    }

    /// The filter for the process of this number, each instruction as the kernel has it in
    /// eight bytes, and whether it can be had.
    pub(crate) fn filters(&self, graft: &Graft, pid: u32) -> (Vec<Vec<u64>>, Part) {
        let truncate_is_kept = graft.abi >= files::TRUNCATE;
        let around = syscalls::Around { truncate_is_kept, modes: self.modes, own: pid };
        match syscalls::filter(self.calls, around) {
            Ok((filter, how)) => (vec![filter.iter().map(packed).collect()], Part::Enforced(how)),
            Err(fault) => (Vec::new(), part::<String>(Err(fault.to_string()))),
        }
    }

    /// What holds in a process that took this on after it was forked from one with `level`.
    pub(crate) fn grafted(&self, graft: &Graft, level: &Level, calls: Part, pid: u32) -> Level {
        let signals = self.signals(graft.abi, &calls, pid);
        Level { files: graft.files.clone(), calls, signals, ..level.clone() }
    }
}

fn packed(instruction: &seccompiler::sock_filter) -> u64 {
    let seccompiler::sock_filter { code, jt, jf, k } = *instruction;
    u64::from(code) | u64::from(jt) << 16 | u64::from(jf) << 24 | u64::from(k) << 32
}
