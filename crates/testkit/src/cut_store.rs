//! A store that stops answering at one write, as if the process died there.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use store::{
    AppendResult, Change, DedupKey, Expected, Expiry, Json, Key, Kv, KvEntry, ListEdit,
    ListEditResult, Log, LogName, Page, PageRequest, Prefix, Queue, Record, Revision, Sequence,
    SqliteStore, Store, StoreFault, Subscription,
};

/// A store whose `cut`-th write never answers: before it is written, or just after.
pub struct CutStore {
    pub inner: Arc<SqliteStore>,
    pub writes: AtomicUsize,
    pub cut: usize,
    pub written: bool,
    /// Do records of logs count too?
    pub logs: bool,
    /// Notified when the cut is reached: the process is dead from here on.
    pub dead: tokio::sync::Notify,
}

impl CutStore {
    async fn die<T>(&self) -> T {
        self.dead.notify_one();
        std::future::pending().await
    }
}

impl Store for CutStore {
    fn kv(&self) -> &dyn Kv {
        self
    }
    fn log(&self) -> &dyn Log {
        self
    }
    fn queue(&self) -> &dyn Queue {
        self.inner.queue()
    }
}

impl Log for CutStore {
    fn append<'a>(
        &'a self,
        log: &'a LogName,
        body: Json,
        key: Option<DedupKey>,
    ) -> Answered<'a, AppendResult> {
        // The audit is written in the background.
        let counts = self.logs && log.as_str() != "audit";
        let number = if counts { self.writes.fetch_add(1, Ordering::SeqCst) } else { usize::MAX };
        Box::pin(async move {
            if number == self.cut && !self.written {
                return self.die().await;
            }
            let answer = self.inner.log().append(log, body, key).await;
            if number == self.cut {
                return self.die().await;
            }
            answer
        })
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

type Answered<'a, T> = store::BoxFuture<'a, Result<T, StoreFault>>;

impl Kv for CutStore {
    fn get<'a>(&'a self, key: &'a Key) -> Answered<'a, Option<KvEntry>> {
        self.inner.kv().get(key)
    }
    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> Answered<'a, Revision> {
        // Session states are written in the background.
        let journal = !key.as_str().starts_with("conversation/");
        let number = if journal { self.writes.fetch_add(1, Ordering::SeqCst) } else { usize::MAX };
        Box::pin(async move {
            if number == self.cut && !self.written {
                return self.die().await;
            }
            let answer = self.inner.kv().set(key, value, expected, expiry).await;
            if number == self.cut {
                return self.die().await;
            }
            answer
        })
    }
    fn delete<'a>(&'a self, key: &'a Key, expected: Expected) -> Answered<'a, Option<Revision>> {
        self.inner.kv().delete(key, expected)
    }
    fn list<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> Answered<'a, Page<KvEntry, Key>> {
        self.inner.kv().list(prefix, page)
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
        self.inner.kv().watch(prefix, after)
    }
    fn edit_list<'a>(&'a self, key: &'a Key, edit: ListEdit) -> Answered<'a, ListEditResult> {
        self.inner.kv().edit_list(key, edit)
    }
}
