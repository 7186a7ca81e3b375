//! Logs: numbers without gaps, idempotent appends, and following.

use super::{Because, Passed, Subject, at_once, both, holds, same, too_large};
use crate::fault::{SizedItem, StoreFault};
use crate::json::Json;
use crate::log::{AppendResult, Sequence};
use crate::name::{DedupKey, LogName, Prefix};
use crate::page::PageRequest;

cases![
    records_are_numbered_from_one_and_read_from_any_number,
    numbers_have_no_gaps_with_several_writers,
    an_append_with_a_key_happens_once,
    appending_several_keeps_the_order_without_gaps,
    of_many_appends_with_the_same_key_one_is_new,
    following_gives_existing_records_then_new_ones,
    following_with_many_writers_has_no_gaps_and_no_repeats,
    an_erased_log_continues_its_numbers,
    logs_are_listed_by_prefix,
    a_record_that_is_too_large_is_not_written,
];

async fn records_are_numbered_from_one_and_read_from_any_number(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (log, other): (LogName, LogName) = ("chat/1".parse()?, "chat/2".parse()?);
    same(store.log().last(&log).await?, None)?;
    same(store.log().read(&log, Sequence::FIRST, 10).await?, vec![])?;
    let bodies = [r#"{"z":1.0,"a":2}"#, "\"two\"", "[3]", "4"];
    for (index, body) in (1..).zip(bodies) {
        let appended = store.log().append(&log, body.parse()?, None).await?;
        same(appended, AppendResult::New(Sequence(index)))?;
        store.log().append(&other, "0".parse()?, None).await?;
    }
    same(store.log().last(&log).await?, Some(Sequence(4)))?;
    for (from, limit, expected) in
        [(0, 10, 1..5), (1, 2, 1..3), (3, 9, 3..5), (4, 1, 4..5), (5, 9, 5..5), (u64::MAX, 1, 0..0)]
    {
        let found = store.log().read(&log, Sequence(from), limit).await?;
        same(found.iter().map(|record| record.sequence.0).collect::<Vec<_>>(), expected.collect())?;
    }
    let found = store.log().read(&log, Sequence::FIRST, 10).await?;
    same(found.iter().map(|record| record.body.as_str()).collect::<Vec<_>>(), bodies.to_vec())?;
    holds(found.iter().all(|record| record.key.is_none()))
}

async fn numbers_have_no_gaps_with_several_writers(subject: &dyn Subject) -> Passed {
    let log: LogName = "shared".parse()?;
    let large = too_large()?;
    let appended = at_once(8, |task| {
        let (store, log, large) = (subject.store(), log.clone(), large.clone());
        async move {
            let mut numbers = Vec::new();
            for number in 0..10u64 {
                // Failed and repeated appends use no number.
                let _ = store.log().append(&log, large.clone(), None).await;
                let key: DedupKey = format!("{task}/{}", number / 2).parse()?;
                let key = (number % 2 == 1).then_some(key);
                let body = Json::of(&(task, number))?;
                store.log().append(&log, body.clone(), key.clone()).await.map(|appended| {
                    numbers.push((appended.sequence().0, body.clone()));
                })?;
                if key.is_some() {
                    store.log().append(&log, body, key).await?;
                }
            }
            holds(numbers.is_sorted_by(|a, b| a.0 < b.0))?;
            Ok(numbers)
        }
    });
    let mut appended = appended.await?.into_iter().collect::<Result<Vec<_>, Because>>()?.concat();
    appended.sort_by_key(|(number, _)| *number);
    same(appended.iter().map(|(number, _)| *number).collect::<Vec<_>>(), (1..=80).collect())?;
    let records = subject.store().log().read(&log, Sequence::FIRST, 100).await?;
    let records = records.into_iter().map(|record| (record.sequence.0, record.body));
    same(records.collect::<Vec<_>>(), appended)
}

async fn an_append_with_a_key_happens_once(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (log, other): (LogName, LogName) = ("one".parse()?, "two".parse()?);
    let key: DedupKey = "call-7/started".parse()?;
    let append = |log, body: &Json, key: Option<&DedupKey>| {
        store.log().append(log, body.clone(), key.cloned())
    };
    let (first, second): (Json, Json) = ("1".parse()?, "2".parse()?);
    same(append(&log, &first, None).await?, AppendResult::New(Sequence(1)))?;
    same(append(&log, &first, Some(&key)).await?, AppendResult::New(Sequence(2)))?;
    same(append(&log, &second, Some(&key)).await?, AppendResult::Known(Sequence(2)))?;
    same(append(&other, &second, Some(&key)).await?, AppendResult::New(Sequence(1)))?;
    same(append(&log, &second, None).await?, AppendResult::New(Sequence(3)))?;
    let record = store.log().find(&log, &key).await?;
    let record = record.map(|record| (record.sequence, record.key, record.body));
    same(record, Some((Sequence(2), Some(key), first)))?;
    same(store.log().find(&log, &"other".parse()?).await?, None)
}

async fn appending_several_keeps_the_order_without_gaps(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let log: LogName = "one".parse()?;
    let key: DedupKey = "b".parse()?;
    let body = |text: &str| text.parse::<Json>();
    let first = vec![(body("1")?, None), (body("2")?, Some(key.clone()))];
    let new = |number| AppendResult::New(Sequence(number));
    same(store.log().append_all(&log, first).await?, vec![new(1), new(2)])?;
    let again = vec![(body("9")?, Some(key)), (body("3")?, None)];
    let known = AppendResult::Known(Sequence(2));
    same(store.log().append_all(&log, again).await?, vec![known, new(3)])?;
    let broken = vec![(body("4")?, None), (too_large()?, None), (body("5")?, None)];
    holds(store.log().append_all(&log, broken).await.is_err())?;
    let bodies: Vec<_> = store.log().read(&log, Sequence(1), 10).await?;
    let bodies: Vec<_> = bodies.iter().map(|record| record.body.as_str().to_owned()).collect();
    let is_whole = bodies == ["1", "2", "3"] || bodies == ["1", "2", "3", "4"];
    holds(is_whole)
}

async fn of_many_appends_with_the_same_key_one_is_new(subject: &dyn Subject) -> Passed {
    let log: LogName = "log".parse()?;
    let key: DedupKey = "once".parse()?;
    let appended = at_once(16, |task| {
        let (store, log, key) = (subject.store(), log.clone(), key.clone());
        async move { Ok(store.log().append(&log, Json::of(&task)?, Some(key)).await?) }
    });
    let appended = appended.await?.into_iter().collect::<Result<Vec<_>, Because>>()?;
    let new = appended.iter().filter(|one| matches!(one, AppendResult::New(_))).count();
    same(new, 1)?;
    holds(appended.iter().all(|one| one.sequence() == Sequence::FIRST))?;
    same(subject.store().log().last(&log).await?, Some(Sequence::FIRST))
}

async fn following_gives_existing_records_then_new_ones(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let log: LogName = "log".parse()?;
    let mut early = store.log().follow(&log, Sequence::FIRST).await?;
    for number in 1..=3u64 {
        store.log().append(&log, Json::of(&number)?, None).await?;
    }
    let mut late = store.log().follow(&log, Sequence(3)).await?;
    let mut ahead = store.log().follow(&log, Sequence(5)).await?;
    for number in 4..=5u64 {
        store.log().append(&log, Json::of(&number)?, None).await?;
    }
    for (feed, from) in [(&mut early, 1), (&mut late, 3), (&mut ahead, 5)] {
        for number in from..=5u64 {
            let record = feed.next().await?;
            same((record.sequence, record.body), (Sequence(number), Json::of(&number)?))?;
        }
    }
    Ok(())
}

async fn following_with_many_writers_has_no_gaps_and_no_repeats(subject: &dyn Subject) -> Passed {
    let log: LogName = "log".parse()?;
    let mut feed = subject.store().log().follow(&log, Sequence::FIRST).await?;
    let writers = at_once(4, |task| {
        let (store, log) = (subject.store(), log.clone());
        async move {
            for number in 0..50u64 {
                store.log().append(&log, Json::of(&(task, number))?, None).await?;
            }
            Ok(())
        }
    });
    let reader = async {
        let mut records = Vec::new();
        while records.len() < 200 {
            records.push(feed.next().await?);
        }
        Ok::<_, Because>(records)
    };
    let (records, written) = both(reader, writers).await;
    written?.into_iter().collect::<Result<Vec<()>, Because>>()?;
    let records = records?;
    let numbers: Vec<u64> = records.iter().map(|record| record.sequence.0).collect();
    same(numbers, (1..=200).collect())?;
    same(subject.store().log().read(&log, Sequence::FIRST, 200).await?, records)
}

async fn an_erased_log_continues_its_numbers(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let log: LogName = "log".parse()?;
    store.log().erase(&log).await?;
    let key: DedupKey = "key".parse()?;
    let body: Json = "1".parse()?;
    for key in [Some(key.clone()), None] {
        store.log().append(&log, body.clone(), key).await?;
    }
    let mut follower = store.log().follow(&log, Sequence(2)).await?;
    store.log().erase(&log).await?;
    let erased = || Some(StoreFault::Erased { log: log.clone(), first: Sequence(3) });
    same(follower.next().await.err(), erased())?;
    same(store.log().read(&log, Sequence::FIRST, 9).await.err(), erased())?;
    same(store.log().read(&log, Sequence(3), 9).await?, vec![])?;
    same(store.log().find(&log, &key).await?, None)?;
    same(store.log().last(&log).await?, Some(Sequence(2)))?;
    same(store.log().logs(&Prefix::all(), PageRequest::first(9)).await?.items, vec![])?;
    let mut follower = store.log().follow(&log, Sequence(3)).await?;
    let appended = store.log().append(&log, body, Some(key)).await?;
    same(appended, AppendResult::New(Sequence(3)))?;
    same(follower.next().await?.sequence, Sequence(3))
}

async fn logs_are_listed_by_prefix(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    for name in ["chat/b", "chat/a", "audit", "chat/c", "chat"] {
        store.log().append(&name.parse()?, "1".parse()?, None).await?;
    }
    let prefix: Prefix = "chat/".parse()?;
    let first = store.log().logs(&prefix, PageRequest::first(2)).await?;
    let names: Vec<&str> = first.items.iter().map(LogName::as_str).collect();
    same(names, vec!["chat/a", "chat/b"])?;
    let next = first.next.ok_or(Because("there is more".into()))?;
    let second = store.log().logs(&prefix, PageRequest::after(next, 2)).await?;
    same(second.items.iter().map(LogName::as_str).collect::<Vec<_>>(), vec!["chat/c"])?;
    same(second.next, None)
}

async fn a_record_that_is_too_large_is_not_written(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let log: LogName = "log".parse()?;
    let fault =
        StoreFault::TooLarge { what: SizedItem::LogRecord, size: 1_000_001, max: 1_000_000 };
    same(store.log().append(&log, too_large()?, None).await.err(), Some(fault))?;
    same(store.log().last(&log).await?, None)
}
