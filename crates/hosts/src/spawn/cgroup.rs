//! A cgroup (v2) that limits the processes of a program together.
//!
//! Only possible where a part of the cgroup tree is delegated to us, as with systemd's
//! `Delegate=yes`, and has no processes itself (`DelegateSubgroup=`). Elsewhere the supervisor
//! counts.
//!
//! Must hold: we are in the cgroup only while the program is started, so that it starts there. A
//! cgroup that a killed supervisor left behind is empty, and the next one removes it.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::getxattr;

use super::supervisor::TreeLimits;
use crate::scratch_dir::random_name;

const TREE: &str = "/sys/fs/cgroup";
const PREFIX: &str = "ghosthand-";
/// How a delegated part of the tree is marked; the second attribute is visible only to root.
const MARKS: [&str; 2] = ["user.delegate", "trusted.delegate"];
const PROCESSES: &str = "cgroup.procs";
const CONTROLLERS: &str = "cgroup.subtree_control";

pub(super) struct Cgroup {
    path: PathBuf,
    /// Our previous cgroup.
    back: PathBuf,
}

impl Cgroup {
    /// Creates a cgroup and enters it, where that is possible.
    pub(super) fn enter(limits: &TreeLimits) -> Option<Self> {
        let own = own(&fs::read_to_string("/proc/self/cgroup").ok()?)?;
        let group = Self::below(Path::new(TREE), &own, limits)?;
        put(&group.path.join(PROCESSES), "0").ok()?;
        Some(group)
    }

    fn below(tree: &Path, own: &Path, limits: &TreeLimits) -> Option<Self> {
        let back = tree.join(own);
        let places = [Some(back.clone()), back.parent().map(Path::to_owned)];
        let ours = |place: &PathBuf| place.starts_with(tree) && is_handed_over(place);
        places.into_iter().flatten().filter(ours).find_map(|place| {
            sweep(&place);
            // May be enabled already; if it cannot be, writing the limits fails below.
            let _ = put(&place.join(CONTROLLERS), "+memory +pids");
            let path = place.join(format!("{PREFIX}{}", random_name().ok()?));
            fs::create_dir(&path).ok()?;
            match limit(&path, limits) {
                Ok(()) => Some(Self { path, back: back.clone() }),
                Err(_) => {
                    let _ = fs::remove_dir(&path);
                    None
                }
            }
        })
    }

    /// Returns to our previous cgroup; started processes stay.
    pub(super) fn leave(&self) -> bool {
        put(&self.back.join(PROCESSES), "0").is_ok()
    }

    /// Whether the program was killed for its memory.
    pub(super) fn ran_out(&self) -> bool {
        let events = fs::read_to_string(self.path.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|many| many != "0"))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // Killing the cgroup would kill us while we are in it.
        if self.leave() {
            let _ = put(&self.path.join("cgroup.kill"), "1");
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Our own cgroup, relative to the root of the tree.
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

fn limit(group: &Path, limits: &TreeLimits) -> io::Result<()> {
    put(&group.join("memory.max"), &limits.bytes.to_string())?;
    put(&group.join("pids.max"), &limits.processes.to_string())?;
    // The whole group is killed together. Not every system has swap.
    put(&group.join("memory.oom.group"), "1")?;
    let _ = put(&group.join("memory.swap.max"), "0");
    Ok(())
}

/// Removes empty cgroups that were left behind.
fn sweep(place: &Path) {
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let ours = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(PREFIX));
    for entry in entries.filter(|entry| ours(&entry.file_name())) {
        let _ = fs::remove_dir(entry.path());
    }
}

/// Writes to an existing kernel file; never creates one.
fn put(file: &Path, text: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: TreeLimits = TreeLimits { processes: 256, bytes: 1 << 30 };

    #[test]
    fn our_own_cgroup_is_read_from_the_kernel() {
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
    fn limits_are_written_only_to_existing_kernel_files() {
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(limit(folder.path(), &LIMITS).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
        for name in ["memory.max", "pids.max", "memory.oom.group"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        limit(folder.path(), &LIMITS).unwrap();
        assert_eq!((read("memory.max"), read("pids.max")), ("1073741824".into(), "256".into()));
        assert_eq!(read("memory.oom.group"), "1");
    }

    #[test]
    fn without_a_delegated_tree_no_cgroup_is_created_and_nothing_is_left() {
        let tree = tempfile::tempdir().unwrap();
        let service = tree.path().join("a.service");
        fs::create_dir_all(service.join("main")).unwrap();
        fs::create_dir_all(service.join("ghosthand-left")).unwrap();
        let make = || Cgroup::below(tree.path(), Path::new("a.service/main"), &LIMITS).is_some();
        let names = || fs::read_dir(&service).unwrap().count();
        assert!(!make());
        assert_eq!(names(), 2, "other cgroups are not touched");
        let mark = rustix::fs::setxattr(&service, MARKS[0], b"1", rustix::fs::XattrFlags::empty());
        if mark.is_ok() {
            assert!(!make(), "the kernel limits nothing here");
            assert_eq!(
                names(),
                1,
                "the leftover of a killed supervisor is gone, and so is the attempt"
            );
        }
    }
}
