//! A store that fails at one operation: the process dies there, the operation reports an error,
//! or it returns garbage. Its watches end with a fault when told to. Everything else goes to a
//! real store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use store::{
    AppendResult, Change, DedupKey, Expected, Expiry, Json, Key, Kv, KvEntry, ListEdit,
    ListEditResult, Log, LogName, Page, PageRequest, Prefix, Queue, Record, Revision, Sequence,
    SqliteStore, Store, StoreFault, Subscription, SubscriptionSource,
};
use tokio::sync::watch;

/// How the store fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFailure {
    /// The process dies before the write: the operation never answers.
    DieBefore,
    /// The process dies just after the write.
    DieAfter,
    /// The operation fails; the next one works.
    Once,
    /// This operation and all later ones fail.
    Forever,
    /// A read returns some other JSON.
    Garbage,
    /// A write happens, and reports that it may not have.
    Unsure,
}

impl StoreFailure {
    /// Whether reads count as operations and fail too.
    fn hits_reads(self) -> bool {
        match self {
            StoreFailure::Once | StoreFailure::Forever | StoreFailure::Garbage => true,
            StoreFailure::DieBefore | StoreFailure::DieAfter | StoreFailure::Unsure => false,
        }
    }
}

/// Which writes count as operations. Those in the background never do: session states, and the
/// audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    Keys,
    KeysAndLogs,
}

/// A store whose operation number `at`, counted from 0, fails.
pub struct FaultyStore {
    inner: Arc<SqliteStore>,
    failure: StoreFailure,
    at: usize,
    counted: Counted,
    operations: AtomicUsize,
    on_failure: Box<dyn Fn() + Send + Sync>,
    watch_fault: watch::Sender<Option<StoreFault>>,
}

impl FaultyStore {
    /// `on_failure` is called when the operation fails; after the write, where there is one.
    pub fn new(
        inner: Arc<SqliteStore>,
        (failure, at): (StoreFailure, usize),
        counted: Counted,
        on_failure: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        let (operations, on_failure) = (AtomicUsize::new(0), Box::new(on_failure));
        let watch_fault = watch::Sender::new(None);
        Self { inner, failure, at, counted, operations, on_failure, watch_fault }
    }

    /// A store whose operations all work.
    pub fn working(inner: Arc<SqliteStore>) -> Self {
        Self::new(inner, (StoreFailure::Once, usize::MAX), Counted::Keys, || {})
    }

    /// Ends every watch that is open now; its next item is this fault. Later watches work.
    pub fn end_watches(&self, fault: StoreFault) {
        self.watch_fault.send_replace(Some(fault));
    }

    fn fails(&self) -> bool {
        let number = self.operations.fetch_add(1, Ordering::SeqCst);
        match self.failure {
            StoreFailure::Forever => number >= self.at,
            StoreFailure::DieBefore
            | StoreFailure::DieAfter
            | StoreFailure::Once
            | StoreFailure::Garbage
            | StoreFailure::Unsure => number == self.at,
        }
    }

    fn read_fails(&self) -> bool {
        self.failure.hits_reads() && self.fails()
    }

    async fn die<T>(&self) -> T {
        (self.on_failure)();
        std::future::pending().await
    }

    fn broken(&self) -> StoreFault {
        (self.on_failure)();
        StoreFault::Unusable { because: "the disk is full".into() }
    }

    async fn faulty_write<T>(&self, fails: bool, write: Answered<'_, T>) -> Result<T, StoreFault> {
        match self.failure {
            _ if !fails => write.await,
            StoreFailure::DieBefore => self.die().await,
            StoreFailure::DieAfter => {
                let _written = write.await;
                self.die().await
            }
            StoreFailure::Once | StoreFailure::Forever => Err(self.broken()),
            StoreFailure::Garbage => {
                (self.on_failure)();
                write.await
            }
            StoreFailure::Unsure => {
                write.await?;
                (self.on_failure)();
                Err(StoreFault::Unsure { because: "the disk is slow".into() })
            }
        }
    }

    /// Garbage in the place of every entry, or an error.
    async fn faulty_read<T>(
        &self,
        read: Answered<'_, T>,
        to_garbage: impl Fn(T) -> T,
    ) -> Result<T, StoreFault> {
        match self.failure {
            StoreFailure::Garbage => {
                (self.on_failure)();
                Ok(to_garbage(read.await?))
            }
            StoreFailure::Once | StoreFailure::Forever => Err(self.broken()),
            StoreFailure::DieBefore | StoreFailure::DieAfter | StoreFailure::Unsure => read.await,
        }
    }
}

fn garbage(entry: KvEntry) -> KvEntry {
    let value = Json::of(&json!(["garbage"])).unwrap_or(entry.value);
    KvEntry { value, ..entry }
}

impl Store for FaultyStore {
    fn kv(&self) -> &dyn Kv {
        self
    }
    fn log(&self) -> &dyn Log {
        match self.counted {
            Counted::Keys => self.inner.log(),
            Counted::KeysAndLogs => self,
        }
    }
    fn queue(&self) -> &dyn Queue {
        self.inner.queue()
    }
}

type Answered<'a, T> = store::BoxFuture<'a, Result<T, StoreFault>>;

impl Kv for FaultyStore {
    fn get<'a>(&'a self, key: &'a Key) -> Answered<'a, Option<KvEntry>> {
        let found = self.inner.kv().get(key);
        match self.read_fails() {
            true => Box::pin(self.faulty_read(found, |found| found.map(garbage))),
            false => found,
        }
    }
    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> Answered<'a, Revision> {
        let is_background =
            ["conversation/", "lease/"].iter().any(|start| key.as_str().starts_with(start));
        let fails = !is_background && self.fails();
        Box::pin(self.faulty_write(fails, self.inner.kv().set(key, value, expected, expiry)))
    }
    fn delete<'a>(&'a self, key: &'a Key, expected: Expected) -> Answered<'a, Option<Revision>> {
        self.inner.kv().delete(key, expected)
    }
    fn list<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> Answered<'a, Page<KvEntry, Key>> {
        let listed = self.inner.kv().list(prefix, page);
        let to_garbage = |page: Page<KvEntry, Key>| {
            let items = page.items.into_iter().map(garbage).collect();
            Page { items, next: page.next }
        };
        match self.read_fails() {
            true => Box::pin(self.faulty_read(listed, to_garbage)),
            false => listed,
        }
    }
    fn keys<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> Answered<'a, Page<Key, Key>> {
        self.inner.kv().keys(prefix, page)
    }
    fn revision(&self) -> Answered<'_, Revision> {
        self.inner.kv().revision()
    }
    fn watch<'a>(
        &'a self,
        prefix: &'a Prefix,
        after: Revision,
    ) -> Answered<'a, Subscription<Change>> {
        let fault = self.watch_fault.subscribe();
        Box::pin(async move {
            let inner = self.inner.kv().watch(prefix, after).await?;
            Ok(Subscription::new(FaultyWatch { inner, fault }))
        })
    }
    fn edit_list<'a>(&'a self, key: &'a Key, edit: ListEdit) -> Answered<'a, ListEditResult> {
        self.inner.kv().edit_list(key, edit)
    }
}

/// A watch that ends when its store says so, before it reports anything more.
struct FaultyWatch {
    inner: Subscription<Change>,
    fault: watch::Receiver<Option<StoreFault>>,
}

impl SubscriptionSource<Change> for FaultyWatch {
    fn next(&mut self) -> Answered<'_, Change> {
        Box::pin(async move {
            tokio::select! {
                biased;
                _ = self.fault.changed() => {
                    Err(self.fault.borrow().clone().unwrap_or(StoreFault::Closed))
                }
                change = self.inner.next() => change,
            }
        })
    }
}

impl Log for FaultyStore {
    fn append<'a>(
        &'a self,
        log: &'a LogName,
        body: Json,
        key: Option<DedupKey>,
    ) -> Answered<'a, AppendResult> {
        let is_background = log.as_str() == "audit";
        let fails = !is_background && self.fails();
        Box::pin(self.faulty_write(fails, self.inner.log().append(log, body, key)))
    }
    fn read<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
        limit: usize,
    ) -> Answered<'a, Vec<Record>> {
        self.inner.log().read(log, from, limit)
    }
    fn find<'a>(&'a self, log: &'a LogName, key: &'a DedupKey) -> Answered<'a, Option<Record>> {
        self.inner.log().find(log, key)
    }
    fn last<'a>(&'a self, log: &'a LogName) -> Answered<'a, Option<Sequence>> {
        self.inner.log().last(log)
    }
    fn follow<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
    ) -> Answered<'a, Subscription<Record>> {
        self.inner.log().follow(log, from)
    }
    fn logs<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<LogName>,
    ) -> Answered<'a, Page<LogName, LogName>> {
        self.inner.log().logs(prefix, page)
    }
    fn erase<'a>(&'a self, log: &'a LogName) -> Answered<'a, ()> {
        self.inner.log().erase(log)
    }
}
