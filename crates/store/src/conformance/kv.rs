//! Keys, revisions, conditions, lifetimes and listings.

use std::time::Duration;

use super::{Because, Passed, Subject, at_once, holds, put, same, too_large};
use crate::fault::{SizedItem, StoreFault};
use crate::json::Json;
use crate::kv::{Expected, Expiry, Revision};
use crate::name::{Key, Prefix};
use crate::page::PageRequest;

cases![
    a_value_is_returned_byte_for_byte,
    a_revision_only_grows_and_is_never_reused,
    a_write_happens_only_if_its_precondition_holds,
    of_many_writers_with_the_same_precondition_one_succeeds,
    counting_with_compare_and_set_loses_nothing,
    a_value_expires_to_the_millisecond,
    a_write_replaces_keeps_or_ends_a_lifetime,
    a_listing_has_each_key_under_the_prefix_once_and_in_order,
    a_prefix_is_a_plain_text,
    a_value_that_is_too_large_is_not_written,
];

async fn a_value_is_returned_byte_for_byte(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let key: Key = "greeting äöü 🌍".parse()?;
    same(store.kv().get(&key).await?, None)?;
    same(store.kv().exists(&key).await?, false)?;
    for text in [r#"{"z":1.50,"a":[1e3,"\u0041",null]}"#, "null", "\"\"", "[]", "-0.0"] {
        let value: Json = text.parse()?;
        let revision = store.kv().set(&key, value.clone(), Expected::Any, Expiry::Never).await?;
        let entry = store.kv().get(&key).await?.ok_or(Because("it does not exist".into()))?;
        same(entry.value.as_str(), text)?;
        same((&entry.key, entry.revision, entry.expires_at), (&key, revision, None))?;
    }
    same(store.kv().exists(&key).await?, true)
}

async fn a_revision_only_grows_and_is_never_reused(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (one, two): (Key, Key) = ("one".parse()?, "two".parse()?);
    same(store.kv().revision().await?, Revision::START)?;
    let mut revisions = vec![put(store.kv(), "one", "1").await?];
    revisions.push(put(store.kv(), "two", "1").await?);
    revisions.push(put(store.kv(), "one", "1").await?);
    revisions.extend(store.kv().delete(&one, Expected::Any).await?);
    revisions.push(put(store.kv(), "one", "1").await?);
    revisions.extend(store.kv().delete(&two, Expected::Any).await?);
    same(revisions.len(), 6)?;
    holds(revisions.is_sorted_by(|a, b| a < b))?;
    same(store.kv().delete(&two, Expected::Any).await?, None)?;
    same(store.kv().delete(&two, Expected::Absent).await?, None)?;
    same(Some(store.kv().revision().await?), revisions.last().copied())
}

async fn a_write_happens_only_if_its_precondition_holds(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let key: Key = "key".parse()?;
    let value: Json = "0".parse()?;
    let set = |expected| store.kv().set(&key, value.clone(), expected, Expiry::Never);
    let conflict = |current| Some(StoreFault::Conflict { key: key.clone(), current });
    let never = Expected::Revision(Revision(999));
    same(set(never).await.err(), conflict(None))?;
    same(store.kv().delete(&key, never).await.err(), conflict(None))?;
    let first = set(Expected::Absent).await?;
    same(set(Expected::Absent).await.err(), conflict(Some(first)))?;
    let second = set(Expected::Revision(first)).await?;
    let old = Expected::Revision(first);
    same(set(old).await.err(), conflict(Some(second)))?;
    same(store.kv().delete(&key, old).await.err(), conflict(Some(second)))?;
    same(store.kv().delete(&key, Expected::Absent).await.err(), conflict(Some(second)))?;
    same(store.kv().get(&key).await?.map(|entry| entry.revision), Some(second))?;
    let deleted = store.kv().delete(&key, Expected::Revision(second)).await?;
    holds(deleted > Some(second))?;
    same(set(Expected::Revision(second)).await.err(), conflict(None))?;
    holds(set(Expected::Absent).await.ok() > deleted)
}

async fn of_many_writers_with_the_same_precondition_one_succeeds(subject: &dyn Subject) -> Passed {
    let key: Key = "key".parse()?;
    for expected in [Expected::Absent, Expected::Revision(Revision::START)] {
        let expected = match expected {
            Expected::Revision(_) => {
                Expected::Revision(put(subject.store().kv(), "key", "0").await?)
            }
            Expected::Any | Expected::Absent => expected,
        };
        let results = at_once(16, |number| {
            let (store, key) = (subject.store(), key.clone());
            async move {
                let value = Json::of(&number).ok()?;
                store.kv().set(&key, value, expected, Expiry::Never).await.ok().map(|_| number)
            }
        });
        let winners: Vec<u64> = results.await?.into_iter().flatten().collect();
        same(winners.len(), 1)?;
        let value = subject.store().kv().get(&key).await?.map(|entry| entry.value.to::<u64>());
        same(value, winners.first().map(|winner| Ok(*winner)))?;
    }
    Ok(())
}

async fn counting_with_compare_and_set_loses_nothing(subject: &dyn Subject) -> Passed {
    let key: Key = "count".parse()?;
    put(subject.store().kv(), "count", "0").await?;
    let results = at_once(8, |_| {
        let (store, key) = (subject.store(), key.clone());
        async move {
            let mut done = 0;
            while done < 5 {
                let Some(entry) = store.kv().get(&key).await? else { continue };
                let next = Json::of(&(entry.value.to::<u64>()? + 1))?;
                let expected = Expected::Revision(entry.revision);
                match store.kv().set(&key, next, expected, Expiry::Never).await {
                    Ok(_) => done += 1,
                    Err(StoreFault::Conflict { .. }) => {}
                    Err(fault) => return Err(Because::from(fault)),
                }
            }
            Ok(())
        }
    });
    results.await?.into_iter().collect::<Result<Vec<()>, Because>>()?;
    let value = subject.store().kv().get(&key).await?.map(|entry| entry.value.to_string());
    same(value.as_deref(), Some("40"))
}

async fn a_value_expires_to_the_millisecond(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let key: Key = "brief".parse()?;
    let expiry = Expiry::After(Duration::from_secs(60));
    let value: Json = "[1]".parse()?;
    let first = store.kv().set(&key, value.clone(), Expected::Any, expiry).await?;
    subject.advance(Duration::from_millis(59_999)).await;
    holds(store.kv().exists(&key).await?)?;
    subject.advance(Duration::from_millis(1)).await;
    same(store.kv().get(&key).await?, None)?;
    same(store.kv().llen(&key).await?, 0)?;
    let all = Prefix::all();
    same(store.kv().keys(&all, PageRequest::first(9)).await?.items, vec![])?;
    same(store.kv().list(&all, PageRequest::first(9)).await?.items, vec![])?;
    same(store.kv().delete(&key, Expected::Any).await?, None)?;
    let refused = store.kv().set(&key, value.clone(), Expected::Revision(first), expiry).await;
    same(refused.err(), Some(StoreFault::Conflict { key: key.clone(), current: None }))?;
    same(store.kv().rpush(&key, vec![value.clone()]).await?.len, 1)?;
    store.kv().delete(&key, Expected::Any).await?;
    store.kv().set(&key, value, Expected::Absent, expiry).await?;
    holds(store.kv().exists(&key).await?)
}

async fn a_write_replaces_keeps_or_ends_a_lifetime(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let minute = Expiry::After(Duration::from_secs(60));
    let names = ["kept", "ended", "replaced", "list", "fresh"];
    let keys: Vec<Key> = names.iter().map(|name| name.parse()).collect::<Result<_, _>>()?;
    for key in keys.iter().take(4) {
        store.kv().set(key, "[1]".parse()?, Expected::Any, minute).await?;
    }
    subject.advance(Duration::from_secs(30)).await;
    let writes = [Expiry::Unchanged, Expiry::Never, minute];
    for (key, expiry) in keys.iter().zip(writes) {
        store.kv().set(key, "2".parse()?, Expected::Any, expiry).await?;
    }
    if let [.., list, fresh] = keys.as_slice() {
        store.kv().lpop(list).await?;
        store.kv().set(fresh, "1".parse()?, Expected::Any, Expiry::Unchanged).await?;
    }
    subject.advance(Duration::from_secs(30)).await;
    let left = store.kv().keys(&Prefix::all(), PageRequest::first(9)).await?.items;
    let left: Vec<&str> = left.iter().map(Key::as_str).collect();
    same(left, vec!["ended", "fresh", "replaced"])
}

async fn a_listing_has_each_key_under_the_prefix_once_and_in_order(
    subject: &dyn Subject,
) -> Passed {
    let store = subject.store();
    for number in 0..25 {
        put(store.kv(), &format!("in/{number:02}"), &number.to_string()).await?;
    }
    for name in ["in", "in0", "im/99", "out/1"] {
        put(store.kv(), name, "null").await?;
    }
    store.kv().delete(&"in/07".parse()?, Expected::Any).await?;
    let prefix: Prefix = "in/".parse()?;
    let mut request = PageRequest::first(10);
    let (mut keys, mut pages) = (Vec::new(), 0);
    loop {
        let names = store.kv().keys(&prefix, request.clone()).await?;
        let page = store.kv().list(&prefix, request).await?;
        same(page.items.iter().map(|entry| entry.key.clone()).collect(), names.items)?;
        same(&page.next, &names.next)?;
        holds(page.items.len() <= 10)?;
        pages += 1;
        for entry in page.items {
            same(entry.key.as_str(), &format!("in/{:02}", entry.value.to::<u32>()?))?;
            keys.push(entry.key);
        }
        match page.next {
            Some(next) => request = PageRequest::after(next, 10),
            None => break,
        }
    }
    holds(keys.is_sorted_by(|a, b| a < b))?;
    same((keys.len(), pages), (24, 3))?;
    same(store.kv().keys(&prefix, PageRequest::first(0)).await?.items.len(), 1)?;
    same(store.kv().keys(&Prefix::all(), PageRequest::first(usize::MAX)).await?.items.len(), 28)
}

async fn a_prefix_is_a_plain_text(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    for name in ["a%b", "a_b", "axb", "A%B", "a*", "a\u{10ffff}", "a\u{10ffff}z", "b", "ä", "äz"]
    {
        put(store.kv(), name, "1").await?;
    }
    for (prefix, expected) in
        [("a%", "a%b"), ("a_", "a_b"), ("a\u{10ffff}", "a\u{10ffff} a\u{10ffff}z"), ("ä", "ä äz")]
    {
        let page = store.kv().keys(&prefix.parse()?, PageRequest::first(9)).await?;
        let found: Vec<&str> = page.items.iter().map(Key::as_str).collect();
        same(found.join(" ").as_str(), expected)?;
    }
    Ok(())
}

async fn a_value_that_is_too_large_is_not_written(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let key: Key = "big".parse()?;
    let fault = StoreFault::TooLarge { what: SizedItem::Value, size: 1_000_001, max: 1_000_000 };
    let refused = store.kv().set(&key, too_large()?, Expected::Any, Expiry::Never).await;
    same(refused.err(), Some(fault))?;
    same(store.kv().exists(&key).await?, false)?;
    let fits = Json::of(&"x".repeat(999_998))?;
    store.kv().set(&key, fits.clone(), Expected::Any, Expiry::Never).await?;
    same(store.kv().get(&key).await?.map(|entry| entry.value == fits), Some(true))
}
