//! The inverted index of posts: for each stem, the numbers of the posts that have it.
//!
//! Not a search engine: SQLite's full-text search has no Ukrainian stems and ranks every match
//! before it returns five; tantivy adds a hundred crates to the build. A list per stem answers
//! over 100,000 posts in well under a millisecond.
//!
//! What the cache had stays as it was read ([`FrozenLists`]); posts that came since are beside it.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use super::front_matter::split;
use super::frozen_lists::FrozenLists;
use crate::text::stem::stem;
use crate::text::words;
use crate::workspace::read_text;

/// How many posts one index has at most.
pub(super) const POSTS_MAX: usize = 1_000_000;
/// Files that one thread reads together; they share the stems of their words.
const CHUNK_FILES: usize = 256;

/// A post in the index. A deleted one has an empty name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct IndexedPost {
    pub file: String,
    pub platform: String,
    pub created: String,
    /// Time and size, to detect changes of the file.
    pub modified_ns: u64,
    pub bytes: u64,
}

/// Posts by stem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    pub(super) entries: Vec<IndexedPost>,
    /// The lists of the cache.
    pub(super) frozen: FrozenLists,
    /// The lists of posts that came after it.
    pub(super) added: HashMap<String, Vec<u32>>,
}

/// A file in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostFile {
    pub name: String,
    pub modified_ns: u64,
    pub bytes: u64,
}

impl Index {
    /// How many posts it has.
    pub fn len(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.file.is_empty()).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of the posts that have a stem, in ascending order.
    pub(super) fn posts_with(&self, stem: &str) -> Vec<u32> {
        let mut posts = self.frozen.posts(stem);
        posts.extend(self.added.get(stem).into_iter().flatten());
        posts
    }

    /// Updates the index from the folder; returns whether anything changed.
    pub(super) fn refresh(&mut self, folder: &Path) -> bool {
        let listed = list(folder);
        let known: HashMap<&str, &IndexedPost> =
            self.entries.iter().map(|entry| (entry.file.as_str(), entry)).collect();
        let is_new = |file: &&PostFile| {
            known.get(file.name.as_str()).is_none_or(|entry| {
                (entry.modified_ns, entry.bytes) != (file.modified_ns, file.bytes)
            })
        };
        let fresh: Vec<PostFile> = listed.iter().filter(is_new).cloned().collect();
        let there: HashSet<&str> = listed.iter().map(|file| file.name.as_str()).collect();
        let changed: HashSet<&str> = fresh.iter().map(|file| file.name.as_str()).collect();
        let mut gone = 0;
        for entry in &mut self.entries {
            let name = entry.file.as_str();
            if !name.is_empty() && (!there.contains(name) || changed.contains(name)) {
                *entry = IndexedPost::default();
                gone += 1;
            }
        }
        if fresh.is_empty() && gone == 0 {
            return false;
        }
        // More holes than posts: rebuild the lists.
        if self.entries.len() > 64 && self.len() < self.entries.len() / 2 {
            *self = Index::default();
            self.add_all(folder, &listed);
        } else {
            self.add_all(folder, &fresh);
        }
        true
    }

    fn add_all(&mut self, folder: &Path, files: &[PostFile]) {
        let read: Vec<ReadChunk> =
            files.par_chunks(CHUNK_FILES).map(|chunk| ReadChunk::read(folder, chunk)).collect();
        for ReadChunk { entries, lists } in read {
            let Ok(first) = u32::try_from(self.entries.len()) else { return };
            self.entries.extend(entries);
            for (stem, posts) in lists {
                let posts = posts.into_iter().map(|post| first + post);
                match self.added.get_mut(&stem) {
                    Some(known) => known.extend(posts),
                    None => drop(self.added.insert(stem, posts.collect())),
                }
            }
        }
    }
}

/// Posts that one thread has read, numbered from 0.
struct ReadChunk {
    entries: Vec<IndexedPost>,
    lists: Vec<(String, Vec<u32>)>,
}

impl ReadChunk {
    fn read(folder: &Path, files: &[PostFile]) -> Self {
        let mut chunk = Self { entries: Vec::with_capacity(files.len()), lists: Vec::new() };
        // Words repeat: each is stemmed once, and then is the number of a list.
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut stems: HashMap<String, usize> = HashMap::new();
        for (post, file) in (0_u32..).zip(files) {
            // An unreadable post is indexed by its name alone.
            let path = folder.join(&file.name);
            let text = read_text(&path, super::POST_BYTES_MAX).unwrap_or_default();
            let (front, body) = split(&text);
            for source in [front.topic.as_str(), body, file.name.trim_end_matches(".md")] {
                for word in words(source) {
                    let list = match known.get(word.text) {
                        Some(list) => *list,
                        None => {
                            let stem = stem(word.text);
                            let list = *stems.entry(stem.clone()).or_insert(chunk.lists.len());
                            if list == chunk.lists.len() {
                                chunk.lists.push((stem, Vec::new()));
                            }
                            known.insert(word.text.to_owned(), list);
                            list
                        }
                    };
                    if let Some((_, posts)) = chunk.lists.get_mut(list)
                        && posts.last() != Some(&post)
                    {
                        posts.push(post);
                    }
                }
            }
            chunk.entries.push(IndexedPost {
                file: file.name.clone(),
                platform: front.platform,
                created: front.created,
                modified_ns: file.modified_ns,
                bytes: file.bytes,
            });
        }
        chunk
    }
}

/// The posts of a folder, in the order of their names.
fn list(folder: &Path) -> Vec<PostFile> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let is_post = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        !name.starts_with(b".") && name.ends_with(b".md")
    };
    let entries: Vec<_> = entries.flatten().filter(is_post).take(POSTS_MAX).collect();
    let file = |entry: fs::DirEntry| {
        let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        let modified_ns = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
        Some(PostFile {
            name: entry.file_name().into_string().ok()?,
            modified_ns,
            bytes: metadata.len(),
        })
    };
    let mut files: Vec<PostFile> = entries.into_par_iter().filter_map(file).collect();
    files.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    files
}
