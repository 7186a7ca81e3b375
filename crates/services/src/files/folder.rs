//! A folder that was reached without following links, and its operations.
//!
//! `OpenFolder` holds an open handle, so that the folder cannot be replaced in between; it needs
//! Unix. `NamedFolder` holds the path and checks it before each step; it works everywhere.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;

pub(super) trait Folder: Sized {
    /// Held while a file is compared and replaced; released on drop.
    type Lock;

    /// The project itself; the operator's path to it may contain links.
    fn project(path: &Path) -> Result<Self, FolderFault>;
    /// Opens a subfolder.
    fn enter(&self, name: &str) -> Result<Self, FolderFault>;
    /// Creates a subfolder, unless it exists.
    fn make(&self, name: &str) -> Result<(), FolderFault>;
    /// Opens a regular file for reading.
    fn open(&self, name: &str) -> Result<File, FolderFault>;
    /// At most `max` entries, in no particular order.
    fn entries(&self, max: usize) -> Result<Vec<FolderEntry>, FolderFault>;
    /// Excludes other writers of this program, in this and other processes.
    fn lock(&self) -> Result<Self::Lock, FolderFault>;
    /// Replaces or creates the file atomically.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), ReplaceFault>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FolderEntry {
    pub(super) name: String,
    pub(super) kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File {
        size: u64,
    },
    Folder,
    /// A link, a device, or a name that is not UTF-8.
    Other,
}

#[derive(Debug)]
pub(super) enum FolderFault {
    Missing,
    /// A link, a device, a folder instead of a file, or the reverse.
    NotPlain,
    Io(io::Error),
}

#[derive(Debug)]
pub(super) enum ReplaceFault {
    /// The file is unchanged.
    NotDone(io::Error),
    /// The file is replaced, but a power failure may undo it.
    Unsure,
}

/// A random hidden name for new content, which cannot be predicted.
pub(super) fn draft_name() -> String {
    format!(".ghosthand-{:016x}.draft", RandomState::new().hash_one(()))
}
