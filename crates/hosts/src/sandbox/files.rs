//! Landlock: only the listed paths, no TCP, no signals or abstract sockets to the outside.
//!
//! Every version of Landlock confines reading, writing and creating files. Later additions:
//!
//! | ABI | confines | before it |
//! | --- | --- | --- |
//! | 2 | moving files between folders | always refused |
//! | 3 | truncating | system call filter: not by name, not when opened for reading |
//! | 4 | TCP | system call filter: no sockets |
//! | 5 | device ioctls | system call filter: a few harmless ones |
//! | 6 | signals, abstract sockets | [`super::Level::signals`]; no sockets of that family |

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    path_beneath_rules,
};

use super::{Calls, Files, Protection};

/// The newest version we know; an older kernel enforces what it can.
pub const LANDLOCK_NEWEST: u8 = 6;
/// The versions that introduced these.
pub(super) const TRUNCATE: u8 = 3;
const TCP: u8 = 4;
pub(super) const SIGNALS: u8 = 6;

static PRETENDED: AtomicU8 = AtomicU8::new(LANDLOCK_NEWEST);

/// Restricts children of this process as a kernel with this version would, to test old kernels.
/// Can only be lowered.
pub fn pretend_landlock(abi: u8) {
    PRETENDED.fetch_min(abi, Relaxed);
}

pub(crate) fn pretended_landlock() -> u8 {
    PRETENDED.load(Relaxed)
}

/// What Landlock enforces in a process.
pub(super) struct Landlocked {
    pub part: Protection,
    /// The enforced version; 0 if none.
    pub abi: u8,
}

/// The ruleset for a process that restricts itself, and what it enforces; none if this kernel has
/// no Landlock.
pub(super) fn ruleset_for_fork(files: &Files, calls: Calls) -> (Option<OwnedFd>, Landlocked) {
    let newest = pretended_landlock();
    if newest == 0 {
        return (None, missing("this kernel's Landlock does not support it"));
    }
    match rules(files, calls, newest).map(Option::<OwnedFd>::from) {
        Ok(Some(ruleset)) => {
            let abi = version(newest);
            (
                Some(ruleset),
                Landlocked { part: Protection::Enforced(format!("Landlock ABI {abi}")), abi },
            )
        }
        Ok(None) => (None, missing("this kernel has no Landlock")),
        Err(fault) => (None, missing(&fault.to_string())),
    }
}

/// The newest version that both this kernel and we support.
pub(super) fn version(newest: u8) -> u8 {
    let handles = |abi: u8| {
        let wanted = AccessFs::from_all(ABI::from(i32::from(abi)));
        let newest = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let newest = newest.handle_access(wanted);
        let newest = match abi >= SIGNALS {
            true => {
                newest.and_then(|rules| rules.scope(Scope::from_all(ABI::from(i32::from(abi)))))
            }
            false => newest,
        };
        newest.and_then(Ruleset::create).is_ok()
    };
    (1..=newest.min(LANDLOCK_NEWEST)).rev().find(|abi| handles(*abi)).unwrap_or(0)
}

pub(super) fn restrict(files: &Files, calls: Calls, abi_max: u8) -> Landlocked {
    let raised = apply(files, calls, abi_max.min(LANDLOCK_NEWEST));
    raised.unwrap_or_else(|fault| missing(&fault.to_string()))
}

/// The rules for this version, or for an older one if the kernel is older.
fn rules(files: &Files, calls: Calls, newest: u8) -> Result<RulesetCreated, RulesetError> {
    let abi = ABI::from(i32::from(newest));
    let mut handled = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    // The files of a template's workers are decided for each of them.
    if calls != Calls::Template {
        handled = handled.handle_access(AccessFs::from_all(abi))?;
    }
    if newest >= TCP && calls != Calls::Networked {
        handled = handled.handle_access(AccessNet::from_all(abi))?;
    }
    if newest >= SIGNALS {
        handled = handled.scope(Scope::from_all(abi))?;
    }
    let made = handled.create()?;
    if calls == Calls::Template {
        return Ok(made);
    }
    made.add_rules(path_beneath_rules(&files.read, AccessFs::from_read(abi)))?
        .add_rules(path_beneath_rules(&files.write, AccessFs::from_all(abi)))
}

fn apply(files: &Files, calls: Calls, newest: u8) -> Result<Landlocked, RulesetError> {
    // Before TCP support, a template has nothing to restrict.
    if newest == 0 || (calls == Calls::Template && newest < TCP) {
        return Ok(missing("this kernel's Landlock does not support it"));
    }
    let status = rules(files, calls, newest)?.restrict_self()?;
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => newest.min(effective_abi as u8),
        LandlockStatus::NotEnabled => return Ok(missing("Landlock is not enabled in this kernel")),
        LandlockStatus::NotImplemented => return Ok(missing("this kernel has no Landlock")),
    };
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => {
            Landlocked { part: Protection::Enforced(format!("Landlock ABI {abi}")), abi }
        }
        RulesetStatus::NotEnforced => missing("Landlock is not enforced"),
    })
}

fn missing(because: &str) -> Landlocked {
    Landlocked { part: Protection::Unavailable(because.to_owned()), abi: 0 }
}
