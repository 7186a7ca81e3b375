//! R9: a guard that fails or talks nonsense denies. The store is what guards ask, so it fails
//! here at every single question and every single write, one after the other.

use std::sync::Mutex;

use store::StoreFault;

use super::*;

type Answered<'a, T> = store::BoxFuture<'a, Result<T, StoreFault>>;

/// How the store goes wrong from its `at`-th operation on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Once; the next question is answered.
    Once,
    /// From then on.
    ForEver,
    /// What is read once is some other JSON.
    Nonsense,
    /// A write once says that it may or may not have happened; it has.
    Unsure,
}

/// A store that goes wrong.
struct Failing {
    inner: Arc<SqliteStore>,
    fault: Fault,
    at: usize,
    operations: AtomicUsize,
    ran: Arc<AtomicUsize>,
    /// How often the handler had run when the fault came.
    ran_before: Mutex<Option<usize>>,
}

impl Failing {
    /// Only a write can be unsure; everything else goes wrong with every operation.
    fn is_read_due(&self) -> bool {
        self.fault != Fault::Unsure && self.is_due()
    }

    fn is_due(&self) -> bool {
        let number = self.operations.fetch_add(1, Ordering::SeqCst);
        let is_due = match self.fault {
            Fault::ForEver => number >= self.at,
            Fault::Once | Fault::Nonsense | Fault::Unsure => number == self.at,
        };
        if is_due {
            let ran = self.ran.load(Ordering::SeqCst);
            self.ran_before.lock().unwrap().get_or_insert(ran);
        }
        is_due
    }

    fn broken(&self) -> StoreFault {
        match self.fault {
            Fault::Once | Fault::ForEver | Fault::Nonsense => {
                StoreFault::Unusable { because: "the disk is full".into() }
            }
            Fault::Unsure => StoreFault::Unsure { because: "the disk is slow".into() },
        }
    }

    fn nonsense(entry: KvEntry) -> KvEntry {
        KvEntry { value: Json::of(&json!(["nonsense"])).unwrap(), ..entry }
    }
}

impl Store for Failing {
    fn kv(&self) -> &dyn Kv {
        self
    }
    fn log(&self) -> &dyn Log {
        self.inner.log()
    }
    fn queue(&self) -> &dyn Queue {
        self.inner.queue()
    }
}

impl Kv for Failing {
    fn get<'a>(&'a self, key: &'a Key) -> Answered<'a, Option<KvEntry>> {
        let is_due = self.is_read_due();
        Box::pin(async move {
            match (is_due, self.fault) {
                (true, Fault::Once | Fault::ForEver) => Err(self.broken()),
                (true, Fault::Nonsense) => Ok(self.inner.kv().get(key).await?.map(Self::nonsense)),
                (true, Fault::Unsure) | (false, _) => self.inner.kv().get(key).await,
            }
        })
    }
    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> Answered<'a, Revision> {
        // Notes are written behind, by whoever has time; they guard nothing then.
        let is_due = !key.as_str().starts_with("conversation/") && self.is_due();
        Box::pin(async move {
            match (is_due, self.fault) {
                (true, Fault::Once | Fault::ForEver) => Err(self.broken()),
                (true, Fault::Unsure) => {
                    self.inner.kv().set(key, value, expected, expiry).await?;
                    Err(self.broken())
                }
                (true, Fault::Nonsense) | (false, _) => {
                    self.inner.kv().set(key, value, expected, expiry).await
                }
            }
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
        let is_due = self.is_read_due();
        Box::pin(async move {
            if is_due && matches!(self.fault, Fault::Once | Fault::ForEver) {
                return Err(self.broken());
            }
            let mut page = self.inner.kv().list(prefix, page).await?;
            if is_due && self.fault == Fault::Nonsense {
                page.items = page.items.into_iter().map(Self::nonsense).collect();
            }
            Ok(page)
        })
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

/// Asks, approves and resumes with a store that goes wrong at one place. Says whether the
/// fault came at all, and whether the handler had run by then.
async fn trial(fault: Fault, at: usize) -> Option<usize> {
    let world = World::new();
    let store = Arc::new(Failing {
        inner: Arc::clone(&world.store),
        fault,
        at,
        operations: AtomicUsize::new(0),
        ran: Arc::clone(&world.ran),
        ran_before: Mutex::new(None),
    });
    let approve = json!({"answer": "approve"});
    let engine = world.engine(store.clone());
    let outcome = answered(&engine, &approve).await;
    engine.flush().await;
    let ran_before = *store.ran_before.lock().unwrap();
    let place = format!("{fault:?} at operation {at}");
    if ran_before == Some(0) {
        assert_eq!(world.ran(), 0, "{place}: a handler was started without its guard");
        assert!(outcome.is_none_or(|outcome| outcome.is_err()), "{place}");
    }
    assert!(world.ran() <= 1, "{place}");
    // Whatever was left behind: with a sound store it still happens at most once.
    let engine = world.sound();
    for _ in 0..3 {
        answered(&engine, &approve).await;
    }
    assert!(world.ran() <= 1, "{place}: it ran {} times", world.ran());
    ran_before
}

#[tokio::test]
async fn r9_a_guard_that_fails_never_starts_a_handler() {
    for fault in [Fault::Once, Fault::ForEver, Fault::Unsure] {
        let (mut at, mut before, mut after) = (0, 0, 0);
        while let Some(ran) = trial(fault, at).await {
            *if ran == 0 { &mut before } else { &mut after } += 1;
            at += 1;
        }
        // Notes, ledger, question, answer, approval, the steps of the ledger.
        assert!(before >= 6 && after >= 1, "{fault:?}: {before} before the start, {after} after");
    }
}

/// What is read as nonsense is no answer: a handler runs only if the thing itself was not
/// there to be read wrongly.
#[tokio::test]
async fn r9_a_guard_that_talks_nonsense_never_starts_a_handler() {
    let (mut at, mut denied) = (0, 0);
    loop {
        let world = World::new();
        // Everything a guard could ask about is there already.
        let asked = world.sound().settle(&origin(), &call()).await;
        let Some(Waiting::Approval(asked)) = asked.waiting else { panic!("nobody was asked") };
        let payload = json!({"request": asked.request.id, "answer": "approve"}).to_string();
        let engine = world.sound();
        engine.answer(&payload).await.unwrap();
        engine.flush().await;
        let store = Arc::new(Failing {
            inner: Arc::clone(&world.store),
            fault: Fault::Nonsense,
            at,
            operations: AtomicUsize::new(0),
            ran: Arc::clone(&world.ran),
            ran_before: Mutex::new(None),
        });
        let settled = world.engine(store.clone()).settle(&origin(), &call()).await;
        let Some(ran_before) = *store.ran_before.lock().unwrap() else { break };
        assert!(world.ran() <= 1);
        if settled.outcome.is_err() {
            assert_eq!(world.ran(), 0, "operation {at}: {settled:?}");
            denied += usize::from(ran_before == 0);
        }
        at += 1;
    }
    assert!(denied >= 3, "notes, question and its place are guards: {denied} of {at} denied");
}
