//! Landlock: no path but the listed ones, no TCP, no signals and abstract sockets outwards.

use std::os::fd::OwnedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
    path_beneath_rules,
};

use super::{Calls, Files, Part};

/// The newest rights we know; an older kernel enforces those of them it knows.
const NEWEST: ABI = ABI::V6;

/// The rules as they are handed to a process that takes them on itself; none if this kernel has
/// no Landlock.
pub(super) fn handed_over(files: &Files, calls: Calls) -> Result<Option<OwnedFd>, RulesetError> {
    Ok(ruleset(files, calls)?.into())
}

pub(super) fn restrict(files: &Files, calls: Calls) -> Part {
    match raise(files, calls) {
        Ok(part) => part,
        Err(fault) => Part::Unavailable(fault.to_string()),
    }
}

fn ruleset(files: &Files, calls: Calls) -> Result<RulesetCreated, RulesetError> {
    let any = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let (all_files, network) = (AccessFs::from_all(NEWEST), AccessNet::from_all(NEWEST));
    let handled = match calls {
        Calls::Networked => any.handle_access(all_files)?,
        Calls::Engine | Calls::Program | Calls::Interpreter => {
            any.handle_access(all_files)?.handle_access(network)?
        }
        // Which files they see is decided for each process that it forks.
        Calls::Template => any.handle_access(network)?,
    };
    let made = handled.scope(Scope::from_all(NEWEST))?.create()?;
    if calls == Calls::Template {
        return Ok(made);
    }
    made.add_rules(path_beneath_rules(&files.read, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(&files.write, AccessFs::from_all(NEWEST)))
}

fn raise(files: &Files, calls: Calls) -> Result<Part, RulesetError> {
    let status = ruleset(files, calls)?.restrict_self()?;
    let abi = match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => format!("Landlock ABI {effective_abi}"),
        LandlockStatus::NotEnabled => "Landlock is not enabled in this kernel".to_owned(),
        LandlockStatus::NotImplemented => "this kernel has no Landlock".to_owned(),
    };
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Part::Enforced(format!("{abi}: files, TCP, signals")),
        // Files are in every version; what came later is kept by the list of system calls.
        RulesetStatus::PartiallyEnforced => Part::Enforced(format!("{abi}: files, not all else")),
        RulesetStatus::NotEnforced => Part::Unavailable(abi),
    })
}
