//! Whom a child runs as when we are root: somebody whom nobody is.
//!
//! Our own engine needs no file, and keeps nothing of root's. What others run on, a Python
//! worker or a server, may have been given files that root alone can reach; it then keeps the
//! one right to reach files whosever they are, and Landlock alone decides which. Where there is
//! no Landlock, nothing is kept.
//!
//! Root of a container whose users are others outside is such a stranger already.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

use super::{Calls, Fence};

/// Numbers that are given to nobody for long; most systems keep them free for such use.
const FIRST: u32 = 61_184;
const COUNT: u32 = 4_336;
const PASSWD_BYTES_MAX: u64 = 1 << 20;
/// What it takes to make somebody a stranger, to give them a folder, and to end them.
const NEEDED: CapabilitySet = CapabilitySet::SETUID
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::CHOWN)
    .union(CapabilitySet::DAC_OVERRIDE);

/// Who our children become; none if we are not root, or may not make anybody a stranger.
pub(crate) fn stranger() -> Option<u32> {
    static STRANGER: OnceLock<Option<u32>> = OnceLock::new();
    let may = || capabilities(None).is_ok_and(|has| has.effective.contains(NEEDED));
    *STRANGER.get_or_init(|| if is_root() && may() { unused() } else { None })
}

/// Root, and not merely called so.
pub(super) fn is_root() -> bool {
    geteuid().is_root() && Map::of("uid_map").is_none_or(|users| users.outside(0) == Some(0))
}

fn unused() -> Option<u32> {
    let named = named();
    let maps = ["uid_map", "gid_map"].map(Map::of);
    let is_there = |number: u32| {
        maps.iter().flatten().all(|numbers| numbers.outside(number).is_some_and(|there| there > 0))
    };
    let start = std::process::id() % COUNT;
    let mut numbers = (0..COUNT).map(|step| FIRST + (start + step) % COUNT);
    numbers.find(|number| !named.contains(number) && is_there(*number))
}

/// The users that have names.
fn named() -> Vec<u32> {
    let path = Path::new("/etc/passwd");
    let is_small = path.metadata().is_ok_and(|file| file.len() <= PASSWD_BYTES_MAX);
    let text = is_small.then(|| std::fs::read_to_string(path).ok()).flatten().unwrap_or_default();
    text.lines().filter_map(|line| line.split(':').nth(2)?.parse().ok()).collect()
}

/// Which numbers there are in this namespace of users, and who they are around it.
struct Map(Vec<[u32; 3]>);

impl Map {
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

/// Who the child becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// It is not root.
    NotNeeded,
    To {
        number: u32,
        keeps: Keeps,
    },
    /// It would be root, without a right of root's.
    Refused(&'static str),
}

/// What is left of root's rights, where Landlock lets it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeps {
    Nothing,
    /// Reading what others may not.
    Reads,
    /// And writing.
    Writes,
}

/// `landlock` is the version that will decide about its files; 0 if none does.
pub(super) fn plan(fence: &Fence, stranger: Option<u32>, landlock: u8) -> Change {
    if !is_root() {
        return Change::NotNeeded;
    }
    let Some(number) = stranger else {
        return Change::Refused(
            "it would run as root, because this root may make nobody another user; \
             run Ghosthand as an ordinary user",
        );
    };
    match needed(fence) {
        Keeps::Nothing => Change::To { number, keeps: Keeps::Nothing },
        keeps if landlock > 0 => Change::To { number, keeps },
        Keeps::Reads | Keeps::Writes => Change::Refused(
            "it would run as root, because what it was given is root's alone and there is no \
             Landlock to keep it to that; run Ghosthand as an ordinary user",
        ),
    }
}

fn needed(fence: &Fence) -> Keeps {
    let is_device = |path: &PathBuf| path.starts_with("/dev");
    let opens = |paths: &[PathBuf], bits| {
        paths.iter().filter(|path| !is_device(path)).all(|path| is_open(path, bits))
    };
    match fence.calls {
        Calls::Engine => Keeps::Nothing,
        // Its workers have folders below one that is root's alone, each its own.
        Calls::Template => Keeps::Reads,
        Calls::Interpreter | Calls::Program | Calls::Networked => {
            match (opens(&fence.files.write, 0o3), opens(&fence.files.read, 0o4)) {
                (false, _) => Keeps::Writes,
                (true, false) => Keeps::Reads,
                (true, true) => Keeps::Nothing,
            }
        }
    }
}

/// Can everybody reach this, and do with it what these bits say?
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
    fn root_of_a_container_is_somebody_else_outside() {
        let check = |map: &str, number, outside| {
            assert_eq!(Map::parse(map).outside(number), outside, "{number} in {map}");
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
