//! Empties a folder by its descriptor, whatever its depth and content.
//!
//! Nested folders are moved to the top before they are emptied, so that neither the stack nor the
//! number of open files depends on the depth.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, chmodat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::{FOLDER, is_dots, is_folder, random_name};

/// The folder must not be in use any more.
pub(crate) fn empty(top: &OwnedFd) -> io::Result<()> {
    loop {
        let folders = remove_files(top, None)?;
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            // Its creator may have removed all permissions.
            let _ = chmodat(top, &name, Mode::from_raw_mode(0o700), AtFlags::empty());
            let folder = openat(top, &name, FOLDER, Mode::empty())?;
            remove_files(&folder, Some(top))?;
            match unlinkat(top, &name, AtFlags::REMOVEDIR) {
                // Some file systems skip entries while others are removed; the next round finds
                // them.
                Ok(()) | Err(Errno::NOTEMPTY) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
    }
}

/// Removes everything but folders, which are moved to `top` or returned.
fn remove_files(dir: &OwnedFd, top: Option<&OwnedFd>) -> io::Result<Vec<CString>> {
    let mut folders = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if is_dots(name) {
            continue;
        }
        if !is_folder(dir, name) {
            unlinkat(dir, name, AtFlags::empty())?;
        } else if let Some(top) = top {
            let _ = chmodat(dir, name, Mode::from_raw_mode(0o700), AtFlags::empty());
            renameat(dir.as_fd(), name, top.as_fd(), random_name()?)?;
        } else {
            folders.push(name.to_owned());
        }
    }
    Ok(folders)
}
