//! Gives up every right that does not come from being some user: capabilities, now and for
//! every program that is started later; and of root, being root.

use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_capabilities_secure_bits, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::user::{Change, Keeps};
use super::{Part, part};

/// Who this process becomes, and what it gives up: the parts `user` and `privileges`. Nothing
/// can be gained again: a program that would gain rights by being started does not, because
/// `no_new_privs` is set.
pub(super) fn give_up(change: Change) -> (Part, Part) {
    let number = rustix::process::geteuid().as_raw();
    let (user, keeps) = match change {
        Change::NotNeeded => {
            (Part::Enforced(format!("user {number}, as who started it")), Keeps::Nothing)
        }
        Change::Refused(because) => (Part::Unavailable(because.to_owned()), Keeps::Nothing),
        Change::To { number, keeps } => match become_user(number) {
            Ok(()) => (Part::Enforced(format!("user {number}, whom nobody is")), keeps),
            Err(fault) => {
                let because = format!("it would run as root, because it cannot change: {fault}");
                (Part::Unavailable(because), Keeps::Nothing)
            }
        },
    };
    let how = match keeps {
        Keeps::Nothing => "no capabilities, and none to gain",
        Keeps::Reads => "no capabilities but to read the files it was given, and none to gain",
        Keeps::Writes => "no capabilities but to reach the files it was given, and none to gain",
    };
    (user, part(drop_all(keeps).map(|()| how.to_owned())))
}

fn become_user(number: u32) -> Result<(), Errno> {
    // Rights are not tied to the number 0 from now on; `access` goes by those that are kept.
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

fn drop_all(keeps: Keeps) -> Result<(), Errno> {
    let kept = match keeps {
        Keeps::Nothing => CapabilitySet::empty(),
        Keeps::Reads => CapabilitySet::DAC_READ_SEARCH,
        Keeps::Writes => CapabilitySet::DAC_OVERRIDE,
    };
    for capability in CapabilitySet::all().difference(kept).iter() {
        match remove_capability_from_bounding_set(capability) {
            // Who may not even take rights away has none. A kernel may be older than the list.
            Ok(()) | Err(Errno::PERM | Errno::INVAL) => {}
            Err(fault) => return Err(fault),
        }
    }
    match clear_ambient_capability_set() {
        Ok(()) | Err(Errno::INVAL) => {}
        Err(fault) => return Err(fault),
    }
    let (effective, permitted, inheritable) = (kept, kept, kept);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable })?;
    for capability in kept.iter() {
        configure_capability_in_ambient_set(capability, true)?;
    }
    Ok(())
}
