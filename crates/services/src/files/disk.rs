//! Reads, lists and writes files of the project, folder by folder.

use std::io::{self, Read as _};
use std::path::Path;

use super::folder::{EntryKind, Folder, FolderEntry, FolderFault, ReplaceFault};
use super::path::{ProjectPath, is_reachable};
use super::revision_of;
use crate::handler_services::arguments::Expectation;

#[derive(Debug)]
pub(super) enum DiskFault {
    Missing,
    NotPlain,
    TooLarge {
        max: usize,
    },
    TooMany {
        max: usize,
    },
    TooDeep {
        max: usize,
    },
    /// Not at the expected revision; the current one, if there is a file.
    Changed {
        now: Option<String>,
    },
    /// Written, but perhaps not durable.
    Unsure,
    Io(io::Error),
}

pub(super) fn read<F: Folder>(
    project: &Path,
    path: &ProjectPath,
    max: usize,
) -> Result<Vec<u8>, DiskFault> {
    let (folders, name) = path.split();
    read_in(&enter::<F>(project, folders)?, name, max)
}

pub(super) fn list<F: Folder>(
    project: &Path,
    path: &ProjectPath,
    items_max: usize,
    depth_max: usize,
) -> Result<Vec<(String, u64)>, DiskFault> {
    let root = enter::<F>(project, path.parts())?;
    let mut found = Vec::new();
    let mut met = 0;
    // Names instead of handles: there may be more folders than file descriptors.
    let mut waiting = vec![Vec::new()];
    while let Some(below) = waiting.pop() {
        let entries = match entries_below(&root, &below, items_max - met + 1) {
            Ok(entries) => entries,
            // Removed or replaced since it was listed.
            Err(FolderFault::Missing | FolderFault::NotPlain) if !below.is_empty() => continue,
            Err(fault) => return Err(fault.into()),
        };
        met += entries.len();
        if met > items_max {
            return Err(DiskFault::TooMany { max: items_max });
        }
        for FolderEntry { name, kind } in
            entries.into_iter().filter(|entry| is_reachable(&entry.name))
        {
            let inner = [below.as_slice(), &[name]].concat();
            match kind {
                EntryKind::File { size } => {
                    found.push((format!("{path}/{}", inner.join("/")), size))
                }
                EntryKind::Folder if inner.len() > depth_max => {
                    return Err(DiskFault::TooDeep { max: depth_max });
                }
                EntryKind::Folder => waiting.push(inner),
                EntryKind::Other => {}
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Writes if the file is at the expected revision.
pub(super) fn write<F: Folder>(
    project: &Path,
    path: &ProjectPath,
    bytes: &[u8],
    expected: &Expectation<String>,
    max: usize,
) -> Result<(), DiskFault> {
    let (folders, name) = path.split();
    let mut folder = F::project(project)?;
    for part in folders {
        folder = match folder.enter(part) {
            Err(FolderFault::Missing) if !matches!(expected, Expectation::Revision(_)) => {
                folder.make(part)?;
                folder.enter(part)?
            }
            // A missing folder means a missing file, which has no revision.
            Err(FolderFault::Missing) => return Err(DiskFault::Changed { now: None }),
            entered => entered?,
        };
    }
    let _lock = folder.lock()?;
    let now = match read_in(&folder, name, max) {
        Ok(content) => Some(revision_of(&content)),
        Err(DiskFault::Missing) => None,
        // Without an expectation, its revision does not matter.
        Err(DiskFault::TooLarge { .. }) if *expected == Expectation::Any => None,
        Err(fault) => return Err(fault),
    };
    let fits = match expected {
        Expectation::Any => true,
        Expectation::Absent => now.is_none(),
        Expectation::Revision(revision) => now.as_ref() == Some(revision),
    };
    if !fits {
        return Err(DiskFault::Changed { now });
    }
    folder.replace(name, bytes).map_err(|fault| match fault {
        ReplaceFault::NotDone(error) => DiskFault::Io(error),
        ReplaceFault::Unsure => DiskFault::Unsure,
    })
}

fn enter<F: Folder>(project: &Path, folders: &[String]) -> Result<F, DiskFault> {
    let project = F::project(project)?;
    Ok(folders.iter().try_fold(project, |folder, part| folder.enter(part))?)
}

fn entries_below<F: Folder>(
    root: &F,
    below: &[String],
    max: usize,
) -> Result<Vec<FolderEntry>, FolderFault> {
    let Some((first, rest)) = below.split_first() else { return root.entries(max) };
    rest.iter().try_fold(root.enter(first)?, |folder, part| folder.enter(part))?.entries(max)
}

fn read_in<F: Folder>(folder: &F, name: &str, max: usize) -> Result<Vec<u8>, DiskFault> {
    let file = folder.open(name)?;
    let mut bytes = Vec::new();
    // One byte beyond the limit detects a file that is too large, even if it grows meanwhile.
    file.take(max as u64 + 1).read_to_end(&mut bytes).map_err(DiskFault::Io)?;
    match bytes.len() <= max {
        true => Ok(bytes),
        false => Err(DiskFault::TooLarge { max }),
    }
}

impl From<FolderFault> for DiskFault {
    fn from(fault: FolderFault) -> Self {
        match fault {
            FolderFault::Missing => DiskFault::Missing,
            FolderFault::NotPlain => DiskFault::NotPlain,
            FolderFault::Io(error) => DiskFault::Io(error),
        }
    }
}
