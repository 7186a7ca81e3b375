//! Searches saved posts by the stems of keywords; the index follows the folder.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use unicode_segmentation::UnicodeSegmentation;

use super::POST_BYTES_MAX;
use super::folder_watch::{FolderWatch, Happened};
use super::front_matter::split;
use super::index::Index;
use super::rank::{most_alike, ranked};
use crate::posts::length::Platform;
use crate::workspace::{Workspace, read_text};

/// How long an edit inside a file may go unnoticed where the folder cannot be watched. A new or
/// renamed file is noticed at once.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
const PREVIEW_CHARS: usize = 200;

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

impl FoundPost {
    /// Reads a file of the folder with the saved posts.
    pub(super) fn read(folder: &Path, file: String) -> Option<Self> {
        let text = read_text(&folder.join(&file), POST_BYTES_MAX).ok()?;
        let (front, body) = split(&text);
        let preview = body.graphemes(true).take(PREVIEW_CHARS).collect::<String>();
        Some(Self {
            file,
            platform: front.platform,
            topic: front.topic,
            created: front.created,
            profile_used: front.profile_used,
            preview: preview.trim_end().to_owned(),
        })
    }
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
    /// Tells what has changed since the index was refreshed.
    watch: Option<FolderWatch>,
    looked: Option<FolderScan>,
    /// Changes that the cache on disk does not have.
    unsaved: usize,
}

/// The last scan of a folder that is not watched, and the folder's modification time then.
#[derive(Debug, Clone, Copy)]
struct FolderScan {
    changed: Option<SystemTime>,
    at: Instant,
    /// How long the scan took: a folder of 100,000 files is not scanned at every turn.
    took: Duration,
    /// A folder that changed a moment ago may change again within the same tick.
    is_settled: bool,
}

/// The cache is written when one post in this many has changed: reading a few posts again costs
/// less than writing a large cache after every new one.
const UNSAVED_SHARE: usize = 64;

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
        (files.into_iter().filter_map(|file| FoundPost::read(&self.folder, file)).collect(), total)
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
        let text = read_text(&self.folder.join(file), POST_BYTES_MAX).ok()?;
        Some(split(&text).1.trim_end().to_owned())
    }

    fn fresh<'a>(&self, state: &'a mut State) -> &'a Index {
        let State { index, watch, looked, unsaved } = state;
        let index = index.get_or_insert_with(|| Index::load(&self.cache));
        match watch.as_ref().map(FolderWatch::happened) {
            Some(Happened::Names(names)) if names.is_empty() => {}
            Some(Happened::Names(names)) => *unsaved += index.refresh_some(&self.folder, &names),
            Some(Happened::Unknown) | None => {
                // The watch begins before the scan, so that it misses nothing.
                *watch = FolderWatch::start(&self.folder);
                *unsaved += self.scan(index, looked, watch.is_some());
            }
        }
        if *unsaved > 0 && *unsaved * UNSAVED_SHARE >= index.entries.len() {
            index.store(&self.cache);
            *unsaved = 0;
        }
        index
    }

    /// Looks at every file, unless that was done a moment ago; returns the number of changes.
    fn scan(&self, index: &mut Index, looked: &mut Option<FolderScan>, is_watched: bool) -> usize {
        let changed = self.folder.metadata().and_then(|folder| folder.modified()).ok();
        let is_fresh = looked.is_some_and(|looked| {
            looked.is_settled
                && looked.changed == changed
                && looked.at.elapsed() < LOOK_AGAIN.max(looked.took * REST)
        });
        if is_fresh && !is_watched {
            return 0;
        }
        let start = Instant::now();
        let changes = index.refresh(&self.folder);
        let age = changed.and_then(|changed| changed.elapsed().ok());
        let is_settled = age.is_some_and(|age| age > TICK);
        let took = start.elapsed();
        *looked = Some(FolderScan { changed, at: Instant::now(), took, is_settled });
        changes
    }
}
