//! Weighs a folder against its quota.

use std::fmt;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Dir, FileType, Mode, openat, statat};

use super::{FOLDER, is_dots};

/// How much a folder may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Quota {
    pub bytes_max: u64,
    /// Files, links and folders.
    pub files_max: u64,
}

/// Deeper folders are not looked into.
const DEPTH_MAX: u32 = 32;

/// What is too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    Bytes(u64),
    Files(u64),
    Depth,
    /// It cannot be looked at, so it may hold anything.
    Closed,
}

impl fmt::Display for Excess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Excess::Bytes(max) => write!(f, "it wrote more than {} MiB of files", max >> 20),
            Excess::Files(max) => write!(f, "it made more than {max} files"),
            Excess::Depth => write!(f, "it nested more than {DEPTH_MAX} folders"),
            Excess::Closed => write!(f, "it closed a folder of its own"),
        }
    }
}

#[derive(Default)]
struct Weight {
    bytes: u64,
    files: u64,
}

/// Files come and go while it looks; what goes is not counted.
pub(super) fn excess(dir: &OwnedFd, quota: &Quota) -> Option<Excess> {
    let mut weight = Weight::default();
    walk(dir, quota, DEPTH_MAX, &mut weight).err()
}

fn walk(dir: &OwnedFd, quota: &Quota, depth: u32, weight: &mut Weight) -> Result<(), Excess> {
    let entries = Dir::read_from(dir).map_err(|_| Excess::Closed)?;
    for entry in entries {
        let Ok(entry) = entry else { return Err(Excess::Closed) };
        let name = entry.file_name();
        if is_dots(name) {
            continue;
        }
        let Ok(found) = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        weight.files += 1;
        weight.bytes += u64::try_from(found.st_blocks).unwrap_or_default() * 512;
        if weight.files > quota.files_max {
            return Err(Excess::Files(quota.files_max));
        }
        if weight.bytes > quota.bytes_max {
            return Err(Excess::Bytes(quota.bytes_max));
        }
        if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
            let deeper = depth.checked_sub(1).ok_or(Excess::Depth)?;
            match openat(dir, name, FOLDER, Mode::empty()) {
                Ok(below) => walk(&below, quota, deeper, weight)?,
                Err(rustix::io::Errno::NOENT) => {}
                Err(_) => return Err(Excess::Closed),
            }
        }
    }
    Ok(())
}
