//! Landlock: no path but the listed ones, no TCP, no signals and abstract sockets outwards.
//!
//! Every version of Landlock keeps reading, writing and making files. What came later:
//!
//! | ABI | keeps | before it |
//! | --- | --- | --- |
//! | 2 | moving files between folders | refused altogether |
//! | 3 | truncating | the list of system calls: none by name, none that is open for reading |
//! | 4 | TCP | the list of system calls: no socket |
//! | 5 | orders to devices | the list of system calls: a few questions |
//! | 6 | signals, abstract sockets | [`super::Level::signals`]; no socket of that family |

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    path_beneath_rules,
};

use super::{Calls, Files, Part};

/// The newest rights we know; an older kernel enforces those of them it knows.
pub const LANDLOCK_NEWEST: u8 = 6;
/// From which version on it keeps these.
pub(super) const TRUNCATE: u8 = 3;
const TCP: u8 = 4;
pub(super) const SIGNALS: u8 = 6;

static PRETENDED: AtomicU8 = AtomicU8::new(LANDLOCK_NEWEST);

/// From now on, children of this process are restricted as a kernel with this version would
/// do it: for tests of old kernels. It can only go down.
pub fn pretend_landlock(abi: u8) {
    PRETENDED.fetch_min(abi, Relaxed);
}

pub(crate) fn pretended_landlock() -> u8 {
    PRETENDED.load(Relaxed)
}

/// What Landlock keeps in this process.
pub(super) struct Kept {
    pub part: Part,
    /// The version whose rights are enforced; 0 if none are.
    pub abi: u8,
}

/// The rules as they are handed to a process that takes them on itself, and what they keep
/// there; none if this kernel has no Landlock.
pub(super) fn handed_over(files: &Files, calls: Calls) -> (Option<OwnedFd>, Kept) {
    let newest = pretended_landlock();
    if newest == 0 {
        return (None, missing("this kernel has no Landlock for it"));
    }
    match rules(files, calls, newest).map(Option::<OwnedFd>::from) {
        Ok(Some(ruleset)) => {
            let abi = version(newest);
            (Some(ruleset), Kept { part: Part::Enforced(format!("Landlock ABI {abi}")), abi })
        }
        Ok(None) => (None, missing("this kernel has no Landlock")),
        Err(fault) => (None, missing(&fault.to_string())),
    }
}

/// The version that this kernel has, of those that we know and may use.
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

pub(super) fn restrict(files: &Files, calls: Calls, abi_max: u8) -> Kept {
    let raised = raise(files, calls, abi_max.min(LANDLOCK_NEWEST));
    raised.unwrap_or_else(|fault| missing(&fault.to_string()))
}

/// The rules as a kernel with this version would have them, or an older one if it is older.
fn rules(files: &Files, calls: Calls, newest: u8) -> Result<RulesetCreated, RulesetError> {
    let abi = ABI::from(i32::from(newest));
    let mut handled = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    // Which files the workers of a template see is decided for each of them.
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

fn raise(files: &Files, calls: Calls, newest: u8) -> Result<Kept, RulesetError> {
    // A template has nothing to keep where Landlock knows files alone.
    if newest == 0 || (calls == Calls::Template && newest < TCP) {
        return Ok(missing("this kernel has no Landlock for it"));
    }
    let status = rules(files, calls, newest)?.restrict_self()?;
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => newest.min(effective_abi as u8),
        LandlockStatus::NotEnabled => return Ok(missing("Landlock is not enabled in this kernel")),
        LandlockStatus::NotImplemented => return Ok(missing("this kernel has no Landlock")),
    };
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => {
            Kept { part: Part::Enforced(format!("Landlock ABI {abi}")), abi }
        }
        RulesetStatus::NotEnforced => missing("Landlock is not enforced"),
    })
}

fn missing(because: &str) -> Kept {
    Kept { part: Part::Unavailable(because.to_owned()), abi: 0 }
}
