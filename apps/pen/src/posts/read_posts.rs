//! Reads the posts for a profile: pasted, piped, from a file or a folder of files.

use std::fs;
use std::io;
use std::path::Path;

use crate::posts::{POST_BYTES_MAX, split};
use crate::text::words;
use crate::workspace::read_text;

/// The maximum number of posts; more add nothing.
pub const POSTS_MAX: usize = 500;
/// Fewer posts than this make a poor profile.
pub const POSTS_ENOUGH: usize = 3;
/// A post of fewer words («GM», «+1») says nothing about a voice.
const WORDS_MIN: usize = 5;
const FILES_MAX: usize = 5_000;

/// The posts that were read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadPosts {
    pub posts: Vec<String>,
    /// Posts that were too short to learn from.
    pub too_short: usize,
}

impl ReadPosts {
    /// Posts between lines of three dashes.
    pub fn of_text(text: &str) -> Self {
        let mut intake = Self::default();
        intake.add(split(text).1);
        intake
    }

    /// A file, or every `.md` and `.txt` of a folder in the order of their names.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return Ok(Self::of_text(&read_text(path, POST_BYTES_MAX * 8)?));
        }
        let mut files: Vec<_> = fs::read_dir(path)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|file| {
                file.is_file() && file.extension().is_some_and(|end| end == "md" || end == "txt")
            })
            .take(FILES_MAX)
            .collect();
        files.sort();
        let mut intake = Self::default();
        for file in files {
            intake.add(split(&read_text(&file, POST_BYTES_MAX)?).1);
        }
        Ok(intake)
    }

    fn add(&mut self, text: &str) {
        let mut open: Vec<&str> = Vec::new();
        for line in text.lines().chain(["---"]) {
            if line.trim() != "---" {
                open.push(line);
                continue;
            }
            let post = open.join("\n");
            open.clear();
            let post = post.trim_matches(['\n', '\r', ' ']);
            match words(post).count() {
                0 => {}
                count if count < WORDS_MIN => self.too_short += 1,
                _ if self.posts.len() < POSTS_MAX => self.posts.push(post.to_owned()),
                _ => {}
            }
        }
    }
}

/// Collects pasted lines until two empty ones in a row.
#[derive(Debug, Default)]
pub struct Pasted {
    text: String,
    empty: usize,
}

impl Pasted {
    /// Adds a line; returns whether the paste is over.
    pub fn push(&mut self, line: &str) -> bool {
        let is_empty = line.trim().is_empty();
        self.empty = if is_empty { self.empty + 1 } else { 0 };
        self.text.push_str(line);
        self.text.push('\n');
        self.empty >= 2
    }

    pub fn into_text(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests;
