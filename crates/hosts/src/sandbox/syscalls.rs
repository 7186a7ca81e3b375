//! Seccomp: the system calls a child may make. A list for each kind of child; whatever is not
//! on it is answered with `EPERM`.
//!
//! In: [`Calls`], and what the rest of the fence can hold ([`Around`]). Out: one filter, which
//! no thread or program of the child can take off again.
//!
//! Must hold: a call that takes its orders behind a pointer, where no filter can look
//! (`clone3`, `openat2`, `io_uring`), is on no list. What is newer than this file is answered
//! with `ENOSYS`, so that libraries do it the old way. A call of another machine's numbering,
//! or one that takes over the kernel, ends the process.
//!
//! `libc` is used for the numbers only; no call is made here but the one that installs the
//! filter. Start at [`lists`] to see who may do what.

mod arguments;
mod gate;
mod lists;

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch};

use super::{Calls, Part, part};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Fault = Box<dyn std::error::Error>;

/// What the list depends on besides the kind of child.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    /// Landlock says which files may be cut off by their names; otherwise none may.
    pub truncate_is_kept: bool,
    /// The operator lets it change modes and times of files, whosever they are.
    pub modes: bool,
    /// The one process that a child without others may signal.
    pub own: u32,
}

pub(super) fn restrict(calls: Calls, around: Around) -> Part {
    part(install(calls, around))
}

fn install(calls: Calls, around: Around) -> Result<String, Fault> {
    let (filter, how) = filter(calls, around)?;
    seccompiler::apply_filter(&filter)?;
    Ok(how)
}

/// The filter, and how people are told of it.
pub(super) fn filter(calls: Calls, around: Around) -> Result<(BpfProgram, String), Fault> {
    let rules = lists::of(calls, around)?;
    let how = format!("seccomp: {} system calls allowed", rules.len());
    Ok((program(rules)?, how))
}

fn program(rules: Rules) -> Result<BpfProgram, Fault> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let list: BpfProgram =
        SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)?.try_into()?;
    // All jumps are relative: what comes in front runs first and falls through.
    let mut program = gate::instructions();
    program.extend(list);
    Ok(program)
}

#[cfg(test)]
mod tests;
