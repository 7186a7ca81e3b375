//! Lists under keys.

use std::collections::BTreeSet;

use super::{Because, Passed, Subject, at_once, holds, put, same};
use crate::fault::{SizedItem, StoreFault};
use crate::json::Json;
use crate::name::Key;

cases![
    a_list_grows_and_shrinks_at_both_ends,
    an_empty_or_missing_list_gives_nothing,
    a_value_that_is_not_a_list_is_unchanged,
    the_length_of_a_list_is_limited,
    concurrent_pushes_and_pops_lose_and_duplicate_nothing,
];

fn items(texts: &[&str]) -> Result<Vec<Json>, Because> {
    Ok(texts.iter().map(|text| text.parse()).collect::<Result<_, _>>()?)
}

async fn a_list_grows_and_shrinks_at_both_ends(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (kv, key): (_, Key) = (store.kv(), "list".parse()?);
    let first = kv.rpush(&key, items(&["1", "{\"a\":2}"])?).await?;
    same((first.len, first.taken), (2, None))?;
    let second = kv.lpush(&key, items(&["\"b\"", "\"a\""])?).await?;
    holds(second.revision > first.revision)?;
    let entry = kv.get(&key).await?.ok_or(Because("it does not exist".into()))?;
    same(entry.value.as_str(), r#"["a","b",1,{"a":2}]"#)?;
    same(Some(entry.revision), second.revision)?;
    same(kv.llen(&key).await?, 4)?;
    same(kv.lrange(&key, 1, -2).await?, items(&["\"b\"", "1"])?)?;
    same(kv.lrange(&key, -1, 99).await?, items(&["{\"a\":2}"])?)?;
    same(kv.lremove_at(&key, 1).await?.taken, Some("\"b\"".parse()?))?;
    same(kv.lremove_at(&key, -2).await?.taken, Some("1".parse()?))?;
    same(kv.lpop(&key).await?.taken, Some("\"a\"".parse()?))?;
    let last = kv.rpop(&key).await?;
    same((last.taken, last.len), (Some("{\"a\":2}".parse()?), 0))?;
    same(kv.get(&key).await?.map(|entry| entry.value.to_string()), Some("[]".into()))
}

async fn an_empty_or_missing_list_gives_nothing(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (kv, key): (_, Key) = (store.kv(), "list".parse()?);
    same(kv.llen(&key).await?, 0)?;
    same(kv.lrange(&key, 0, -1).await?, vec![])?;
    let popped = kv.lpop(&key).await?;
    same((popped.taken, popped.len, popped.revision), (None, 0, None))?;
    same(kv.rpush(&key, vec![]).await?.revision, None)?;
    same(kv.exists(&key).await?, false)?;
    let revision = put(kv, "list", "[7]").await?;
    for index in [1, -2, i64::MAX, i64::MIN] {
        let removed = kv.lremove_at(&key, index).await?;
        same((removed.taken, removed.len, removed.revision), (None, 1, Some(revision)))?;
    }
    same(kv.revision().await?, revision)
}

async fn a_value_that_is_not_a_list_is_unchanged(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (kv, key): (_, Key) = (store.kv(), "object".parse()?);
    let revision = put(kv, "object", "{\"0\":[]}").await?;
    let fault = || Some(StoreFault::NotAList { key: key.clone() });
    same(kv.rpush(&key, items(&["1"])?).await.err(), fault())?;
    same(kv.lpop(&key).await.err(), fault())?;
    same(kv.llen(&key).await.err(), fault())?;
    same(kv.lrange(&key, 0, -1).await.err(), fault())?;
    same(kv.get(&key).await?.map(|entry| entry.revision), Some(revision))
}

async fn the_length_of_a_list_is_limited(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (kv, key): (_, Key) = (store.kv(), "list".parse()?);
    let one: Json = "1".parse()?;
    kv.rpush(&key, vec![one.clone(); 9_999]).await?;
    let fault = StoreFault::TooLarge { what: SizedItem::List, size: 10_001, max: 10_000 };
    same(kv.lpush(&key, vec![one.clone(); 2]).await.err(), Some(fault))?;
    same(kv.lpush(&key, vec![one]).await?.len, 10_000)
}

async fn concurrent_pushes_and_pops_lose_and_duplicate_nothing(subject: &dyn Subject) -> Passed {
    let key: Key = "list".parse()?;
    let pushed = at_once(8, |task| {
        let (store, key) = (subject.store(), key.clone());
        async move {
            for number in 0..10 {
                let item = Json::of(&(task * 10 + number))?;
                match number % 2 {
                    0 => store.kv().lpush(&key, vec![item]).await?,
                    _ => store.kv().rpush(&key, vec![item]).await?,
                };
            }
            Ok(())
        }
    });
    pushed.await?.into_iter().collect::<Result<Vec<()>, Because>>()?;
    let popped = at_once(8, |task| {
        let (store, key) = (subject.store(), key.clone());
        async move {
            let mut taken = Vec::new();
            while let Some(item) = match task % 2 {
                0 => store.kv().lpop(&key).await?.taken,
                _ => store.kv().rpop(&key).await?.taken,
            } {
                taken.push(item.to::<u64>()?);
            }
            Ok(taken)
        }
    });
    let popped = popped.await?.into_iter().collect::<Result<Vec<_>, Because>>()?.concat();
    same(popped.len(), 80)?;
    same(popped.into_iter().collect::<BTreeSet<u64>>(), (0..80).collect())
}
