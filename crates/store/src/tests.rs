//! The embedded engine with the conformance cases, and the ledger protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::conformance::{Subject, all};
use crate::*;

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

pub(crate) fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(Timestamp::from_millis(1_700_000_000_000)))
}

struct Embedded {
    store: Arc<SqliteStore>,
    clock: Arc<ManualClock>,
}

impl Embedded {
    fn new() -> Self {
        let clock = clock();
        let store = SqliteStore::temporary(SqliteOptions::with_clock(Arc::clone(&clock))).unwrap();
        Self { store: Arc::new(store), clock }
    }
}

impl Subject for Embedded {
    fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store) as Arc<dyn Store>
    }
    fn advance(&self, span: Duration) -> BoxFuture<'_, ()> {
        self.clock.advance(span);
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn the_embedded_engine_conforms() {
    assert_eq!(run(all(async || Embedded::new())), []);
}

/// Where an attempt is interrupted, as if the process had died there.
struct Cut(u32);

impl Cut {
    fn here(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

/// One attempt to run the call `c1` with approval `a1`, as the crate's documentation
/// describes. `None`: interrupted, or not allowed to run.
async fn try_effect(store: &dyn Store, effects: &AtomicU32, mut cut: Cut) -> Option<()> {
    let (ledger, approval): (Key, Key) =
        ("ledger/c1".parse().unwrap(), "approval/a1".parse().unwrap());
    let set = |key, value: serde_json::Value, expected| async move {
        store.kv().set(key, Json::of(&value).unwrap(), expected, Expiry::Never).await.ok()
    };
    cut.here()?;
    let _ = set(&ledger, json!("intended"), Expected::Absent).await;
    cut.here()?;
    let intended = store.kv().get(&ledger).await.unwrap().unwrap();
    if intended.value.as_str() != "\"intended\"" {
        return None;
    }
    cut.here()?;
    let approved = store.kv().get(&approval).await.unwrap().unwrap();
    match approved.value.as_str() {
        "\"given\"" => {
            set(&approval, json!("used by c1"), Expected::Revision(approved.revision)).await?
        }
        "\"used by c1\"" => approved.revision,
        _ => return None,
    };
    cut.here()?;
    let started = set(&ledger, json!("started"), Expected::Revision(intended.revision)).await?;
    cut.here()?;
    effects.fetch_add(1, Ordering::SeqCst);
    cut.here()?;
    set(&ledger, json!("done"), Expected::Revision(started)).await?;
    cut.here()?;
    let key = Some("c1/done".parse().unwrap());
    store.log().append(&"audit".parse().unwrap(), Json::of("done").unwrap(), key).await.ok()?;
    Some(())
}

#[test]
fn an_effect_happens_at_most_once_wherever_it_crashes() {
    run(async {
        for (first, second) in (0..8).flat_map(|first| (0..8).map(move |second| (first, second))) {
            let subject = Embedded::new();
            let (store, effects) = (subject.store(), AtomicU32::new(0));
            let approved = Json::of("given").unwrap();
            let approval = "approval/a1".parse().unwrap();
            store.kv().set(&approval, approved, Expected::Any, Expiry::Never).await.unwrap();
            for cut in [first, second, u32::MAX] {
                try_effect(&*store, &effects, Cut(cut)).await;
            }
            let effects = effects.into_inner();
            let state = store.kv().get(&"ledger/c1".parse().unwrap()).await.unwrap().unwrap();
            match state.value.as_str() {
                "\"done\"" => assert_eq!(effects, 1, "cut at {first} and {second}"),
                "\"started\"" => assert!(effects <= 1, "in doubt, cut at {first} and {second}"),
                other => panic!("left at {other}, cut at {first} and {second}"),
            }
        }
    });
}

#[test]
fn of_many_concurrent_attempts_at_an_effect_one_runs() {
    run(async {
        let subject = Embedded::new();
        let (store, effects) = (subject.store(), Arc::new(AtomicU32::new(0)));
        let approved = Json::of("given").unwrap();
        let approval = "approval/a1".parse().unwrap();
        store.kv().set(&approval, approved, Expected::Any, Expiry::Never).await.unwrap();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..16 {
            let (store, effects) = (Arc::clone(&store), Arc::clone(&effects));
            tasks.spawn(async move { try_effect(&*store, &effects, Cut(u32::MAX)).await });
        }
        tasks.join_all().await;
        assert_eq!(effects.load(Ordering::SeqCst), 1);
    });
}
