//! The engine itself: files, crashes, several processes, exports, and random operations.

mod export;
mod files;
mod full;
mod kill;
mod model;
mod two_processes;

use std::time::Duration;

use crate::tests::{clock, run};
use crate::*;

#[test]
fn a_dropped_store_ends_its_subscriptions_and_completes_accepted_writes() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
        let log = "log".parse().unwrap();
        let mut feed = store.log().follow(&log, Sequence::FIRST).await.unwrap();
        let mut append = store.log().append(&log, Json::of(&1).unwrap(), None);
        // Submitted, but the answer is not awaited.
        std::future::poll_fn(|context| {
            let _ = append.as_mut().poll(context);
            std::task::Poll::Ready(())
        })
        .await;
        drop(append);
        drop(store);
        assert_eq!(feed.next().await.unwrap().sequence, Sequence::FIRST);
        assert_eq!(feed.next().await, Err(StoreFault::Closed));
        let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
        assert_eq!(store.log().last(&log).await, Ok(Some(Sequence::FIRST)));
    });
}

#[test]
fn a_watch_that_is_behind_forgotten_deletions_gets_a_fault() {
    run(async {
        let clock = clock();
        let options = SqliteOptions {
            limits: small_pages(),
            ..SqliteOptions::with_clock(std::sync::Arc::clone(&clock))
        };
        let store = SqliteStore::temporary(options).unwrap();
        let set = |key: String| {
            let store = &store;
            async move {
                let (key, value) = (key.parse().unwrap(), Json::of(&0).unwrap());
                store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap()
            }
        };
        let first = set("gone".to_owned()).await;
        for number in 0..10 {
            set(format!("kept/{number}")).await;
        }
        let mut lagging = store.kv().watch(&Prefix::all(), first).await.unwrap();
        store.kv().delete(&"gone".parse().unwrap(), Expected::Any).await.unwrap();
        let last = set("kept/last".to_owned()).await;
        clock.advance(Duration::from_secs(2 * 24 * 60 * 60));
        // The writer removes them in its next round.
        let through = loop {
            let mut probe = store.kv().watch(&Prefix::all(), first).await.unwrap();
            match probe.next().await {
                Ok(_) => tokio::task::yield_now().await,
                Err(StoreFault::Forgotten { through }) => break through,
                Err(fault) => panic!("{fault}"),
            }
        };
        assert!(through > first && through < last);
        assert_eq!(lagging.next().await, Err(StoreFault::Forgotten { through }));
        // From the start, and from after it, nothing is missing.
        let mut whole = store.kv().watch(&Prefix::all(), Revision::START).await.unwrap();
        for number in 0..10 {
            assert_eq!(whole.next().await.unwrap().key().as_str(), format!("kept/{number}"));
        }
        assert_eq!(whole.next().await.unwrap().revision(), last);
        let mut late = store.kv().watch(&Prefix::all(), through).await.unwrap();
        assert_eq!(late.next().await.unwrap().revision(), last);
    });
}

fn small_pages() -> Limits {
    Limits { page_items_max: 3, ..Limits::PORTABLE }
}

#[test]
fn pages_and_subscriptions_are_split_by_size_and_lose_nothing() {
    run(async {
        let limits = Limits { page_items_max: 4, page_bytes_max: 1_000, ..Limits::PORTABLE };
        let options = SqliteOptions { limits, ..SqliteOptions::machine() };
        let store = SqliteStore::temporary(options).unwrap();
        let log = "log".parse().unwrap();
        let body = Json::of(&"x".repeat(400)).unwrap();
        for number in 0..10 {
            let key: Key = format!("{number}").parse().unwrap();
            store.kv().set(&key, body.clone(), Expected::Any, Expiry::Never).await.unwrap();
            store.log().append(&log, body.clone(), None).await.unwrap();
        }
        let page = store.kv().list(&Prefix::all(), PageRequest::first(100)).await.unwrap();
        assert_eq!((page.items.len(), page.next), (3, Some("2".parse().unwrap())));
        let page = store.kv().keys(&Prefix::all(), PageRequest::first(100)).await.unwrap();
        assert_eq!(page.items.len(), 4);
        assert_eq!(store.log().read(&log, Sequence::FIRST, 100).await.unwrap().len(), 3);
        let mut records = store.log().follow(&log, Sequence::FIRST).await.unwrap();
        let mut changes = store.kv().watch(&Prefix::all(), Revision::START).await.unwrap();
        for number in 1..=10 {
            assert_eq!(records.next().await.unwrap().sequence, Sequence(number));
            assert_eq!(changes.next().await.unwrap().revision(), Revision(number));
        }
    });
}
