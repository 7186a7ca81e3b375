//! The prompts and resources that are offered now, read again when their files change.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::broadcast::Sender;
use tokio::sync::mpsc;

use super::door::DoorFault;
use super::news::News;
use crate::library::{Content, Library, PROMPTS, Refused};

/// A project's library while clients are there.
pub(super) struct Offered {
    library: Mutex<Arc<Library>>,
    news: Sender<News>,
    followed: Mutex<BTreeMap<String, Followed>>,
    /// None where the machine cannot watch files; then nobody hears of changes.
    watcher: Mutex<Option<RecommendedWatcher>>,
    /// Its folders.
    watched: Mutex<BTreeSet<PathBuf>>,
}

/// A resource that somebody follows.
struct Followed {
    followers: usize,
    seen: Option<u64>,
}

/// Somebody follows a resource for as long as this lives.
pub(super) struct Following {
    offered: Weak<Offered>,
    uri: String,
}

/// How long changes are collected before files are read again.
const QUIET: Duration = Duration::from_millis(100);
/// How many resources are followed by all clients together.
const FOLLOWED_MAX: usize = 1_000;
/// How many folders are watched.
const WATCHED_MAX: usize = 256;

impl Offered {
    /// Reads a project and watches it; must be called on a runtime.
    pub(super) fn open(project: &Path, news: Sender<News>) -> Result<Arc<Self>, DoorFault> {
        let (library, faults) = Library::read(project);
        if !faults.is_empty() {
            return Err(DoorFault::Library(faults));
        }
        let offered = Arc::new(Self {
            library: Mutex::new(Arc::new(library)),
            news,
            followed: Mutex::default(),
            watcher: Mutex::new(None),
            watched: Mutex::default(),
        });
        if let Err(fault) = offered.start_watching() {
            tracing::warn!(%fault, "prompts and resources are not watched");
        }
        Ok(offered)
    }

    pub(super) fn library(&self) -> Arc<Library> {
        Arc::clone(&locked(&self.library))
    }

    /// Follows what is at a URI.
    pub(super) fn follow(self: &Arc<Self>, uri: &str) -> Result<Following, Refused> {
        let library = self.library();
        let found = library.find(uri).ok_or(Refused::Missing)?;
        if let Some(folder) = found.file(library.root())?.as_deref().and_then(Path::parent) {
            self.watch(folder);
        }
        let mut followed = locked(&self.followed);
        if followed.len() >= FOLLOWED_MAX && !followed.contains_key(uri) {
            return Err(Refused::TooLarge);
        }
        let seen = stamp(&library, uri);
        let one = followed.entry(uri.to_owned()).or_insert(Followed { followers: 0, seen });
        one.followers += 1;
        Ok(Following { offered: Arc::downgrade(self), uri: uri.to_owned() })
    }

    fn start_watching(self: &Arc<Self>) -> Result<(), notify::Error> {
        let (sender, mut changes) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: Result<Event, _>| {
            if !event.is_ok_and(|event| event.kind.is_access()) {
                // One that waits stands for all.
                let _ = sender.try_send(());
            }
        })?;
        *locked(&self.watcher) = Some(watcher);
        let library = self.library();
        self.watch(library.root());
        self.watch(&library.root().join(PROMPTS));
        let offered = Arc::downgrade(self);
        tokio::spawn(async move {
            while changes.recv().await.is_some() {
                tokio::time::sleep(QUIET).await;
                while changes.try_recv().is_ok() {}
                let Some(offered) = offered.upgrade() else { return };
                // Only a panic in it could end it otherwise.
                let _ = tokio::task::spawn_blocking(move || offered.refresh()).await;
            }
        });
        Ok(())
    }

    /// Watches a folder. One that is not there is watched once it is.
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
            tracing::warn!(%fault, folder = %folder.display(), "a folder is not watched");
        }
    }

    /// Reads everything again and tells what is new. Files that are broken now change
    /// nothing until they are whole again.
    fn refresh(&self) {
        let before = self.library();
        self.watch(&before.root().join(PROMPTS));
        let (library, faults) = Library::read(before.root());
        let now = match faults.first() {
            Some(fault) => {
                tracing::warn!(%fault, "prompts and resources stay as they were");
                before
            }
            None => {
                let now = Arc::new(library);
                *locked(&self.library) = Arc::clone(&now);
                if !before.prompts().eq(now.prompts()) {
                    self.tell(News::Prompts);
                }
                if !before.resources().eq(now.resources()) {
                    self.tell(News::Resources);
                }
                now
            }
        };
        for (uri, followed) in locked(&self.followed).iter_mut() {
            let seen = stamp(&now, uri);
            if seen != followed.seen {
                followed.seen = seen;
                self.tell(News::Resource(uri.as_str().into()));
            }
        }
    }

    fn tell(&self, news: News) {
        // Nobody may be listening.
        let _ = self.news.send(news);
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let Some(offered) = self.offered.upgrade() else { return };
        let mut followed = locked(&offered.followed);
        let Some(one) = followed.get_mut(&self.uri) else { return };
        one.followers = one.followers.saturating_sub(1);
        if one.followers == 0 {
            followed.remove(&self.uri);
        }
    }
}

/// Changes whenever the content does; none if there is no content.
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
