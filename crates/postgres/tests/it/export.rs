//! Exports and imports: SQLite → PostgreSQL → SQLite gives the same bytes.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use store::*;
use testkit::postgres::{PostgresServer, PostgresVersion};

use crate::subject::{clock, open, options_with, run};

/// Everything that an export can contain, and enough records for several pieces.
async fn fill(store: &dyn Store) {
    let set = |key: &str, value: &str, expiry| {
        let (key, value): (Key, Json) = (key.parse().unwrap(), value.parse().unwrap());
        async move { store.kv().set(&key, value, Expected::Any, expiry).await.unwrap() }
    };
    set("b", r#"{"z":1.50,"a":"ä\u0000\n"}"#, Expiry::Never).await;
    set("gone", "1", Expiry::Never).await;
    set("B", "[1]", Expiry::After(Duration::from_secs(60))).await;
    set("ä", "null", Expiry::Never).await;
    store.kv().delete(&"gone".parse().unwrap(), Expected::Any).await.unwrap();
    let log = |name: &str| name.parse::<LogName>().unwrap();
    let many = (0..2_500).map(|number| {
        let key = (number % 3 == 0).then(|| format!("k{number}").parse().unwrap());
        (Json::of(&"x".repeat(number % 7 * 100)).unwrap(), key)
    });
    store.log().append_all(&log("chat"), many.collect()).await.unwrap();
    for name in ["a-first", "old", "z-last"] {
        store.log().append(&log(name), Json::of(&1).unwrap(), None).await.unwrap();
    }
    store.log().erase(&log("old")).await.unwrap();
    let queue: QueueName = "jobs".parse().unwrap();
    for number in 0..4 {
        let dedup = (number > 0).then(|| format!("d{number}").parse().unwrap());
        let (body, delay) = (Json::of(&number).unwrap(), Duration::from_secs(number));
        let message = NewMessage { body, dedup, delay, attempts_max: 1 };
        store.queue().push(&queue, message).await.unwrap();
    }
    let claim = store.queue().claim(&queue, Duration::from_secs(9)).await.unwrap().unwrap();
    store.queue().nack(&claim.id, Duration::ZERO, "too \"bad\"").await.unwrap();
}

async fn import_numbers_continue(store: &dyn Store) {
    let log = "old".parse().unwrap();
    let appended = store.log().append(&log, Json::of(&9).unwrap(), None).await;
    assert_eq!(appended, Ok(AppendResult::New(Sequence(2))));
    let (key, value) = ("c".parse().unwrap(), Json::of(&0).unwrap());
    let set = store.kv().set(&key, value, Expected::Absent, Expiry::Never).await;
    assert_eq!(set, Ok(Revision(6)));
    let (body, delay) = (Json::of(&0).unwrap(), Duration::ZERO);
    let message = NewMessage { body, dedup: None, delay, attempts_max: 1 };
    let pushed = store.queue().push(&"jobs".parse().unwrap(), message).await;
    assert_eq!(pushed, Ok(PushResult::New(MessageId(5))));
}

#[test]
fn a_copy_there_and_back_has_the_same_bytes() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let clock = clock();
        let sqlite = || SqliteStore::temporary(SqliteOptions::with_clock(Arc::clone(&clock)));
        let address = server.socket_address();
        let first = sqlite().unwrap();
        fill(&first).await;
        let (lines, counts) = first.export(Vec::new()).await.unwrap();
        let there = open(&address, options_with(&clock)).await;
        assert_eq!(there.import(Cursor::new(lines.clone())).await.unwrap(), counts);
        let (copied, copied_counts) = there.export(Vec::new()).await.unwrap();
        assert_eq!(String::from_utf8(copied.clone()).unwrap(), String::from_utf8(lines).unwrap());
        assert_eq!(copied_counts, counts);
        let back = sqlite().unwrap();
        assert_eq!(back.import(Cursor::new(copied.clone())).await.unwrap(), counts);
        assert_eq!(back.export(Vec::new()).await.unwrap().0, copied);
        // A used store refuses another import, and an old watch cannot continue.
        let again = there.import(Cursor::new(copied)).await;
        assert!(matches!(again, Err(ImportFault::NotEmpty)), "{again:?}");
        let mut watch = there.kv().watch(&Prefix::all(), Revision(2)).await.unwrap();
        assert_eq!(watch.next().await, Err(StoreFault::Forgotten { through: Revision(5) }));
        import_numbers_continue(&there).await;
        // What was filled here is what SQLite has.
        let filled = open(&address, options_with(&clock)).await;
        fill(&filled).await;
        let (filled, _) = filled.export(Vec::new()).await.unwrap();
        let (expected, _) = first.export(Vec::new()).await.unwrap();
        assert_eq!(String::from_utf8(filled).unwrap(), String::from_utf8(expected).unwrap());
    });
}

#[test]
fn a_broken_export_is_refused_completely_with_the_line() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    run(async {
        let clock = clock();
        let store = open(&server.socket_address(), options_with(&clock)).await;
        let head = r#"{"store":{"format":1,"revision":4,"message":3}}"#;
        let kv = |key: &str, revision: u64| {
            format!(r#"{{"kv":{{"key":"{key}","revision":{revision},"value":1}}}}"#)
        };
        let end = |lines: u64| format!(r#"{{"end":{{"lines":{lines}}}}}"#);
        let cases = [
            (vec![head.to_owned(), kv("a", 9), end(1)], "line 2: the revision is newer"),
            (vec![head.to_owned(), kv("a", 1), kv("a", 2), end(2)], "line 2: here or below: "),
            (vec![head.to_owned(), kv("a", 1), kv("b", 1), end(2)], "line 2: here or below: "),
            (vec![head.to_owned(), kv("a", 1)], "line 3: the export is cut off here"),
        ];
        for (lines, expected) in cases {
            let fault = store.import(Cursor::new(lines.join("\n") + "\n")).await.unwrap_err();
            assert!(fault.to_string().starts_with(expected), "{fault}");
            assert_eq!(store.kv().revision().await, Ok(Revision::START));
        }
        let good = [head.to_owned(), kv("a", 1), end(1)].join("\n") + "\n";
        assert_eq!(store.import(Cursor::new(good)).await.unwrap().keys, 1);
    });
}
