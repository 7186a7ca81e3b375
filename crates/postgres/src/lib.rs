//! The store in PostgreSQL: the engine for several server processes.
//!
//! The same promises as the embedded engine, and the same conformance suite. A write goes to this
//! process's writer task (`writer.rs`), which puts all waiting writes into one transaction and
//! answers after its commit. A read goes to a small pool of connections (`connect/readers.rs`),
//! always to the primary. A subscription wakes when a write of this process touches its topic,
//! when another process notifies (`listener.rs`), and at the latest at the next look (`look.rs`).
//! The time is the server's, so that all processes have one clock.
//!
//! Must hold: an answer is sent after the commit; whatever ends a connection during a commit gives
//! [`StoreFault::Unsure`]; a password is in no message and in no `Debug`.
//!
//! Start at [`PostgresStore::open`], then `open/functions.sql`.

mod config;
mod connect;
mod copy;
mod export;
mod fault;
mod import;
mod kv;
mod listener;
mod log;
mod look;
mod open;
mod queue;
mod rows;
mod status;
mod subscription;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use store::engine::{Topic, TopicWait, Topics};
use store::{Clock, Kv, Limits, Log, Queue, Store, StoreFault};
use tokio::task::JoinHandle;

pub use config::{BadAddress, PostgresConfig};
pub use copy::{CopyFault, CopySide, copy};
pub use open::PostgresOpenFault;
pub use status::PostgresStatus;

use connect::{Connector, Readers};
use open::Purpose;
use writer::Writer;

/// How a store in PostgreSQL is opened.
#[derive(Clone)]
pub struct PostgresOptions {
    pub limits: Limits,
    /// The schema in which the tables are; created if it does not exist.
    pub schema: String,
    /// How many reads can run at once, each with a connection. Two more connections are held: one
    /// that writes and one that listens.
    pub readers_max: usize,
    /// How long a deletion is remembered for watches that are behind.
    pub deletions_kept: Duration,
    /// How long a call is retried while the server cannot be reached, before it fails with
    /// [`StoreFault::Busy`].
    pub patience: Duration,
    /// How long one statement may run, and one commit may wait.
    pub statement_max: Duration,
    /// How soon a subscription sees what no notification has told it.
    pub look_every: Duration,
    /// Another clock than the server's, for tests.
    pub clock: Option<Arc<dyn Clock>>,
}

impl PostgresOptions {
    /// For a server: eight readers, deletions remembered for a day, a look every second.
    pub fn server() -> Self {
        Self {
            limits: Limits::PORTABLE,
            schema: "ghosthand".to_owned(),
            readers_max: 8,
            deletions_kept: Duration::from_secs(24 * 60 * 60),
            patience: Duration::from_secs(10),
            statement_max: Duration::from_secs(15),
            look_every: Duration::from_secs(1),
            clock: None,
        }
    }
}

/// A store in PostgreSQL. It belongs to the tokio runtime in which it was opened.
///
/// Dropping it ends its subscriptions with [`StoreFault::Closed`]; accepted writes are completed
/// in the background. [`PostgresStore::close`] waits for them.
pub struct PostgresStore {
    writer: Writer,
    shared: Arc<Shared>,
    /// The writer first, then the tasks that wake subscriptions.
    tasks: Vec<JoinHandle<()>>,
}

/// What reads and subscriptions need; subscriptions keep it alive after the store is dropped.
struct Shared {
    connector: Arc<Connector>,
    readers: Readers,
    topics: Arc<Topics>,
    limits: Limits,
    clock: Option<Arc<dyn Clock>>,
}

impl Shared {
    /// The time for a statement: `None` is the server's.
    fn now(&self) -> Option<i64> {
        self.clock.as_ref().map(|clock| rows::signed(clock.now().as_millis()))
    }
}

impl PostgresStore {
    /// Connects, creates or upgrades the tables, and starts the tasks of the store.
    ///
    /// A database that is not a store of ours, or one of a newer version, is left as it is.
    pub async fn open(
        config: &PostgresConfig,
        options: PostgresOptions,
    ) -> Result<Self, PostgresOpenFault> {
        open::open(config, options, Purpose::Use).await
    }

    /// The same for the target of a [`copy`], which an earlier attempt may have left unfinished.
    pub async fn open_to_copy(
        config: &PostgresConfig,
        options: PostgresOptions,
    ) -> Result<Self, PostgresOpenFault> {
        open::open(config, options, Purpose::Copy).await
    }

    /// Waits until the accepted writes are committed, then closes the connections.
    pub async fn close(mut self) {
        self.writer.close();
        let tasks = std::mem::take(&mut self.tasks);
        let mut tasks = tasks.into_iter();
        if let Some(writer) = tasks.next() {
            let _ = writer.await;
        }
        tasks.for_each(|task| task.abort());
        self.shared.topics.close();
    }

    /// What an operator wants to know about the server.
    pub async fn status(&self) -> Result<PostgresStatus, StoreFault> {
        status::status(&self.shared).await
    }

    /// Wakes when something about the topic may have changed.
    fn subscribe(&self, topic: Topic) -> Result<TopicWait, StoreFault> {
        self.shared.topics.subscribe(topic)
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.writer.close();
        self.shared.topics.close();
        // The writer ends by itself after the writes that it has accepted.
        self.tasks.drain(..).skip(1).for_each(|task| task.abort());
    }
}

impl Store for PostgresStore {
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

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = self.shared.connector.place();
        f.debug_struct("PostgresStore").field("place", &place).finish_non_exhaustive()
    }
}
