//! The embedded engine: one SQLite file, one writer with group commit, readers beside it.
//!
//! A write goes to the writer's thread (`writer.rs`), which puts all waiting writes
//! into one transaction and answers after its commit is on disk. A read goes
//! to a small pool of connections (`readers.rs`). A subscription wakes when a write of this
//! process touches its topic (`engine/topics.rs`), and at the latest [`LOOK_EVERY`] after
//! another process has written.
//!
//! Must hold: an answer is sent after the commit, never before; a file that is not a valid
//! store is not changed.

mod bounds;
mod check;
mod counter;
mod expiry;
mod export;
mod fault;
mod import;
mod kv;
mod log;
mod open;
mod queue;
mod readers;
mod subscription;
mod watch;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

pub use check::{CheckReport, QUICK_BYTES_MAX, check, quick_check};
pub use open::OpenFault;

use crate::clock::{Clock, ManualClock, SystemClock, Timestamp};
use crate::engine::{Topic, TopicWait, Topics};
use crate::fault::StoreFault;
use crate::kv::Kv;
use crate::limits::Limits;
use crate::log::Log;
use crate::queue::Queue;
use crate::store::Store;
use open::Sync;
use readers::Readers;
use writer::{Step, Writer};

/// How soon a subscription or a waiting claim sees what another process wrote, what became
/// claimable by time, and what expired.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The same while there are no waiters: only expired values are removed.
const LOOK_EVERY_IDLE: Duration = Duration::from_secs(1);

/// How a store is opened.
#[derive(Clone)]
pub struct SqliteOptions {
    pub limits: Limits,
    pub clock: Arc<dyn Clock>,
    /// How many reads can run at once, each with a connection and a thread.
    pub readers_max: usize,
    /// How long a deletion is remembered for watches that are behind.
    pub deletions_kept: Duration,
}

impl SqliteOptions {
    /// For a program on one machine: four readers, deletions remembered for a day.
    pub fn machine() -> Self {
        Self {
            limits: Limits::PORTABLE,
            clock: Arc::new(SystemClock),
            readers_max: 4,
            deletions_kept: Duration::from_secs(24 * 60 * 60),
        }
    }

    /// Like [`SqliteOptions::machine`], with a clock that the caller moves.
    pub fn with_clock(clock: Arc<ManualClock>) -> Self {
        Self { clock, ..Self::machine() }
    }
}

/// The store in one SQLite file. Calls need a tokio runtime around them.
///
/// Dropping it waits for the accepted writes, then closes the file; subscriptions that
/// are still open end with [`StoreFault::Closed`].
pub struct SqliteStore {
    // The order of the fields is the order of closing: writer, readers, folder.
    writer: Writer,
    shared: Arc<Shared>,
    _folder: Option<TempDir>,
}

/// What reads and subscriptions need; subscriptions keep it alive after the store is dropped.
struct Shared {
    readers: Readers,
    topics: Arc<Topics>,
    clock: Arc<dyn Clock>,
    limits: Limits,
}

impl SqliteStore {
    /// Opens the store at `path`, or creates a new one if there is no file. Blocks for a
    /// few milliseconds.
    ///
    /// A file that is not a store, is damaged or is from a newer version is left exactly
    /// as it is. Other processes may have the same store open.
    pub fn open(path: &Path, options: SqliteOptions) -> Result<Self, OpenFault> {
        Self::start(path, options, Sync::Disk, None)
    }

    /// A store in a new temporary folder, which is removed when it is dropped. The same
    /// engine, except that it does not wait for the disk.
    pub fn temporary(options: SqliteOptions) -> Result<Self, OpenFault> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix("ghosthand-store-").tempdir();
        let folder = folder.map_err(|error| OpenFault::io(&std::env::temp_dir(), &error))?;
        let path = folder.path().join("store.db");
        Self::start(&path, options, Sync::Process, Some(folder))
    }

    fn start(
        path: &Path,
        options: SqliteOptions,
        sync: Sync,
        folder: Option<TempDir>,
    ) -> Result<Self, OpenFault> {
        let SqliteOptions { limits, clock, readers_max, deletions_kept } = options;
        // Readers open it later, when the working directory may have changed.
        let path = std::path::absolute(path).map_err(|error| OpenFault::io(path, &error))?;
        let connection = open::open(&path, sync)?;
        let topics = Arc::new(Topics::default());
        let writer_thread = writer::WriterThread {
            connection,
            topics: Arc::clone(&topics),
            clock: Arc::clone(&clock),
            limits,
            deletions_kept,
        };
        let writer = Writer::start(writer_thread).map_err(|error| OpenFault::io(&path, &error))?;
        let readers = Readers::new(path, readers_max);
        let shared = Arc::new(Shared { readers, topics, clock, limits });
        Ok(Self { writer, shared, _folder: folder })
    }

    pub fn path(&self) -> &Path {
        self.shared.readers.path()
    }

    /// Runs a write of about `bytes` in the writer's next transaction.
    async fn write<T: Send + 'static>(
        &self,
        bytes: usize,
        run: impl FnOnce(&mut Step<'_>) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFault> {
        self.writer.submit(bytes, run).await
    }

    /// Wakes when something about the topic may have changed.
    fn subscribe(&self, topic: Topic) -> Result<TopicWait, StoreFault> {
        let subscription = self.shared.topics.subscribe(topic)?;
        self.writer.wake();
        Ok(subscription)
    }
}

impl Shared {
    async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        run: impl FnOnce(&Look<'_>) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let shared = Arc::clone(self);
        let run = move |connection: &rusqlite::Connection| {
            let (now, limits) = (shared.clock.now(), &shared.limits);
            run(&Look { connection, now, limits })
        };
        self.readers.read(run).await
    }
}

/// One read: a connection, and the time of the read.
struct Look<'a> {
    connection: &'a rusqlite::Connection,
    now: Timestamp,
    limits: &'a Limits,
}

impl Store for SqliteStore {
    fn kv(&self) -> &dyn Kv {
        self
    }
    fn log(&self) -> &dyn Log {
        self
    }
    fn queue(&self) -> &dyn Queue {
        self
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path: PathBuf = self.path().to_owned();
        f.debug_struct("SqliteStore").field("path", &path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
