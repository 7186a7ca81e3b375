//! The user that a child runs as when we are root: an unused uid.
//!
//! Our JavaScript engine needs no files and keeps no privileges. A Python worker or a server may
//! be given files that only root can access; it then keeps the capability to access any file, and
//! Landlock confines it to the given ones. Without Landlock it keeps nothing.
//!
//! Root of a container that is mapped to another user outside is not treated as root.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

use super::{Calls, Sandbox};

/// A range that most systems keep free for dynamic users.
const FIRST: u32 = 61_184;
const COUNT: u32 = 4_336;
const PASSWD_BYTES_MAX: u64 = 1 << 20;
/// Needed to change the user, to give it a folder, and to kill its processes.
const NEEDED: CapabilitySet = CapabilitySet::SETUID
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::CHOWN)
    .union(CapabilitySet::DAC_OVERRIDE);

/// The uid for our children; `None` if we are not root or lack the capabilities.
pub(crate) fn unprivileged_uid() -> Option<u32> {
    static UID: OnceLock<Option<u32>> = OnceLock::new();
    let may = || capabilities(None).is_ok_and(|has| has.effective.contains(NEEDED));
    *UID.get_or_init(|| if is_root() && may() { unused() } else { None })
}

/// Whether we are really root, outside of any user namespace too.
pub(super) fn is_root() -> bool {
    geteuid().is_root() && IdMap::of("uid_map").is_none_or(|users| users.outside(0) == Some(0))
}

fn unused() -> Option<u32> {
    let named = named();
    let maps = ["uid_map", "gid_map"].map(IdMap::of);
    let is_there = |number: u32| {
        maps.iter().flatten().all(|numbers| numbers.outside(number).is_some_and(|there| there > 0))
    };
    let start = std::process::id() % COUNT;
    let mut numbers = (0..COUNT).map(|step| FIRST + (start + step) % COUNT);
    numbers.find(|number| !named.contains(number) && is_there(*number))
}

/// The uids of named users.
fn named() -> Vec<u32> {
    let path = Path::new("/etc/passwd");
    let is_small = path.metadata().is_ok_and(|file| file.len() <= PASSWD_BYTES_MAX);
    let text = is_small.then(|| std::fs::read_to_string(path).ok()).flatten().unwrap_or_default();
    text.lines().filter_map(|line| line.split(':').nth(2)?.parse().ok()).collect()
}

/// An id mapping of a user namespace.
struct IdMap(Vec<[u32; 3]>);

impl IdMap {
    fn of(name: &str) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/self/{name}")).ok()?;
        Some(Self::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut numbers = line.split_ascii_whitespace().map(|word| word.parse().ok());
            Some([numbers.next()??, numbers.next()??, numbers.next()??])
        };
        Self(text.lines().filter_map(line).collect())
    }

    fn outside(&self, number: u32) -> Option<u32> {
        self.0.iter().find_map(|[inside, outside, count]| {
            let step = number.checked_sub(*inside)?;
            if step < *count { outside.checked_add(step) } else { None }
        })
    }
}

/// The user that the child changes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UserChange {
    /// It is not root.
    NotNeeded,
    To {
        number: u32,
        keeps: KeptRights,
    },
    /// It would stay root, without capabilities.
    Refused(&'static str),
}

/// The capabilities that it keeps, confined by Landlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptRights {
    Nothing,
    /// Read any file.
    Reads,
    /// Read and write any file.
    Writes,
}

/// `landlock` is the version that confines its files; 0 if none.
pub(super) fn plan(sandbox: &Sandbox, unprivileged_uid: Option<u32>, landlock: u8) -> UserChange {
    if !is_root() {
        return UserChange::NotNeeded;
    }
    let Some(number) = unprivileged_uid else {
        return UserChange::Refused(
            "it would run as root, because this root lacks the capabilities to change the user; \
             run Ghosthand as an ordinary user",
        );
    };
    match needed(sandbox) {
        KeptRights::Nothing => UserChange::To { number, keeps: KeptRights::Nothing },
        keeps if landlock > 0 => UserChange::To { number, keeps },
        KeptRights::Reads | KeptRights::Writes => UserChange::Refused(
            "it would run as root, because only root can access its files and there is no \
             Landlock to confine it to them; run Ghosthand as an ordinary user",
        ),
    }
}

fn needed(sandbox: &Sandbox) -> KeptRights {
    let is_device = |path: &PathBuf| path.starts_with("/dev");
    let opens = |paths: &[PathBuf], bits| {
        paths.iter().filter(|path| !is_device(path)).all(|path| is_open(path, bits))
    };
    match sandbox.calls {
        Calls::Engine => KeptRights::Nothing,
        // Its workers have separate folders below one that only root can enter.
        Calls::Template => KeptRights::Reads,
        Calls::Interpreter | Calls::Program | Calls::Networked => {
            match (opens(&sandbox.files.write, 0o3), opens(&sandbox.files.read, 0o4)) {
                (false, _) => KeptRights::Writes,
                (true, false) => KeptRights::Reads,
                (true, true) => KeptRights::Nothing,
            }
        }
    }
}

/// Whether everyone can reach the path with these permission bits.
fn is_open(path: &Path, bits: u32) -> bool {
    let mode = |path: &Path| path.metadata().map_or(0, |found| found.mode());
    let folders = path.ancestors().skip(1);
    let is_folder = mode(path) & 0o170_000 == 0o040_000;
    let wanted = if is_folder { bits | 0o1 } else { bits & !0o1 };
    mode(path) & wanted == wanted && folders.into_iter().all(|folder| mode(folder) & 0o1 == 0o1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_of_a_container_is_another_user_outside() {
        let check = |map: &str, number, outside| {
            assert_eq!(IdMap::parse(map).outside(number), outside, "{number} in {map}");
        };
        check("         0          0 4294967295\n", 0, Some(0));
        check("         0          0 4294967295\n", 61_200, Some(61_200));
        check("0 1000 1", 0, Some(1000));
        check("0 1000 1", 61_200, None);
        check("0 1000 1\n1 100000 65536", 61_200, Some(161_199));
        check("1000 0 1", 0, None);
        check("nonsense", 0, None);
    }
}
