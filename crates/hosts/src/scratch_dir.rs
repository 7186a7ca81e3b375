//! Private folders for the files that workers write and the code they read, below a base folder
//! that only this user can enter.
//!
//! ```text
//!     base/              0700, owner checked by descriptor; created if missing
//!     ├── lock           held while a run folder is created or removed
//!     └── run-RANDOM/    one for each host of a running process
//!         ├── lock       held as long as that process lives
//!         └── scratch-RANDOM/, code-RANDOM/
//! ```
//!
//! Must hold: names are unpredictable, links are not followed, and nothing outside is written or
//! removed, whatever others plant. A run folder whose lock is free was left by a crash, and the
//! next process removes it. Process ids are not used, because they are recycled.

mod quota;
mod remove;

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Gid, Mode, OFlags, Uid, fchown, flock, fstat,
    mkdirat, openat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use rustix::rand::{GetRandomFlags, getrandom};

pub(crate) use quota::{Excess, Quota};

const LOCK: &str = "lock";
const RUN_DIR_PREFIX: &str = "run-";
/// Opens a folder without following links.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const LOCK_FILE: OFlags =
    OFlags::RDWR.union(OFlags::CREATE).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The first of these folders that is private, created if missing. The error lists what is wrong
/// with each.
pub fn private_base(places: &[PathBuf]) -> Result<PathBuf, String> {
    let mut faults = Vec::new();
    for place in places {
        match open_base(place) {
            Ok(_) => return Ok(place.clone()),
            Err(fault) => faults.push(fault),
        }
    }
    Err(faults.join("; "))
}

/// The effective user id of this process.
pub fn user_id() -> u32 {
    geteuid().as_raw()
}

/// The folder of one host in this process. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct RunDir {
    base: OwnedFd,
    name: String,
    dir: OwnedFd,
    path: PathBuf,
    /// Held until the process ends.
    _lock: OwnedFd,
}

impl RunDir {
    /// Creates one, and removes stale ones in the background.
    pub(crate) fn new(base: &Path) -> Result<Arc<Self>, String> {
        let dir = open_base(base)?;
        let made = make_run_dir(dir, base).map_err(|fault| {
            format!("cannot create a private folder below {}: {fault}", base.display())
        });
        let (run_dir, stale) = made?;
        if !stale.is_empty() {
            // If we end first, the next process removes the rest.
            let sweep = move || stale.into_iter().for_each(StaleRunDir::remove);
            let _ = std::thread::Builder::new().name("sweeper".into()).spawn(sweep);
        }
        Ok(Arc::new(run_dir))
    }

    /// Creates a folder inside.
    pub(crate) fn folder(self: &Arc<Self>, kind: &str) -> Result<PrivateDir, String> {
        let made = make_folder(&self.dir, &format!("{kind}-"));
        let (name, dir) = made.map_err(|fault| {
            format!("cannot create a folder in {}: {fault}", self.path.display())
        })?;
        let path = self.path.join(&name);
        Ok(PrivateDir { run_dir: Arc::clone(self), name, dir, path })
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        let _ = remove::empty(&self.dir);
        let _ = unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR);
    }
}

/// A folder with an unpredictable name. Dropping it removes it and its content.
#[derive(Debug)]
pub(crate) struct PrivateDir {
    run_dir: Arc<RunDir>,
    name: String,
    dir: OwnedFd,
    path: PathBuf,
}

impl PrivateDir {
    /// Contains no links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes this user and group its owner.
    pub(crate) fn give_to(&self, number: u32) -> Result<(), String> {
        let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
        fchown(&self.dir, Some(user), Some(group))
            .map_err(|fault| format!("cannot change the owner of {}: {fault}", self.path.display()))
    }

    /// How it exceeds the quota, if it does.
    pub(crate) fn excess(&self, quota: &Quota) -> Option<Excess> {
        quota::excess(&self.dir, quota)
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        // What cannot be removed now is swept after this process ends.
        let _ = remove::empty(&self.dir);
        let _ = unlinkat(&self.run_dir.dir, &self.name, AtFlags::REMOVEDIR);
    }
}

/// The folder of a dead process. We hold its lock, so that nobody else removes it too.
struct StaleRunDir {
    base: OwnedFd,
    name: String,
    dir: OwnedFd,
    _lock: Option<OwnedFd>,
}

impl StaleRunDir {
    fn remove(self) {
        let _ = remove::empty(&self.dir);
        let _ = unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR);
    }
}

/// Opens the base folder if only we can enter it.
fn open_base(path: &Path) -> Result<OwnedFd, String> {
    let place = path.display();
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|fault| format!("cannot create {place}: {fault}"))?;
    check_way(path)?;
    let dir = openat(CWD, path, FOLDER, Mode::empty());
    let dir = dir.map_err(|fault| match fault {
        Errno::LOOP | Errno::NOTDIR => format!("{place} is not a folder, or is a link to one"),
        other => format!("{place} cannot be opened: {other}"),
    })?;
    let found = fstat(&dir).map_err(|fault| format!("{place} cannot be read: {fault}"))?;
    if found.st_uid != geteuid().as_raw() {
        return Err(format!("{place} belongs to another user; remove it or choose another folder"));
    }
    if found.st_mode & 0o077 != 0 {
        return Err(format!("others can enter {place}; run `chmod 700 {place}` if it is yours"));
    }
    Ok(dir)
}

/// Checks that only we and root can replace the folder.
fn check_way(path: &Path) -> Result<(), String> {
    let unreadable = |fault: io::Error| format!("{} cannot be found: {fault}", path.display());
    let parent = path.parent().unwrap_or(path).canonicalize().map_err(unreadable)?;
    for folder in parent.ancestors() {
        let found = statat(CWD, folder, AtFlags::SYMLINK_NOFOLLOW);
        let found = found.map_err(|fault| unreadable(fault.into()))?;
        let is_shared = found.st_mode & 0o002 != 0 && found.st_mode & 0o1000 == 0;
        let is_foreign = found.st_uid != 0 && found.st_uid != geteuid().as_raw();
        if is_shared || is_foreign {
            let (path, folder) = (path.display(), folder.display());
            return Err(format!("{path} is not safe: others can change {folder}"));
        }
    }
    Ok(())
}

fn make_run_dir(base: OwnedFd, path: &Path) -> io::Result<(RunDir, Vec<StaleRunDir>)> {
    let gate = openat(&base, LOCK, LOCK_FILE, Mode::from_raw_mode(0o600))?;
    flock(&gate, FlockOperation::LockExclusive)?;
    let stale = stale_run_dirs(&base)?;
    let (name, dir) = make_folder(&base, RUN_DIR_PREFIX)?;
    let lock = openat(&dir, LOCK, LOCK_FILE, Mode::from_raw_mode(0o600))?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    let path = path.canonicalize()?.join(&name);
    Ok((RunDir { base, name, dir, path, _lock: lock }, stale))
}

/// The run folders whose locks are free.
fn stale_run_dirs(base: &OwnedFd) -> io::Result<Vec<StaleRunDir>> {
    let mut stale = Vec::new();
    for entry in Dir::read_from(base)? {
        let entry = entry?;
        let Some(name) = name_of(entry.file_name()).filter(|name| name.starts_with(RUN_DIR_PREFIX))
        else {
            continue;
        };
        // Whatever is not a folder of ours was not created by us.
        let Ok(dir) = openat(base, &name, FOLDER, Mode::empty()) else { continue };
        let existing = LOCK_FILE.difference(OFlags::CREATE);
        let lock = openat(&dir, LOCK, existing, Mode::empty()).ok();
        let is_held = lock
            .as_ref()
            .is_some_and(|lock| flock(lock, FlockOperation::NonBlockingLockExclusive).is_err());
        if !is_held {
            let base = base.try_clone()?;
            stale.push(StaleRunDir { base, name, dir, _lock: lock });
        }
    }
    Ok(stale)
}

/// Creates a folder that only we can enter; fails if it exists.
fn make_folder(parent: impl AsFd, prefix: &str) -> io::Result<(String, OwnedFd)> {
    let name = format!("{prefix}{}", random_name()?);
    mkdirat(&parent, &name, Mode::from_raw_mode(0o700))?;
    let dir = openat(&parent, &name, FOLDER, Mode::empty())?;
    Ok((name, dir))
}

/// 128 random bits.
pub(crate) fn random_name() -> io::Result<String> {
    let mut bits = [0u8; 16];
    let count = getrandom(&mut bits, GetRandomFlags::empty())?;
    if count < bits.len() {
        return Err(io::Error::other("the system gave too few random bits"));
    }
    Ok(contract::hex(&bits))
}

fn name_of(name: &CStr) -> Option<String> {
    name.to_str().ok().map(str::to_owned)
}

/// Whether it is a folder, and not a link to one.
fn is_folder(dir: impl AsFd, name: &CStr) -> bool {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
}

fn is_dots(name: &CStr) -> bool {
    name == c"." || name == c".."
}

#[cfg(test)]
mod tests;
