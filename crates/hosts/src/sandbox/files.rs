//! Landlock: no path but the listed ones, no TCP, no signals and abstract sockets outwards.

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Calls, Files, Part};

/// The newest rights we know; an older kernel enforces those of them it knows.
const NEWEST: ABI = ABI::V6;

pub(super) fn restrict(files: &Files, calls: Calls) -> Part {
    match raise(files, calls) {
        Ok(part) => part,
        Err(fault) => Part::Unavailable(fault.to_string()),
    }
}

fn raise(files: &Files, calls: Calls) -> Result<Part, RulesetError> {
    let files_only = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?;
    let handled = match calls {
        Calls::Networked => files_only,
        Calls::Engine | Calls::Program | Calls::Interpreter => {
            files_only.handle_access(AccessNet::from_all(NEWEST))?
        }
    };
    let status = handled
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(&files.read, AccessFs::from_read(NEWEST)))?
        .add_rules(path_beneath_rules(&files.write, AccessFs::from_all(NEWEST)))?
        .restrict_self()?;
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
