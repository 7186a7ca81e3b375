//! The processes below one, as the kernel tells.

use std::fs;
use std::path::Path;

use rustix::process::Pid;

/// Never more than this are looked at.
const MEMBERS_MAX: usize = 10_000;

/// A moment's view; processes come and go while it is made.
pub(super) struct Tree(Vec<Pid>);

impl Tree {
    /// All descendants of a process, and not itself.
    pub(super) fn below(pid: Pid) -> Self {
        let mut members = Vec::new();
        let mut unseen = vec![pid];
        while let Some(parent) = unseen.pop() {
            for child in children(parent) {
                if members.len() >= MEMBERS_MAX {
                    return Self(members);
                }
                members.push(child);
                unseen.push(child);
            }
        }
        Self(members)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = Pid> {
        self.0.iter().copied()
    }

    /// With the one that it was asked for.
    pub(super) fn processes(&self) -> u64 {
        self.0.len() as u64 + 1
    }

    /// What they hold in memory; pages that several share count for each.
    pub(super) fn resident_bytes(&self) -> u64 {
        let page = rustix::param::page_size() as u64;
        self.0.iter().map(|pid| resident_pages(*pid) * page).sum()
    }
}

fn children(pid: Pid) -> Vec<Pid> {
    let threads = format!("/proc/{}/task", pid.as_raw_nonzero());
    let Ok(threads) = fs::read_dir(Path::new(&threads)) else { return Vec::new() };
    let lists = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let numbers = |list: String| -> Vec<Pid> {
        let raw = list.split_ascii_whitespace().filter_map(|word| word.parse().ok());
        raw.filter_map(Pid::from_raw).collect()
    };
    lists.flat_map(numbers).collect()
}

/// The second number of `statm`.
fn resident_pages(pid: Pid) -> u64 {
    let path = format!("/proc/{}/statm", pid.as_raw_nonzero());
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
}
