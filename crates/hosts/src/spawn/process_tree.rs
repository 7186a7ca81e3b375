//! The descendants of a process, from /proc.

use std::fs;
use std::path::Path;

use rustix::process::Pid;

/// At most this many are collected.
const MEMBERS_MAX: usize = 10_000;

/// A snapshot; processes may come and go meanwhile.
pub(super) struct ProcessTree(Vec<Pid>);

impl ProcessTree {
    /// All descendants of a process, without itself.
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

    /// Including the process itself.
    pub(super) fn processes(&self) -> u64 {
        self.0.len() as u64 + 1
    }

    /// Resident memory; shared pages count for each process.
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

/// The second field of `statm`.
fn resident_pages(pid: Pid) -> u64 {
    let path = format!("/proc/{}/statm", pid.as_raw_nonzero());
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
}
