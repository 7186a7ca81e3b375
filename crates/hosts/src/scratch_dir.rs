//! Private folders: for what a worker writes and for the code it reads, below one folder that
//! only this user may enter.
//!
//! ```text
//! base/              0700, ours, checked by handle; made if it is missing
//! ├── lock           held for a moment, by whoever makes or sweeps a nest
//! └── run-RANDOM/    a nest: one for each host of a living process
//!     ├── lock       held as long as that process lives
//!     └── scratch-RANDOM/, code-RANDOM/
//! ```
//!
//! Must hold: no name can be foreseen, no link is followed, and nothing outside is written or
//! removed, whoever planted what. A nest whose lock nobody holds was left by a crash; whoever
//! makes the next one removes it. Process numbers play no part: they are used again.

mod remove;
mod weigh;

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

pub(crate) use weigh::{Excess, Quota};

const LOCK: &str = "lock";
const NEST: &str = "run-";
/// A folder of ours, opened and nothing else.
const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
const LOCK_FILE: OFlags =
    OFlags::RDWR.union(OFlags::CREATE).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The first of these places whose folder is private; it is made if it is missing. The error
/// says what is wrong with each.
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

/// The number of the user that this program runs as.
pub fn user_number() -> u32 {
    geteuid().as_raw()
}

/// The folder of one host of this process. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct Nest {
    base: OwnedFd,
    name: String,
    dir: OwnedFd,
    path: PathBuf,
    /// Held until the end of this process.
    _lock: OwnedFd,
}

impl Nest {
    /// Makes one, and removes what others left behind.
    pub(crate) fn new(base: &Path) -> Result<Arc<Self>, String> {
        let dir = open_base(base)?;
        let made = make_nest(dir, base).map_err(|fault| {
            format!("no private folder can be made below {}: {fault}", base.display())
        });
        let (nest, dead) = made?;
        if !dead.is_empty() {
            // Whoever is slow at it leaves the rest to the next one.
            let sweep = move || dead.into_iter().for_each(Dead::remove);
            let _ = std::thread::Builder::new().name("sweeper".into()).spawn(sweep);
        }
        Ok(Arc::new(nest))
    }

    /// A new folder in it.
    pub(crate) fn folder(self: &Arc<Self>, kind: &str) -> Result<Folder, String> {
        let made = make_folder(&self.dir, &format!("{kind}-"));
        let (name, dir) = made.map_err(|fault| {
            format!("no folder can be made in {}: {fault}", self.path.display())
        })?;
        let path = self.path.join(&name);
        Ok(Folder { nest: Arc::clone(self), name, dir, path })
    }
}

impl Drop for Nest {
    fn drop(&mut self) {
        let _ = remove::empty(&self.dir);
        let _ = unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR);
    }
}

/// A folder with a name that nobody can foresee. Dropping it removes it and all in it.
#[derive(Debug)]
pub(crate) struct Folder {
    nest: Arc<Nest>,
    name: String,
    dir: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Without links on the way.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// From now on it belongs to this user and group, and to nobody else.
    pub(crate) fn give_to(&self, number: u32) -> Result<(), String> {
        let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
        fchown(&self.dir, Some(user), Some(group))
            .map_err(|fault| format!("{} cannot be given away: {fault}", self.path.display()))
    }

    /// What of the quota it breaks; none if all is well.
    pub(crate) fn excess(&self, quota: &Quota) -> Option<Excess> {
        weigh::excess(&self.dir, quota)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed now is swept after the end of this process.
        let _ = remove::empty(&self.dir);
        let _ = unlinkat(&self.nest.dir, &self.name, AtFlags::REMOVEDIR);
    }
}

/// A nest whose process is gone. Its lock is ours now, so that nobody else removes it too.
struct Dead {
    base: OwnedFd,
    name: String,
    dir: OwnedFd,
    _lock: Option<OwnedFd>,
}

impl Dead {
    fn remove(self) {
        let _ = remove::empty(&self.dir);
        let _ = unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR);
    }
}

/// The base, opened, if it is a folder that only we may enter.
fn open_base(path: &Path) -> Result<OwnedFd, String> {
    let place = path.display();
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|fault| format!("{place} cannot be made: {fault}"))?;
    check_way(path)?;
    let dir = openat(CWD, path, FOLDER, Mode::empty());
    let dir = dir.map_err(|fault| match fault {
        Errno::LOOP | Errno::NOTDIR => format!("{place} is no folder, or a link to one"),
        other => format!("{place} cannot be opened: {other}"),
    })?;
    let found = fstat(&dir).map_err(|fault| format!("{place} cannot be looked at: {fault}"))?;
    if found.st_uid != geteuid().as_raw() {
        return Err(format!("{place} belongs to another user; remove it or name another place"));
    }
    if found.st_mode & 0o077 != 0 {
        return Err(format!("others may enter {place}; run `chmod 700 {place}` if it is yours"));
    }
    Ok(dir)
}

/// Nobody but us and the system can put something else in its place.
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
            return Err(format!("{path} is not safe: others may change {folder}"));
        }
    }
    Ok(())
}

fn make_nest(base: OwnedFd, path: &Path) -> io::Result<(Nest, Vec<Dead>)> {
    let gate = openat(&base, LOCK, LOCK_FILE, Mode::from_raw_mode(0o600))?;
    flock(&gate, FlockOperation::LockExclusive)?;
    let dead = dead_nests(&base)?;
    let (name, dir) = make_folder(&base, NEST)?;
    let lock = openat(&dir, LOCK, LOCK_FILE, Mode::from_raw_mode(0o600))?;
    flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
    let path = path.canonicalize()?.join(&name);
    Ok((Nest { base, name, dir, path, _lock: lock }, dead))
}

/// The nests whose lock nobody holds.
fn dead_nests(base: &OwnedFd) -> io::Result<Vec<Dead>> {
    let mut dead = Vec::new();
    for entry in Dir::read_from(base)? {
        let entry = entry?;
        let Some(name) = name_of(entry.file_name()).filter(|name| name.starts_with(NEST)) else {
            continue;
        };
        // What is no folder of ours was not put there by us.
        let Ok(dir) = openat(base, &name, FOLDER, Mode::empty()) else { continue };
        let existing = LOCK_FILE.difference(OFlags::CREATE);
        let lock = openat(&dir, LOCK, existing, Mode::empty()).ok();
        let is_held = lock
            .as_ref()
            .is_some_and(|lock| flock(lock, FlockOperation::NonBlockingLockExclusive).is_err());
        if !is_held {
            let base = base.try_clone()?;
            dead.push(Dead { base, name, dir, _lock: lock });
        }
    }
    Ok(dead)
}

/// A new folder that only we may enter; one that is there already is refused.
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
    Ok(bits.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn name_of(name: &CStr) -> Option<String> {
    name.to_str().ok().map(str::to_owned)
}

/// Is it a folder itself, and no link to one?
fn is_folder(dir: impl AsFd, name: &CStr) -> bool {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
}

fn is_dots(name: &CStr) -> bool {
    name == c"." || name == c".."
}

#[cfg(test)]
mod tests;
