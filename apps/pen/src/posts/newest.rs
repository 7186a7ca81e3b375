//! The newest saved posts, without the index: their names begin with the day.

use std::fs;

use super::search::FoundPost;
use crate::posts::length::Platform;
use crate::workspace::Workspace;

impl Workspace {
    /// The newest posts, at most this many. Where the limit cuts a day, names decide.
    pub fn newest_posts(&self, platform: Option<Platform>, limit: usize) -> Vec<FoundPost> {
        let Ok(entries) = fs::read_dir(self.posts_dir()) else { return Vec::new() };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter(|name| name.ends_with(".md") && !name.starts_with('.')).collect();
        names.sort_unstable_by(|one, other| other.cmp(one));
        let wanted = platform.map(Platform::as_str);
        let folder = self.posts_dir();
        let posts = names.into_iter().filter_map(|file| FoundPost::read(&folder, file));
        let mut found: Vec<FoundPost> = posts
            .filter(|post| wanted.is_none_or(|name| post.platform == name))
            .take(limit)
            .collect();
        found.sort_by(|one, other| other.created.cmp(&one.created));
        found
    }
}

#[cfg(test)]
mod tests;
