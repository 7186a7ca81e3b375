//! The inverted index of posts, in memory.
//!
//! Not a search engine: SQLite's full-text search has no Ukrainian stems and ranks every match
//! before it returns five; tantivy adds a hundred crates to the build. A posting list per stem
//! answers over 100,000 posts in well under a millisecond.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use super::front_matter::split;
use crate::text::stem::stem;
use crate::text::words;
use crate::workspace::read_text;

/// How many posts one index has at most.
pub(super) const POSTS_MAX: usize = 1_000_000;

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
    pub(super) postings: HashMap<String, Vec<u32>>,
}

/// A file in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PostFile {
    pub name: String,
    pub modified_ns: u64,
    pub bytes: u64,
}

struct ParsedPost {
    entry: IndexedPost,
    stems: Vec<String>,
}

impl Index {
    /// How many posts it has.
    pub fn len(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.file.is_empty()).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        let there: std::collections::HashSet<&str> =
            listed.iter().map(|file| file.name.as_str()).collect();
        let changed: std::collections::HashSet<&str> =
            fresh.iter().map(|file| file.name.as_str()).collect();
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
        let read: Vec<ParsedPost> = files
            .par_chunks(256)
            .flat_map_iter(|chunk| {
                // Words repeat: each is stemmed once.
                let mut stems = HashMap::new();
                chunk.iter().map(|file| read_post(folder, file, &mut stems)).collect::<Vec<_>>()
            })
            .collect();
        for ParsedPost { entry, stems } in read {
            let Ok(number) = u32::try_from(self.entries.len()) else { return };
            self.entries.push(entry);
            for stem in stems {
                match self.postings.get_mut(&stem) {
                    Some(posts) => posts.push(number),
                    None => drop(self.postings.insert(stem, vec![number])),
                }
            }
        }
    }
}

/// The posts of a folder, in the order of their names.
fn list(folder: &Path) -> Vec<PostFile> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PostFile> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            if name.starts_with('.') || !name.ends_with(".md") {
                return None;
            }
            let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
            let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            let modified_ns = u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX);
            Some(PostFile { name, modified_ns, bytes: metadata.len() })
        })
        .take(POSTS_MAX)
        .collect();
    files.sort_by(|one, other| one.name.cmp(&other.name));
    files
}

/// An unreadable post is indexed by its name alone.
fn read_post(folder: &Path, file: &PostFile, known: &mut HashMap<String, String>) -> ParsedPost {
    let text = read_text(&folder.join(&file.name), super::POST_BYTES_MAX).unwrap_or_default();
    let (front, body) = split(&text);
    let entry = IndexedPost {
        file: file.name.clone(),
        platform: front.platform,
        created: front.created,
        modified_ns: file.modified_ns,
        bytes: file.bytes,
    };
    let mut stems = Vec::new();
    for source in [front.topic.as_str(), body, file.name.trim_end_matches(".md")] {
        for word in words(source) {
            match known.get(word.text) {
                Some(stem) => stems.push(stem.clone()),
                None => {
                    let stem = stem(word.text);
                    known.insert(word.text.to_owned(), stem.clone());
                    stems.push(stem);
                }
            }
        }
    }
    stems.sort_unstable();
    stems.dedup();
    ParsedPost { entry, stems }
}
