//! The inverted index of posts: for each stem, the numbers of the posts that have it.
//!
//! Not a search engine: SQLite's full-text search has no Ukrainian stems and ranks every match
//! before it returns five; tantivy adds a hundred crates to the build. A list per stem answers
//! over 100,000 posts in well under a millisecond.
//!
//! What the cache had stays as it was read ([`FrozenLists`]); posts that came since are beside it.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use rayon::prelude::*;

use super::folder::{PostFile, Stamp, list, list_unseen, look};
use super::frozen_lists::FrozenLists;
use super::read_chunk::ReadChunk;
use super::word_hasher::WordHash;

/// How many posts one index has at most.
pub(super) const POSTS_MAX: usize = 1_000_000;
/// The least number of files that one thread reads together.
const CHUNK_FILES_MIN: usize = 256;
/// Parts of the work for each thread, so that none waits long for the others.
const CHUNKS_PER_THREAD: usize = 2;

/// A post in the index. A deleted one has an empty name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct IndexedPost {
    pub file: String,
    pub platform: String,
    pub created: String,
    /// To detect changes of the file.
    pub stamp: Stamp,
}

/// Posts by stem.
#[derive(Debug, Clone, Default)]
pub struct Index {
    pub(super) entries: Vec<IndexedPost>,
    /// The numbers of the posts that are there.
    pub(super) by_name: HashMap<String, u32, WordHash>,
    /// The lists of the cache.
    pub(super) frozen: FrozenLists,
    /// The lists of posts that came after it.
    pub(super) added: HashMap<String, Vec<u32>, WordHash>,
}

impl Index {
    /// How many posts it has.
    pub fn len(&self) -> usize {
        self.by_name.len()
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

    /// Looks at every file of the folder; returns how many posts came and went.
    pub(super) fn refresh(&mut self, folder: &Path) -> usize {
        if self.entries.is_empty() {
            self.add_all(folder, &list_unseen(folder));
            return self.entries.len();
        }
        let listed = list(folder);
        let mut there = vec![false; self.entries.len()];
        let mut fresh = Vec::new();
        for file in listed {
            let place = self.by_name.get(&file.name);
            if let Some(there) = place.and_then(|post| there.get_mut(*post as usize)) {
                *there = true;
            }
            if self.is_news(&file) {
                fresh.push(file);
            }
        }
        self.change(folder, &fresh, &there)
    }

    /// Reads these files again, which are known to have changed: within one tick of the clock their
    /// time may still be the old one.
    pub(super) fn refresh_some(&mut self, folder: &Path, names: &BTreeSet<String>) -> usize {
        let mut there = vec![true; self.entries.len()];
        let mut fresh = Vec::new();
        for name in names {
            match look(folder, name) {
                Some(file) => fresh.push(file),
                None => {
                    let place = self.by_name.get(name);
                    if let Some(there) = place.and_then(|post| there.get_mut(*post as usize)) {
                        *there = false;
                    }
                }
            }
        }
        self.change(folder, &fresh, &there)
    }

    fn is_news(&self, file: &PostFile) -> bool {
        let known = self.by_name.get(&file.name).and_then(|post| self.entries.get(*post as usize));
        known.is_none_or(|entry| Some(entry.stamp) != file.stamp)
    }

    /// Reads the fresh posts and forgets those that are not there any more.
    fn change(&mut self, folder: &Path, fresh: &[PostFile], there: &[bool]) -> usize {
        let mut gone = 0;
        for (entry, there) in self.entries.iter_mut().zip(there) {
            if !there && !entry.file.is_empty() {
                self.by_name.remove(&entry.file);
                *entry = IndexedPost::default();
                gone += 1;
            }
        }
        for file in fresh {
            let old = self.by_name.remove(&file.name);
            if let Some(entry) = old.and_then(|post| self.entries.get_mut(post as usize)) {
                *entry = IndexedPost::default();
                gone += 1;
            }
        }
        let changes = fresh.len() + gone;
        // More holes than posts: rebuild the lists.
        if changes > 0 && self.entries.len() > 64 && self.len() < self.entries.len() / 2 {
            *self = Self::default();
            self.add_all(folder, &list_unseen(folder));
        } else {
            self.add_all(folder, fresh);
        }
        changes
    }

    fn add_all(&mut self, folder: &Path, files: &[PostFile]) {
        // The files of a chunk share the stems of their words: large chunks stem little.
        let chunks = rayon::current_num_threads() * CHUNKS_PER_THREAD;
        let size = files.len().div_ceil(chunks).max(CHUNK_FILES_MIN);
        let read: Vec<ReadChunk> =
            files.par_chunks(size).map(|chunk| ReadChunk::read(folder, chunk)).collect();
        for ReadChunk { entries, lists } in read {
            let Ok(first) = u32::try_from(self.entries.len()) else { return };
            for (post, entry) in (first..).zip(&entries) {
                self.by_name.insert(entry.file.clone(), post);
            }
            self.entries.extend(entries);
            for (stem, mut posts) in lists {
                posts.iter_mut().for_each(|post| *post += first);
                match self.added.get_mut(&stem) {
                    Some(known) => known.extend(posts),
                    None => drop(self.added.insert(stem, posts)),
                }
            }
        }
    }
}
