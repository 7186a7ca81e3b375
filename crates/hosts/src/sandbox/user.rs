//! Whom a child runs as when we are root: somebody whom nobody is.
//!
//! Our own engine needs no file and always becomes a stranger. A program of others does if it
//! can write what it was given as a stranger; what it reads it may go on reading, where Landlock
//! lets it, by the one right it then keeps. A Python worker stays root without any capability:
//! its folders are made by us, and Landlock keeps it to them.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::process::geteuid;

use super::{Calls, Fence};

/// Numbers that are given to nobody for long; most systems keep them free for such use.
const FIRST: u32 = 61_184;
const COUNT: u32 = 4_336;
const PASSWD_BYTES_MAX: u64 = 1 << 20;

/// The stranger of this process; none if we are not root, and stay who we are.
pub(crate) fn stranger() -> Option<u32> {
    static STRANGER: OnceLock<Option<u32>> = OnceLock::new();
    *STRANGER.get_or_init(|| geteuid().is_root().then(unused))
}

fn unused() -> u32 {
    let named = named();
    let start = std::process::id() % COUNT;
    let numbers = (0..COUNT).map(|step| FIRST + (start + step) % COUNT);
    numbers.into_iter().find(|number| !named.contains(number)).unwrap_or(FIRST)
}

/// The users that have names.
fn named() -> Vec<u32> {
    let path = Path::new("/etc/passwd");
    let is_small = path.metadata().is_ok_and(|file| file.len() <= PASSWD_BYTES_MAX);
    let text = is_small.then(|| std::fs::read_to_string(path).ok()).flatten().unwrap_or_default();
    text.lines().filter_map(|line| line.split(':').nth(2)?.parse().ok()).collect()
}

/// Who the child becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// It is not root.
    NotNeeded,
    /// Root, without a single right of root's.
    Bare,
    To {
        number: u32,
        /// It reads as root what Landlock lets it.
        reads: bool,
    },
    /// It cannot write this as anybody else.
    Refused(&'static str),
}

pub(super) fn plan(fence: &Fence, stranger: Option<u32>) -> Change {
    let Some(number) = stranger else { return Change::NotNeeded };
    match fence.calls {
        Calls::Engine => Change::To { number, reads: false },
        Calls::Interpreter | Calls::Template => Change::Bare,
        Calls::Program | Calls::Networked => {
            let devices = |path: &&PathBuf| !path.starts_with("/dev");
            if !fence.files.write.iter().filter(devices).all(|path| is_open(path, 0o3)) {
                return Change::Refused(
                    "what it may write belongs to root, so it would run as root",
                );
            }
            let reads = !fence.files.read.iter().all(|path| is_open(path, 0o4));
            Change::To { number, reads }
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
