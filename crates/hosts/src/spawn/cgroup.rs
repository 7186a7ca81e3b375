//! A group of the kernel's (cgroup v2) around all processes of a program, which limits what
//! they hold together.
//!
//! Only where somebody handed us a part of the tree, as systemd does with `Delegate=yes`, and
//! marked it as ours; and where that part has no processes of its own, without which the
//! kernel limits nothing below (`DelegateSubgroup=` sees to that). Elsewhere there is none, and
//! the keeper counts.
//!
//! Must hold: we are in the group only while the program is started, so that it is born there.
//! A group that a killed keeper left behind is empty, and the next one removes it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::getxattr;

use super::keeper::Ceiling;
use crate::private::random_name;

const TREE: &str = "/sys/fs/cgroup";
const PREFIX: &str = "ghosthand-";
/// How whoever manages the tree marks what was handed over; the second is for root alone.
const MARKS: [&str; 2] = ["user.delegate", "trusted.delegate"];
const PROCESSES: &str = "cgroup.procs";
const CONTROLLERS: &str = "cgroup.subtree_control";

pub(super) struct Group {
    path: PathBuf,
    /// Where we were before.
    back: PathBuf,
}

impl Group {
    /// Makes one, and enters it; none where that cannot be had.
    pub(super) fn enter(ceiling: &Ceiling) -> Option<Self> {
        let own = own(&fs::read_to_string("/proc/self/cgroup").ok()?)?;
        let group = Self::below(Path::new(TREE), &own, ceiling)?;
        put(&group.path.join(PROCESSES), "0").ok()?;
        Some(group)
    }

    fn below(tree: &Path, own: &Path, ceiling: &Ceiling) -> Option<Self> {
        let back = tree.join(own);
        let places = [Some(back.clone()), back.parent().map(Path::to_owned)];
        let ours = |place: &PathBuf| place.starts_with(tree) && is_handed_over(place);
        places.into_iter().flatten().filter(ours).find_map(|place| {
            sweep(&place);
            // It may be so already; and if it cannot be, there is nothing to limit with below.
            let _ = put(&place.join(CONTROLLERS), "+memory +pids");
            let path = place.join(format!("{PREFIX}{}", random_name().ok()?));
            fs::create_dir(&path).ok()?;
            match limit(&path, ceiling) {
                Ok(()) => Some(Self { path, back: back.clone() }),
                Err(_) => {
                    let _ = fs::remove_dir(&path);
                    None
                }
            }
        })
    }

    /// Back to where we were; what was started meanwhile stays.
    pub(super) fn leave(&self) -> bool {
        put(&self.back.join(PROCESSES), "0").is_ok()
    }

    /// Was the program killed for its memory?
    pub(super) fn ran_out(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|many| many != "0"))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Whoever is in the group when it is killed dies with it.
        if self.leave() {
            let _ = put(&self.path.join("cgroup.kill"), "1");
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Our own group, as a path below the tree.
fn own(text: &str) -> Option<PathBuf> {
    let path = text.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = Path::new(path);
    let is_plain = path.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    is_plain.then(|| path.to_owned())
}

fn is_handed_over(place: &Path) -> bool {
    let mut value = [0; 8];
    MARKS.iter().any(|mark| {
        getxattr(place, *mark, &mut value).is_ok_and(|length| value.get(..length) == Some(b"1"))
    })
}

fn limit(group: &Path, ceiling: &Ceiling) -> io::Result<()> {
    put(&group.join("memory.max"), &ceiling.bytes.to_string())?;
    put(&group.join("pids.max"), &ceiling.processes.to_string())?;
    // All of them end, or none; and not every system swaps.
    put(&group.join("memory.oom.group"), "1")?;
    let _ = put(&group.join("memory.swap.max"), "0");
    Ok(())
}

/// Removes what is empty and nobody's.
fn sweep(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(PREFIX));
    for entry in entries.filter(|entry| ours(&entry.file_name())) {
        let _ = fs::remove_dir(entry.path());
    }
}

/// Files here are the kernel's: one that is missing is not made.
fn put(file: &Path, text: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CEILING: Ceiling = Ceiling { processes: 256, bytes: 1 << 30 };

    #[test]
    fn our_own_group_is_read_as_the_kernel_tells_it() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(own(text), expected.map(PathBuf::from), "{text}");
        };
        check(
            "0::/system.slice/ghosthand.service/main\n",
            Some("system.slice/ghosthand.service/main"),
        );
        check("4:memory:/a\n0::/\n", Some(""));
        check("4:memory:/a\n", None);
        check("0::/../outside\n", None);
    }

    #[test]
    fn limits_are_written_where_the_kernel_has_them_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(limit(folder.path(), &CEILING).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
        for name in ["memory.max", "pids.max", "memory.oom.group"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        limit(folder.path(), &CEILING).unwrap();
        assert_eq!((read("memory.max"), read("pids.max")), ("1073741824".into(), "256".into()));
        assert_eq!(read("memory.oom.group"), "1");
    }

    #[test]
    fn without_a_part_of_the_tree_that_is_ours_there_is_none_and_nothing_is_left() {
        let tree = tempfile::tempdir().unwrap();
        let service = tree.path().join("a.service");
        fs::create_dir_all(service.join("main")).unwrap();
        fs::create_dir_all(service.join("ghosthand-left")).unwrap();
        let make = || Group::below(tree.path(), Path::new("a.service/main"), &CEILING).is_some();
        let names = || fs::read_dir(&service).unwrap().count();
        assert!(!make());
        assert_eq!(names(), 2, "what is not ours is not touched");
        let mark = rustix::fs::setxattr(&service, MARKS[0], b"1", rustix::fs::XattrFlags::empty());
        if mark.is_ok() {
            assert!(!make(), "the kernel limits nothing here");
            assert_eq!(names(), 1, "what a killed keeper left is gone, and so is what was tried");
        }
    }
}
