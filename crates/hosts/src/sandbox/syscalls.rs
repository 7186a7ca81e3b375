//! Seccomp: an allowlist of system calls for each kind of child; all others fail with `EPERM`.
//!
//! In: [`Calls`], and what the rest of the sandbox enforces ([`FilterContext`]). Out: a filter
//! that the child and its descendants cannot remove.
//!
//! Must hold: calls that take their arguments behind a pointer, where a filter cannot look
//! (`clone3`, `openat2`, `io_uring`), are never allowed. Calls newer than this file fail with
//! `ENOSYS`, so that libraries fall back. Calls of another architecture, or that take over the
//! kernel, kill the process.
//!
//! `libc` is used only for constants; the only call made here installs the filter. Start at
//! [`allowlists`].

mod allowlists;
mod arguments;
mod prologue;

use std::collections::BTreeMap;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, SeccompRule, TargetArch};

use super::{Calls, Protection, protection};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Fault = Box<dyn std::error::Error>;

/// What the filter depends on besides the kind of child.
#[derive(Debug, Clone, Copy)]
pub(super) struct FilterContext {
    /// Whether Landlock confines truncation by name; if not, it is refused.
    pub landlock_confines_truncate: bool,
    /// Whether the operator allows changing modes and times of any file.
    pub modes: bool,
    /// The only process that a child without children may signal.
    pub own: u32,
}

pub(super) fn restrict(calls: Calls, context: FilterContext) -> Protection {
    protection(install(calls, context))
}

fn install(calls: Calls, context: FilterContext) -> Result<String, Fault> {
    let (filter, how) = filter(calls, context)?;
    seccompiler::apply_filter(&filter)?;
    Ok(how)
}

/// The filter and its description.
pub(super) fn filter(calls: Calls, context: FilterContext) -> Result<(BpfProgram, String), Fault> {
    let rules = allowlists::of(calls, context)?;
    let how = format!("seccomp: {} system calls allowed", rules.len());
    Ok((program(rules)?, how))
}

fn program(rules: Rules) -> Result<BpfProgram, Fault> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let list: BpfProgram =
        SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)?.try_into()?;
    // Jumps are relative, so the prologue runs first and falls through.
    let mut program = prologue::instructions();
    program.extend(list);
    Ok(program)
}

#[cfg(test)]
mod tests;
