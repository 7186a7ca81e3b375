//! Searches saved posts by the stems of keywords; the index follows the folder.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use unicode_segmentation::UnicodeSegmentation;

use super::front_matter::split;
use super::index::Index;
use crate::posts::length::Platform;
use crate::text::stem::stem;
use crate::text::words;
use crate::workspace::{Workspace, read_text};

/// How long an edit inside a file may go unnoticed. A new or renamed file is noticed at once.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
const PREVIEW_CHARS: usize = 200;
const KEYWORDS_MAX: usize = 50;

/// A search for posts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub keywords: Vec<String>,
    /// None for all platforms.
    pub platform: Option<Platform>,
    pub limit: usize,
}

/// A post that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundPost {
    pub file: String,
    pub platform: String,
    pub topic: String,
    pub created: String,
    pub profile_used: String,
    pub preview: String,
}

/// The posts of a workspace, with their index.
#[derive(Debug)]
pub struct Posts {
    folder: PathBuf,
    cache: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    index: Option<Index>,
    looked: Option<FolderScan>,
}

/// The last scan of the folder, and the folder's modification time then.
#[derive(Debug, Clone, Copy)]
struct FolderScan {
    changed: Option<SystemTime>,
    at: Instant,
    /// How long the scan took: a folder of 100,000 files is not scanned at every turn.
    took: Duration,
    /// A folder that changed a moment ago may change again within the same tick.
    is_settled: bool,
}

/// The pause between two scans, in multiples of a scan.
const REST: u32 = 100;

/// The resolution of file system clocks.
const TICK: Duration = Duration::from_millis(100);

impl Posts {
    pub fn of(workspace: &Workspace) -> Self {
        let folder = workspace.posts_dir();
        let cache = workspace.root().join("output").join(".posts-index");
        Self { folder, cache, state: Mutex::default() }
    }

    /// The best posts, and how many there are in all.
    pub fn search(&self, query: &Query) -> (Vec<FoundPost>, usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let index = self.fresh(&mut state);
        let ranked = ranked(index, query);
        let total = ranked.len();
        let best = ranked.into_iter().take(query.limit);
        let files: Vec<String> =
            best.filter_map(|post| Some(index.entries.get(post as usize)?.file.clone())).collect();
        drop(state);
        (files.into_iter().filter_map(|file| self.found(file)).collect(), total)
    }

    /// The texts of the posts that have the most words in common with this one, except these
    /// files.
    pub fn similar(&self, text: &str, limit: usize, except: &[String]) -> Vec<String> {
        let files = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let index = self.fresh(&mut state);
            let posts = most_alike(index, text, limit + except.len());
            let file = |post: u32| Some(index.entries.get(post as usize)?.file.clone());
            let others = posts.into_iter().filter_map(file).filter(|file| !except.contains(file));
            others.take(limit).collect::<Vec<String>>()
        };
        files.iter().filter_map(|file| self.text(file)).collect()
    }

    /// How many posts there are.
    pub fn count(&self) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.fresh(&mut state).len()
    }

    /// The whole text of a saved post, without its front matter.
    pub fn text(&self, file: &str) -> Option<String> {
        let text = read_text(&self.folder.join(file), super::POST_BYTES_MAX).ok()?;
        Some(split(&text).1.trim_end().to_owned())
    }

    fn fresh<'a>(&self, state: &'a mut State) -> &'a Index {
        let changed = self.folder.metadata().and_then(|folder| folder.modified()).ok();
        let is_fresh = state.looked.is_some_and(|looked| {
            looked.is_settled
                && looked.changed == changed
                && looked.at.elapsed() < LOOK_AGAIN.max(looked.took * REST)
        });
        let index = state.index.get_or_insert_with(|| Index::load(&self.cache));
        if !is_fresh {
            let start = Instant::now();
            if index.refresh(&self.folder) {
                index.store(&self.cache);
            }
            let age = changed.and_then(|changed| changed.elapsed().ok());
            let is_settled = age.is_some_and(|age| age > TICK);
            state.looked =
                Some(FolderScan { changed, at: Instant::now(), took: start.elapsed(), is_settled });
        }
        index
    }

    fn found(&self, file: String) -> Option<FoundPost> {
        let text = read_text(&self.folder.join(&file), super::POST_BYTES_MAX).ok()?;
        let (front, body) = split(&text);
        let preview = body.graphemes(true).take(PREVIEW_CHARS).collect::<String>();
        Some(FoundPost {
            file,
            platform: front.platform,
            topic: front.topic,
            created: front.created,
            profile_used: front.profile_used,
            preview: preview.trim_end().to_owned(),
        })
    }
}

/// The posts that have at least one keyword: those with more first, then the newest.
fn ranked(index: &Index, query: &Query) -> Vec<u32> {
    let mut hits = vec![0_u32; index.entries.len()];
    for keyword in query.keywords.iter().take(KEYWORDS_MAX) {
        for post in with_all_words(index, keyword) {
            if let Some(count) = hits.get_mut(post as usize) {
                *count += 1;
            }
        }
    }
    let entry = |post: u32| index.entries.get(post as usize).filter(|one| !one.file.is_empty());
    let platform = query.platform.map(Platform::as_str);
    let mut posts: Vec<u32> = (0_u32..)
        .zip(&hits)
        .filter(|(_, count)| **count > 0)
        .map(|(post, _)| post)
        .filter(|post| {
            entry(*post).is_some_and(|entry| platform.is_none_or(|name| entry.platform == name))
        })
        .collect();
    let key = |post: &u32| {
        (hits.get(*post as usize), entry(*post).map(|entry| (&entry.created, &entry.file)))
    };
    // Only the first ones are shown: the rest need not be sorted.
    if posts.len() > query.limit && query.limit > 0 {
        posts.select_nth_unstable_by(query.limit - 1, |one, other| key(other).cmp(&key(one)));
        posts[..query.limit].sort_unstable_by(|one, other| key(other).cmp(&key(one)));
    } else {
        posts.sort_unstable_by(|one, other| key(other).cmp(&key(one)));
    }
    posts
}

/// The posts with the most words of a text, counted by stems.
fn most_alike(index: &Index, text: &str, limit: usize) -> Vec<u32> {
    let mut stems: Vec<String> = words(text).map(|word| stem(word.text)).collect();
    stems.sort_unstable();
    stems.dedup();
    let mut hits = vec![0_u32; index.entries.len()];
    for stem in &stems {
        for post in index.posts_with(stem) {
            if let Some(count) = hits.get_mut(post as usize) {
                *count += 1;
            }
        }
    }
    let there =
        |post: u32| index.entries.get(post as usize).is_some_and(|one| !one.file.is_empty());
    let counted = (0_u32..).zip(hits).filter(|(post, count)| *count > 0 && there(*post));
    let mut posts: Vec<(u32, u32)> = counted.collect();
    posts.sort_unstable_by_key(|(post, count)| (std::cmp::Reverse(*count), *post));
    posts.into_iter().take(limit).map(|(post, _)| post).collect()
}

/// The posts that have every word of a keyword.
fn with_all_words(index: &Index, keyword: &str) -> Vec<u32> {
    let mut lists: Vec<Vec<u32>> =
        words(keyword).map(|word| index.posts_with(&stem(word.text))).collect();
    lists.sort_by_key(Vec::len);
    let Some((first, rest)) = lists.split_first() else { return Vec::new() };
    let everywhere = |post: &&u32| rest.iter().all(|posts| posts.binary_search(post).is_ok());
    first.iter().filter(everywhere).copied().collect()
}
