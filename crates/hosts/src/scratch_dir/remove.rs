//! Empties a folder by its handle, however deep and odd what is in it.
//!
//! Folders in folders are moved to the top before they are emptied, so that neither the stack
//! nor the number of open files depends on how deep somebody nested them.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, chmodat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::{FOLDER, is_dots, is_folder, random_name};

/// Nobody uses it any more.
pub(super) fn empty(top: &OwnedFd) -> io::Result<()> {
    loop {
        let folders = remove_files(top, None)?;
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            // Its maker may have closed it, to us too.
            let _ = chmodat(top, &name, Mode::from_raw_mode(0o700), AtFlags::empty());
            let folder = openat(top, &name, FOLDER, Mode::empty())?;
            remove_files(&folder, Some(top))?;
            match unlinkat(top, &name, AtFlags::REMOVEDIR) {
                // Not every file system lists all while entries go; it is looked at again.
                Ok(()) | Err(Errno::NOTEMPTY) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
    }
}

/// Removes what is no folder; folders are moved to `top`, or named.
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
