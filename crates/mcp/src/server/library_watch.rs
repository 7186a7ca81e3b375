//! The project's prompts and resources, reloaded when their files change.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::broadcast::Sender;
use tokio::sync::mpsc;

use super::mcp_server::McpServerFault;
use super::session::notifications::Change;
use crate::library::{Content, FileFault, Library, PROMPTS};

/// A project's library while the server runs.
pub(crate) struct LibraryWatch {
    library: Mutex<Arc<Library>>,
    changes: Sender<Change>,
    followed: Mutex<BTreeMap<String, FollowedResource>>,
    /// `None` if the system cannot watch files; then changes go unnoticed.
    watcher: Mutex<Option<RecommendedWatcher>>,
    /// The watched folders.
    watched: Mutex<BTreeSet<PathBuf>>,
}

/// A resource that at least one client follows.
struct FollowedResource {
    followers: usize,
    seen: Option<u64>,
}

/// Follows a resource until dropped.
pub(crate) struct FollowGuard {
    library_watch: Weak<LibraryWatch>,
    uri: String,
}

/// How long changes are collected before files are read again.
const QUIET: Duration = Duration::from_millis(100);
/// How many resources all clients together may follow.
const FOLLOWED_MAX: usize = 1_000;
/// How many folders are watched.
const WATCHED_MAX: usize = 256;

impl LibraryWatch {
    /// Loads a project and watches it. Must be called on a runtime.
    pub(crate) fn open(
        project: &Path,
        changes: Sender<Change>,
    ) -> Result<Arc<Self>, McpServerFault> {
        let (library, faults) = Library::read(project);
        if !faults.is_empty() {
            return Err(McpServerFault::Library(faults));
        }
        let library_watch = Arc::new(Self {
            library: Mutex::new(Arc::new(library)),
            changes,
            followed: Mutex::default(),
            watcher: Mutex::new(None),
            watched: Mutex::default(),
        });
        if let Err(fault) = library_watch.start_watching() {
            tracing::warn!(%fault, "cannot watch prompts and resources");
        }
        Ok(library_watch)
    }

    pub(crate) fn library(&self) -> Arc<Library> {
        Arc::clone(&locked(&self.library))
    }

    /// Follows the resource at a URI.
    pub(crate) fn follow(self: &Arc<Self>, uri: &str) -> Result<FollowGuard, FileFault> {
        let library = self.library();
        let found = library.find(uri).ok_or(FileFault::Missing)?;
        if let Some(folder) = found.file(library.root())?.as_deref().and_then(Path::parent) {
            self.watch(folder);
        }
        let mut followed = locked(&self.followed);
        if followed.len() >= FOLLOWED_MAX && !followed.contains_key(uri) {
            return Err(FileFault::TooLarge);
        }
        let seen = stamp(&library, uri);
        let one = followed.entry(uri.to_owned()).or_insert(FollowedResource { followers: 0, seen });
        one.followers += 1;
        Ok(FollowGuard { library_watch: Arc::downgrade(self), uri: uri.to_owned() })
    }

    fn start_watching(self: &Arc<Self>) -> Result<(), notify::Error> {
        let (sender, mut changes) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: Result<Event, _>| {
            if !event.is_ok_and(|event| event.kind.is_access()) {
                // One pending signal stands for all changes.
                let _ = sender.try_send(());
            }
        })?;
        *locked(&self.watcher) = Some(watcher);
        let library = self.library();
        self.watch(library.root());
        self.watch(&library.root().join(PROMPTS));
        let library_watch = Arc::downgrade(self);
        tokio::spawn(async move {
            while changes.recv().await.is_some() {
                tokio::time::sleep(QUIET).await;
                while changes.try_recv().is_ok() {}
                let Some(library_watch) = library_watch.upgrade() else { return };
                // Fails only if `refresh` panics.
                let _ = tokio::task::spawn_blocking(move || library_watch.refresh()).await;
            }
        });
        Ok(())
    }

    /// Watches a folder; a missing one is watched once it exists.
    fn watch(&self, folder: &Path) {
        let mut watcher = locked(&self.watcher);
        let Some(watcher) = watcher.as_mut().filter(|_| folder.is_dir()) else { return };
        let mut watched = locked(&self.watched);
        if watched.len() >= WATCHED_MAX && !watched.contains(folder) {
            tracing::warn!(folder = %folder.display(), "too many folders are watched already");
            return;
        }
        watched.insert(folder.to_owned());
        if let Err(fault) = watcher.watch(folder, RecursiveMode::NonRecursive) {
            tracing::warn!(%fault, folder = %folder.display(), "cannot watch a folder");
        }
    }

    /// Reloads everything and broadcasts what changed. Files with faults change nothing until
    /// they are fixed.
    fn refresh(&self) {
        let before = self.library();
        self.watch(&before.root().join(PROMPTS));
        let (library, faults) = Library::read(before.root());
        let now = match faults.first() {
            Some(fault) => {
                tracing::warn!(%fault, "keeping the previous prompts and resources");
                before
            }
            None => {
                let now = Arc::new(library);
                *locked(&self.library) = Arc::clone(&now);
                if !before.prompts().eq(now.prompts()) {
                    self.broadcast(Change::Prompts);
                }
                if !before.resources().eq(now.resources()) {
                    self.broadcast(Change::Resources);
                }
                now
            }
        };
        for (uri, followed) in locked(&self.followed).iter_mut() {
            let seen = stamp(&now, uri);
            if seen != followed.seen {
                followed.seen = seen;
                self.broadcast(Change::Resource(uri.as_str().into()));
            }
        }
    }

    fn broadcast(&self, changes: Change) {
        // There may be no subscribers.
        let _ = self.changes.send(changes);
    }
}

impl Drop for FollowGuard {
    fn drop(&mut self) {
        let Some(library_watch) = self.library_watch.upgrade() else { return };
        let mut followed = locked(&library_watch.followed);
        let Some(one) = followed.get_mut(&self.uri) else { return };
        one.followers = one.followers.saturating_sub(1);
        if one.followers == 0 {
            followed.remove(&self.uri);
        }
    }
}

/// Changes whenever the content does; `None` if there is no content.
fn stamp(library: &Library, uri: &str) -> Option<u64> {
    let found = library.find(uri)?;
    let mut hasher = DefaultHasher::new();
    match found.file(library.root()).ok()? {
        Some(file) => {
            let metadata = std::fs::metadata(file).ok()?;
            (metadata.len(), metadata.modified().ok()).hash(&mut hasher);
        }
        None => match found.read(library.root()).ok()? {
            Content::Text(text) => text.hash(&mut hasher),
            Content::Bytes(bytes) => bytes.hash(&mut hasher),
        },
    }
    Some(hasher.finish())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
