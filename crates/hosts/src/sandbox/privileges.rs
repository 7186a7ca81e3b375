//! Gives up every right that does not come from being some user: capabilities, now and for
//! every program that is started later; and of root, being root.

use rustix::fs::{Gid, Uid};
use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    configure_capability_in_ambient_set, remove_capability_from_bounding_set, set_capabilities,
    set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};

use super::user::Change;
use super::{Part, part};

/// Nothing is left to give up when this comes back, and nothing can be gained again: a
/// program that would gain rights by being started does not, because `no_new_privs` is set.
pub(super) fn drop_all(change: Change) -> Part {
    part(give_up(change).map(|kept| match kept.is_empty() {
        true => "no capabilities, and none to gain".to_owned(),
        false => "no capabilities but to read what it was given, and none to gain".to_owned(),
    }))
}

/// Who this process is now, in words.
pub(super) fn user(change: Change) -> Part {
    let number = rustix::process::geteuid().as_raw();
    match change {
        Change::NotNeeded => Part::Enforced(format!("user {number}, as who started it")),
        Change::Bare => Part::Enforced("root without a right of root's".to_owned()),
        Change::To { number: wanted, .. } if wanted == number => {
            Part::Enforced(format!("user {number}, whom nobody is"))
        }
        Change::To { .. } => Part::Unavailable("it could not become another user".to_owned()),
        Change::Refused(because) => Part::Unavailable(because.to_owned()),
    }
}

fn give_up(change: Change) -> Result<CapabilitySet, Errno> {
    let kept = match change {
        Change::To { reads: true, .. } => CapabilitySet::DAC_READ_SEARCH,
        _ => CapabilitySet::empty(),
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
    if let Change::To { number, .. } = change {
        let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
        set_keep_capabilities(true)?;
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        set_thread_res_uid(user, user, user)?;
    }
    let (effective, permitted, inheritable) = (kept, kept, kept);
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable })?;
    if !kept.is_empty() {
        configure_capability_in_ambient_set(kept, true)?;
    }
    Ok(kept)
}
