//! Reads posts and lists them by the stems of their words.
//!
//! The cost of an index without its cache is here: four system calls a post, one look at each
//! byte, and one search in a table a word. A word is stemmed when it is met for the first time.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::folder::{OpenFolder, PostFile, Stamp, look, stamp};
use super::front_matter::split;
use super::index::IndexedPost;
use super::word_hasher::WordHash;
use crate::text::stem::stem;
use crate::text::words;

/// Posts that one thread has read, numbered from 0.
pub(super) struct ReadChunk {
    pub entries: Vec<IndexedPost>,
    pub lists: Vec<(String, Vec<u32>)>,
}

/// Words and stems that were met, with the numbers of their lists.
#[derive(Default)]
struct Met {
    words: HashMap<String, usize, WordHash>,
    stems: HashMap<String, usize, WordHash>,
}

impl ReadChunk {
    pub(super) fn read(folder: &Path, files: &[PostFile]) -> Self {
        let mut chunk = Self { entries: Vec::with_capacity(files.len()), lists: Vec::new() };
        let (mut met, mut bytes) = (Met::default(), Vec::new());
        let folder = OpenFolder::new(folder);
        let mut post = 0;
        for file in files {
            let Some((stamp, text)) = read(&folder, file, &mut bytes) else { continue };
            // An unreadable post is indexed by its name alone.
            let (front, body) = split(text.unwrap_or_default());
            for source in [front.topic.as_str(), body, file.name.trim_end_matches(".md")] {
                chunk.add_words(post, source, &mut met);
            }
            chunk.entries.push(IndexedPost {
                file: file.name.clone(),
                platform: front.platform,
                created: front.created,
                stamp,
            });
            post += 1;
        }
        chunk
    }

    fn add_words(&mut self, post: u32, text: &str, met: &mut Met) {
        for word in words(text) {
            let list = match met.words.get(word.text) {
                Some(list) => *list,
                None => {
                    let list = self.list_of(stem(word.text), &mut met.stems);
                    met.words.insert(word.text.to_owned(), list);
                    list
                }
            };
            if let Some((_, posts)) = self.lists.get_mut(list)
                && posts.last() != Some(&post)
            {
                posts.push(post);
            }
        }
    }

    fn list_of(&mut self, stem: String, stems: &mut HashMap<String, usize, WordHash>) -> usize {
        *stems.entry(stem).or_insert_with_key(|stem| {
            self.lists.push((stem.clone(), Vec::new()));
            self.lists.len() - 1
        })
    }
}

/// The stamp of a post, and its text unless it is too large or not text; none if it is not a post.
fn read<'a>(
    folder: &OpenFolder<'_>,
    file: &PostFile,
    bytes: &'a mut Vec<u8>,
) -> Option<(Stamp, Option<&'a str>)> {
    let opened = folder.open(&file.name);
    let stamp = match (file.stamp, &opened) {
        (Some(stamp), _) => stamp,
        (None, Some(opened)) => stamp(&opened.metadata().ok()?)?,
        (None, None) => look(folder.path(), &file.name)?.stamp?,
    };
    Some((stamp, opened.and_then(|opened| text(opened, stamp.bytes, bytes))))
}

/// The text of a file that was just seen with this size; none if it is too large or not text.
///
/// A regular file gives less than was asked for only at its end, so one call reads it; a file that
/// has grown since is read again when its new time is seen.
fn text(mut file: File, size: u64, bytes: &mut Vec<u8>) -> Option<&str> {
    if size > super::POST_BYTES_MAX {
        return None;
    }
    let size = usize::try_from(size).ok()?;
    if bytes.len() < size {
        bytes.resize(size, 0);
    }
    let place = bytes.get_mut(..size)?;
    let mut filled = 0;
    while filled < size {
        match file.read(place.get_mut(filled..)?) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(fault) if fault.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    str::from_utf8(bytes.get(..filled)?).ok()
}
