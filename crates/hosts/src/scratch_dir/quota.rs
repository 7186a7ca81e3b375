//! Measures a folder against its quota.

use std::fmt;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, Mode, openat, statat};

use super::{FOLDER, is_dots};

/// How much a folder may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub bytes_max: u64,
    /// Files, links and folders.
    pub files_max: u64,
}

/// Deeper folders are not allowed.
const DEPTH_MAX: u32 = 32;

/// What exceeds the quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Bytes(u64),
    Files(u64),
    Depth,
    /// It cannot be read, so it may contain anything.
    Unreadable,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Bytes(max) => write!(f, "it wrote more than {} MiB of files", max >> 20),
            Excess::Files(max) => write!(f, "it created more than {max} files"),
            Excess::Depth => write!(f, "it nested more than {DEPTH_MAX} folders"),
            Excess::Unreadable => write!(f, "it made its own folder unreadable"),
        }
    }
}

#[derive(Default)]
struct Usage {
    bytes: u64,
    files: u64,
}

/// Files may come and go meanwhile; vanished ones are not counted.
pub(crate) fn excess(dir: &OwnedFd, quota: &Quota) -> Option<Excess> {
    let mut usage = Usage::default();
    walk(dir, quota, DEPTH_MAX, &mut usage).err()
}

fn walk(dir: &OwnedFd, quota: &Quota, depth: u32, usage: &mut Usage) -> Result<(), Excess> {
    let entries = Dir::read_from(dir).map_err(|_| Excess::Unreadable)?;
    for entry in entries {
        let Ok(entry) = entry else { return Err(Excess::Unreadable) };
        let name = entry.file_name();
        if is_dots(name) {
            continue;
        }
        let Ok(found) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        usage.files += 1;
        usage.bytes += u64::try_from(found.st_blocks).unwrap_or_default() * 512;
        if usage.files > quota.files_max {
            return Err(Excess::Files(quota.files_max));
        }
        if usage.bytes > quota.bytes_max {
            return Err(Excess::Bytes(quota.bytes_max));
        }
        if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
            let deeper = depth.checked_sub(1).ok_or(Excess::Depth)?;
            match openat(dir, name, FOLDER, Mode::empty()) {
                Ok(below) => walk(&below, quota, deeper, usage)?,
                Err(rustix::io::Errno::NOENT) => {}
                Err(_) => return Err(Excess::Unreadable),
            }
        }
    }
    Ok(())
}
