//! A sandbox that we prepare and a forked process applies to itself.
//!
//! The Landlock ruleset is passed as a descriptor and the system call filter as bytes, so the
//! process only makes two system calls and builds nothing itself.

use std::os::fd::OwnedFd;

use contract::hex;

use super::{Level, Protection, Sandbox, files, protection, syscalls};

/// What a forked process applies, and what it then enforces.
pub(crate) struct PreparedSandbox {
    /// For `landlock_restrict_self`; `None` if this kernel has no Landlock.
    pub ruleset: Option<OwnedFd>,
    files: Protection,
    abi: u8,
}

impl Sandbox {
    /// The part that does not depend on the process id.
    pub(crate) fn prepare(&self) -> PreparedSandbox {
        let (ruleset, landlock) = files::ruleset_for_fork(&self.files, self.calls);
        PreparedSandbox { ruleset, files: landlock.part, abi: landlock.abi }
    }

    /// The filter for the process with this id in hexadecimal, eight bytes per instruction, and
    /// whether it is available.
    pub(crate) fn filters(&self, prepare: &PreparedSandbox, pid: u32) -> (Vec<String>, Protection) {
        let landlock_confines_truncate = prepare.abi >= files::TRUNCATE;
        let context =
            syscalls::FilterContext { landlock_confines_truncate, modes: self.modes, own: pid };
        match syscalls::filter(self.calls, context) {
            Ok((filter, how)) => {
                let filter: Vec<u8> = filter.iter().flat_map(bytes).collect();
                (vec![hex(&filter)], Protection::Enforced(how))
            }
            Err(fault) => (Vec::new(), protection::<String>(Err(fault.to_string()))),
        }
    }

    /// The level of a process that applied this after being forked from one with `level`.
    pub(crate) fn level_when_applied(
        &self,
        prepare: &PreparedSandbox,
        level: &Level,
        calls: Protection,
        pid: u32,
    ) -> Level {
        let signals = self.signals(prepare.abi, &calls, pid);
        Level { files: prepare.files.clone(), calls, signals, ..level.clone() }
    }
}

fn bytes(instruction: &seccompiler::sock_filter) -> [u8; 8] {
    let seccompiler::sock_filter { code, jt, jf, k } = *instruction;
    let ([c0, c1], [k0, k1, k2, k3]) = (code.to_ne_bytes(), k.to_ne_bytes());
    [c0, c1, jt, jf, k0, k1, k2, k3]
}
