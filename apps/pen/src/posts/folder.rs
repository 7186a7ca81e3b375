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
    /// None if nobody has looked at the file yet.
    pub stamp: Option<Stamp>,
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
        Some(PostFile { name: entry.file_name().into_string().ok()?, stamp: Some(stamp) })
    };
    let mut files: Vec<PostFile> = entries.into_par_iter().filter_map(file).collect();
    files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    files
}

/// As [`list`], for posts that will all be read: whoever opens a file sees its stamp, so that
/// nobody asks for it twice.
#[cfg(target_os = "linux")]
pub(super) fn list_unseen(folder: &Path) -> Vec<PostFile> {
    let name = |entry: DirEntry| entry.file_name().into_string().ok();
    let mut names: Vec<String> = entries(folder).filter_map(name).collect();
    names.sort_unstable();
    names.into_iter().map(|name| PostFile { name, stamp: None }).collect()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn list_unseen(folder: &Path) -> Vec<PostFile> {
    list(folder)
}

/// One post; none if there is no such file.
pub(super) fn look(folder: &Path, name: &str) -> Option<PostFile> {
    let stamp = stamp(&fs::symlink_metadata(folder.join(name)).ok()?)?;
    Some(PostFile { name: name.to_owned(), stamp: Some(stamp) })
}

/// Is this the name of a post? Others are temporary files, or not ours.
pub(super) fn is_post(name: &[u8]) -> bool {
    !name.starts_with(b".") && name.ends_with(b".md")
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_post(entry.file_name().as_encoded_bytes())).take(POSTS_MAX)
}

/// None for what is not a file.
pub(super) fn stamp(metadata: &Metadata) -> Option<Stamp> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    let modified_ns = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
    let stamp = Stamp { modified_ns, bytes: metadata.len() };
    metadata.is_file().then_some(stamp)
}

/// The folder, to open its files by their names alone.
pub(super) struct OpenFolder<'a> {
    path: &'a Path,
    #[cfg(target_os = "linux")]
    handle: Option<fs::File>,
}

impl<'a> OpenFolder<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self {
            path,
            #[cfg(target_os = "linux")]
            handle: fs::File::open(path).ok(),
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.path
    }

    /// Opens a post. What is not a file does not block, and links are not followed.
    #[cfg(target_os = "linux")]
    pub(super) fn open(&self, name: &str) -> Option<fs::File> {
        use rustix::fs::{Mode, OFlags, openat};
        let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = openat(self.handle.as_ref()?, name, how, Mode::empty());
        file.ok().map(fs::File::from)
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn open(&self, name: &str) -> Option<fs::File> {
        fs::File::open(self.path.join(name)).ok()
    }
}
