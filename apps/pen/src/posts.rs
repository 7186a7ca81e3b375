//! Saved posts: files with front matter, and the search over them.

mod folder;
mod folder_watch;
mod front_matter;
mod frozen_lists;
mod index;
mod index_file;
pub mod length;
mod newest;
mod rank;
mod read_chunk;
pub mod read_posts;
mod search;
mod word_hasher;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use front_matter::{FrontMatter, split};
pub use index::Index;
pub use search::{FoundPost, Posts, Query};

use crate::clock::Now;
use crate::posts::length::Platform;
use crate::text::slug::slug;
use crate::workspace::{Workspace, read_text};

/// How many posts of one day, topic and platform there may be.
const SAME_NAME_MAX: u32 = 999;
/// The maximum size of a post.
pub const POST_BYTES_MAX: u64 = 1 << 20;

/// A post to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPost<'a> {
    pub content: &'a str,
    pub platform: Platform,
    pub topic: &'a str,
    /// A profile's name, or `mix:base+techniques`.
    pub profile_used: &'a str,
    pub style_profile_version: u64,
}

/// The text could not be saved. The fault carries it, so that it is not lost.
#[derive(Debug, thiserror::Error)]
#[error("the post cannot be saved in `{}`", folder.display())]
pub struct NotSaved {
    pub folder: PathBuf,
    pub text: String,
    pub source: io::Error,
}

/// Where a post went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Saved {
    pub path: PathBuf,
}

impl Workspace {
    /// Saves a post atomically under a new name.
    pub fn save(&self, post: &NewPost<'_>, now: Now) -> Result<Saved, NotSaved> {
        let folder = self.posts_dir();
        write_new(&folder, post, now).map(|path| Saved { path }).map_err(|source| NotSaved {
            folder,
            text: post.content.to_owned(),
            source,
        })
    }
}

impl Workspace {
    /// The file in which this text was saved today, under this topic and platform.
    pub fn saved_as(
        &self,
        content: &str,
        topic: &str,
        platform: Platform,
        now: Now,
    ) -> Option<PathBuf> {
        let stem = file_stem(topic, platform, now);
        let entries = fs::read_dir(self.posts_dir()).ok()?;
        let named = entries.flatten().map(|entry| entry.path()).filter(|path| {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(&stem)
        });
        named.into_iter().find(|path| {
            let text = read_text(path, POST_BYTES_MAX).unwrap_or_default();
            split(&text).1.trim_end() == content.trim_end()
        })
    }

    /// The front matter of every saved post.
    pub fn fronts(&self) -> Vec<FrontMatter> {
        let Ok(entries) = fs::read_dir(self.posts_dir()) else { return Vec::new() };
        let paths = entries.flatten().map(|entry| entry.path());
        let posts = paths.filter(|path| path.extension().is_some_and(|end| end == "md"));
        let texts = posts.filter_map(|path| read_text(&path, POST_BYTES_MAX).ok());
        texts.map(|text| split(&text).0).collect()
    }
}

fn write_new(folder: &Path, post: &NewPost<'_>, now: Now) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let NewPost { content, platform, topic, profile_used, style_profile_version } = post;
    let front = FrontMatter {
        platform: platform.to_string(),
        topic: (*topic).to_owned(),
        created: now.iso(),
        profile_used: (*profile_used).to_owned(),
        style_profile_version: Some(*style_profile_version),
    };
    let mut file = tempfile::Builder::new().prefix(".ghostpen-").tempfile_in(folder)?;
    file.write_all(front.to_text().as_bytes())?;
    file.write_all(content.trim_end().as_bytes())?;
    file.write_all(b"\n")?;
    file.as_file().sync_all()?;
    open_to_others(file.as_file())?;
    let stem = file_stem(topic, *platform, now);
    for number in 1..=SAME_NAME_MAX {
        let suffix = if number == 1 { String::new() } else { format!("-{number}") };
        let path = folder.join(format!("{stem}{suffix}.md"));
        // Persisting fails if the name is taken, so that no post is overwritten.
        match file.persist_noclobber(&path) {
            Ok(_) => return Ok(path),
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(fault) => return Err(fault.error),
        }
    }
    Err(io::Error::other(format!("there are {SAME_NAME_MAX} posts named `{stem}` already")))
}

/// `2026-02-08-vyhorannia-linkedin`
fn file_stem(topic: &str, platform: Platform, now: Now) -> String {
    format!("{}-{}-{platform}", now.date(), slug(topic))
}

/// A temporary file is private; a post is an ordinary file.
#[cfg(unix)]
fn open_to_others(file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_others(_file: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
