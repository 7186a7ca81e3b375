//! Drops capabilities, for this process and every program it starts, and changes from root to an
//! unprivileged user.

use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::user::{KeptRights, UserChange};
use super::{Protection, protection};

/// Changes the user and drops privileges; returns the protections `user` and `privileges`.
/// `no_new_privs` is set, so executing a program cannot regain them.
pub(super) fn give_up(change: UserChange) -> (Protection, Protection) {
    let number = rustix::process::geteuid().as_raw();
    let (user, keeps) = match change {
        UserChange::NotNeeded => (
            Protection::Enforced(format!("user {number}, the same as its parent")),
            KeptRights::Nothing,
        ),
        UserChange::Refused(because) => {
            (Protection::Unavailable(because.to_owned()), KeptRights::Nothing)
        }
        UserChange::To { number, keeps } => match become_user(number) {
            Ok(()) => (Protection::Enforced(format!("user {number}, otherwise unused")), keeps),
            Err(fault) => {
                let because =
                    format!("it would run as root, because it cannot change the user: {fault}");
                (Protection::Unavailable(because), KeptRights::Nothing)
            }
        },
    };
    let how = match keeps {
        KeptRights::Nothing => "no capabilities, and none can be gained",
        KeptRights::Reads => "only the capability to read its allowed files",
        KeptRights::Writes => "only the capability to access its allowed files",
    };
    (user, protection(drop_all(keeps).map(|()| how.to_owned())))
}

fn become_user(number: u32) -> Result<(), Errno> {
    // Decouples capabilities from uid 0; `access` then checks the kept ones.
    let untied = CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED;
    set_capabilities_secure_bits(untied)?;
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    set_thread_groups(&[])?;
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)
}

fn drop_all(keeps: KeptRights) -> Result<(), Errno> {
    let keep_set = match keeps {
        KeptRights::Nothing => CapabilitySet::empty(),
        KeptRights::Reads => CapabilitySet::DAC_READ_SEARCH,
        KeptRights::Writes => CapabilitySet::DAC_OVERRIDE,
    };
    for capability in CapabilitySet::all().difference(keep_set).iter() {
        match remove_capability_from_bounding_set(capability) {
            // Without the right to drop capabilities there are none. The kernel may not know all
            // of them.
            Ok(()) | Err(Errno::PERM | Errno::INVAL) => {}
            Err(fault) => return Err(fault),
        }
    }
    match clear_ambient_capability_set() {
        Ok(()) | Err(Errno::INVAL) => {}
        Err(fault) => return Err(fault),
    }
    let (effective, permitted, inheritable) = (keep_set, keep_set, keep_set);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable })?;
    for capability in keep_set.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
