//! Watches: past changes, then new ones.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Because, Passed, Subject, at_once, both, holds, put, same};
use crate::json::Json;
use crate::kv::{Change, Expected, Expiry, Revision};
use crate::name::{Key, Prefix};
use crate::page::PageRequest;
use crate::subscription::Subscription;

cases![
    a_watch_from_the_start_begins_with_existing_keys,
    a_watch_continues_after_a_revision,
    a_watch_reports_only_its_prefix,
    a_watch_reports_expired_values,
    two_watches_do_not_disturb_each_other,
    applying_a_watch_gives_the_stored_state,
];

async fn next(feed: &mut Subscription<Change>) -> Result<String, Because> {
    Ok(match feed.next().await? {
        Change::Set(entry) => format!("{}={}", entry.key, entry.value),
        Change::Deleted { key, .. } => format!("{key} deleted"),
    })
}

async fn a_watch_from_the_start_begins_with_existing_keys(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    put(store.kv(), "b", "1").await?;
    put(store.kv(), "a", "2").await?;
    put(store.kv(), "b", "3").await?;
    let mut feed = store.kv().watch(&Prefix::all(), Revision::START).await?;
    same(next(&mut feed).await?.as_str(), "a=2")?;
    same(next(&mut feed).await?.as_str(), "b=3")?;
    put(store.kv(), "c", "4").await?;
    same(next(&mut feed).await?.as_str(), "c=4")?;
    store.kv().delete(&"a".parse()?, Expected::Any).await?;
    same(next(&mut feed).await?.as_str(), "a deleted")?;
    put(store.kv(), "a", "5").await?;
    same(next(&mut feed).await?.as_str(), "a=5")
}

async fn a_watch_continues_after_a_revision(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    put(store.kv(), "a", "1").await?;
    let seen = put(store.kv(), "b", "2").await?;
    put(store.kv(), "c", "3").await?;
    let deleted = store.kv().delete(&"a".parse()?, Expected::Any).await?;
    let mut feed = store.kv().watch(&Prefix::all(), seen).await?;
    same(next(&mut feed).await?.as_str(), "c=3")?;
    let change = feed.next().await?;
    same((change.key().as_str(), Some(change.revision())), ("a", deleted))?;
    let now = store.kv().revision().await?;
    let mut feed = store.kv().watch(&Prefix::all(), now).await?;
    let revision = put(store.kv(), "d", "4").await?;
    same(feed.next().await?.revision(), revision)
}

async fn a_watch_reports_only_its_prefix(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let mut feed = store.kv().watch(&"in/".parse()?, Revision::START).await?;
    for (key, value) in [("out", "1"), ("in/a", "2"), ("in0", "3"), ("i", "4"), ("in/b", "5")] {
        put(store.kv(), key, value).await?;
    }
    store.kv().delete(&"out".parse()?, Expected::Any).await?;
    same(next(&mut feed).await?.as_str(), "in/a=2")?;
    same(next(&mut feed).await?.as_str(), "in/b=5")
}

async fn a_watch_reports_expired_values(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let mut feed = store.kv().watch(&Prefix::all(), Revision::START).await?;
    let key: Key = "brief".parse()?;
    let expiry = Expiry::After(Duration::from_secs(5));
    let revision = store.kv().set(&key, "1".parse()?, Expected::Any, expiry).await?;
    same(next(&mut feed).await?.as_str(), "brief=1")?;
    subject.advance(Duration::from_secs(5)).await;
    let change = feed.next().await?;
    same(matches!(&change, Change::Deleted { key, .. } if key.as_str() == "brief"), true)?;
    holds(change.revision() > revision)
}

async fn two_watches_do_not_disturb_each_other(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let mut one = store.kv().watch(&Prefix::all(), Revision::START).await?;
    let mut two = store.kv().watch(&Prefix::all(), Revision::START).await?;
    put(store.kv(), "a", "1").await?;
    same(next(&mut one).await?.as_str(), "a=1")?;
    put(store.kv(), "b", "2").await?;
    same(next(&mut two).await?.as_str(), "a=1")?;
    drop(one);
    same(next(&mut two).await?.as_str(), "b=2")
}

async fn applying_a_watch_gives_the_stored_state(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let prefix: Prefix = "in/".parse()?;
    let mut feed = store.kv().watch(&prefix, Revision::START).await?;
    let writers = at_once(4, |task| {
        let store = subject.store();
        async move {
            for number in 0..40u64 {
                let key: Key = format!("in/{}", (task + number * 7) % 11).parse()?;
                match number % 5 {
                    0 => drop(store.kv().delete(&key, Expected::Any).await?),
                    _ => {
                        let value = Json::of(&(task, number))?;
                        store.kv().set(&key, value, Expected::Any, Expiry::Never).await?;
                    }
                }
            }
            Ok(())
        }
    });
    let reader = async {
        let mut seen: BTreeMap<Key, Json> = BTreeMap::new();
        let mut last = Revision::START;
        loop {
            let change = feed.next().await?;
            holds(change.revision() > last)?;
            last = change.revision();
            match change {
                Change::Set(entry) if entry.key.as_str() == "in/end" => {
                    return Ok::<_, Because>(seen);
                }
                Change::Set(entry) => drop(seen.insert(entry.key, entry.value)),
                Change::Deleted { key, .. } => drop(seen.remove(&key)),
            }
        }
    };
    let writing = async {
        writers.await?.into_iter().collect::<Result<Vec<()>, Because>>()?;
        put(subject.store().kv(), "in/end", "true").await.map(|_| ())
    };
    // The reader runs concurrently with the writers.
    let (seen, written) = both(reader, writing).await;
    written?;
    let (seen, stored) = (seen?, store.kv().list(&prefix, PageRequest::first(100)).await?);
    let stored = stored.items.into_iter().map(|entry| (entry.key, entry.value));
    same(seen, stored.filter(|(key, _)| key.as_str() != "in/end").collect())
}
