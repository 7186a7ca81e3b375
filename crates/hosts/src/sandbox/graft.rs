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
    pub files: Part,
}

impl Fence {
    /// The part that is the same whatever number the process gets.
    pub(crate) fn graft(&self) -> Graft {
        match files::handed_over(&self.files, self.calls) {
            Ok(Some(ruleset)) => {
                let files = Part::Enforced("Landlock: files, TCP, signals".to_owned());
                Graft { ruleset: Some(ruleset), files }
            }
            Ok(None) => {
                let files = Part::Unavailable("this kernel has no Landlock".to_owned());
                Graft { ruleset: None, files }
            }
            Err(fault) => Graft { ruleset: None, files: Part::Unavailable(fault.to_string()) },
        }
    }

    /// The filters for the process of this number, each instruction as the kernel has it in
    /// eight bytes, and whether they can be had.
    pub(crate) fn filters(&self, pid: u32) -> (Vec<Vec<u64>>, Part) {
        match syscalls::filters(self.calls, pid) {
            Ok((filters, how)) => {
                let packed = filters.iter().map(|filter| filter.iter().map(packed).collect());
                (packed.collect(), Part::Enforced(how))
            }
            Err(fault) => (Vec::new(), part::<String>(Err(fault.to_string()))),
        }
    }
}

impl Graft {
    /// What holds in a process that took this on after it was forked from one with `level`.
    pub(crate) fn level(&self, level: &Level, calls: Part) -> Level {
        Level { files: self.files.clone(), calls, ..level.clone() }
    }
}

fn packed(instruction: &seccompiler::sock_filter) -> u64 {
    let seccompiler::sock_filter { code, jt, jf, k } = *instruction;
    u64::from(code) | u64::from(jt) << 16 | u64::from(jf) << 24 | u64::from(k) << 32
}
