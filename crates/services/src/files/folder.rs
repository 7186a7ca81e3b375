//! A folder that was reached without following a link, and what can be done in it.
//!
//! `OpenFolder` holds the folder itself, so that nobody can exchange it under us; it needs
//! Unix. `NamedFolder` holds its name and looks again before each step; it works everywhere.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::Path;

pub(super) trait Folder: Sized {
    /// Held while a file is compared and replaced; released when dropped.
    type Lock;

    /// The project itself; its own path may have links in it, they are the operator's.
    fn project(path: &Path) -> Result<Self, FolderFault>;
    /// The folder of that name inside.
    fn enter(&self, name: &str) -> Result<Self, FolderFault>;
    /// Makes the folder of that name, if there is none.
    fn make(&self, name: &str) -> Result<(), FolderFault>;
    /// The plain file of that name, for reading.
    fn open(&self, name: &str) -> Result<File, FolderFault>;
    /// At most `max` of what is inside, in no order.
    fn entries(&self, max: usize) -> Result<Vec<Entry>, FolderFault>;
    /// Keeps every other writer of this program, in this process and others, out of the folder.
    fn lock(&self) -> Result<Self::Lock, FolderFault>;
    /// Replaces or makes the file in one step.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), ReplaceFault>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File {
        size: u64,
    },
    Folder,
    /// A link, a device, or a name that is no text.
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
    /// The old content stands.
    NotDone(io::Error),
    /// The new content stands, but may be lost with the power.
    Unsure,
}

/// A hidden name for new content, by chance: nobody can put something there before.
pub(super) fn draft_name() -> String {
    format!(".ghosthand-{:016x}.draft", RandomState::new().hash_one(()))
}
