//! The files in the folder of posts, with what tells one content of them from another.

use std::fs::{self, DirEntry, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use super::index::POSTS_MAX;

/// A post in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostFile {
    pub name: String,
    pub stamp: Stamp,
}

/// What tells one content of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stamp {
    pub modified_ns: u64,
    pub bytes: u64,
}

/// The posts of a folder, in the order of their names.
pub(super) fn list(folder: &Path) -> Vec<PostFile> {
    let entries: Vec<_> = entries(folder).collect();
    let file = |entry: DirEntry| {
        let stamp = stamp(&entry.metadata().ok()?)?;
        Some(PostFile { name: entry.file_name().into_string().ok()?, stamp })
    };
    let mut files: Vec<PostFile> = entries.into_par_iter().filter_map(file).collect();
    files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    files
}

/// One post; none if there is no such file.
pub(super) fn look(folder: &Path, name: &str) -> Option<PostFile> {
    let stamp = stamp(&fs::symlink_metadata(folder.join(name)).ok()?)?;
    Some(PostFile { name: name.to_owned(), stamp })
}

/// Is this the name of a post? Others are temporary files, or not ours.
pub(super) fn is_post(name: &[u8]) -> bool {
    !name.starts_with(b".") && name.ends_with(b".md")
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_post(entry.file_name().as_encoded_bytes())).take(POSTS_MAX)
}

fn stamp(metadata: &Metadata) -> Option<Stamp> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let modified_ns = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
    let stamp = Stamp { modified_ns, bytes: metadata.len() };
    metadata.is_file().then_some(stamp)
}
