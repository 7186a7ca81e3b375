//! Exports and imports: everything, or nothing.

use std::io::Cursor;
use std::time::Duration;

use crate::tests::{clock, run};
use crate::*;

fn store() -> SqliteStore {
    SqliteStore::temporary(SqliteOptions::with_clock(clock())).unwrap()
}

async fn fill(store: &SqliteStore) {
    let set = |key: &str, value: &str, expiry| {
        let (key, value): (Key, Json) = (key.parse().unwrap(), value.parse().unwrap());
        async move { store.kv().set(&key, value, Expected::Any, expiry).await.unwrap() }
    };
    set("b", r#"{"z":1.50,"a":"ä\n"}"#, Expiry::Never).await;
    set("gone", "1", Expiry::Never).await;
    set("a", "[1]", Expiry::After(Duration::from_secs(60))).await;
    store.kv().delete(&"gone".parse().unwrap(), Expected::Any).await.unwrap();
    let log = |name: &str| name.parse::<LogName>().unwrap();
    for number in 0..2 {
        let key = Some(format!("k{number}").parse().unwrap());
        store.log().append(&log("chat"), Json::of(&number).unwrap(), key).await.unwrap();
        store.log().append(&log("old"), Json::of(&number).unwrap(), None).await.unwrap();
    }
    store.log().erase(&log("old")).await.unwrap();
    let queue: QueueName = "jobs".parse().unwrap();
    for number in 0..3 {
        let body = Json::of(&number).unwrap();
        let dedup = Some(format!("d{number}").parse().unwrap());
        let message = NewMessage { body, dedup, delay: Duration::ZERO, attempts_max: 1 };
        store.queue().push(&queue, message).await.unwrap();
    }
    let claim = store.queue().claim(&queue, Duration::from_secs(9)).await.unwrap().unwrap();
    store.queue().nack(&claim.id, Duration::ZERO, "too \"bad\"").await.unwrap();
    store.queue().claim(&queue, Duration::from_secs(9)).await.unwrap().unwrap();
}

async fn exported(store: &SqliteStore) -> String {
    String::from_utf8(store.export(Vec::new()).await.unwrap().0).unwrap()
}

const FILLED: &str = r#"{"store":{"format":1,"revision":4,"message":3}}
{"kv":{"key":"a","revision":3,"expires_at":1700000060000,"value":[1]}}
{"kv":{"key":"b","revision":1,"value":{"z":1.50,"a":"ä\n"}}}
{"log":{"name":"chat","first":1,"last":2}}
{"record":{"sequence":1,"key":"k0","body":0}}
{"record":{"sequence":2,"key":"k1","body":1}}
{"log":{"name":"old","first":3,"last":2}}
{"message":{"id":1,"queue":"jobs","dedup":"d0","ready_at":1700000000000,"attempts":1,"attempts_max":1,"claims":1,"reason":"too \"bad\"","died_at":1700000000000,"body":0}}
{"message":{"id":2,"queue":"jobs","dedup":"d1","ready_at":1700000009000,"attempts":1,"attempts_max":1,"claims":1,"held":1,"body":1}}
{"message":{"id":3,"queue":"jobs","dedup":"d2","ready_at":1700000000000,"attempts":0,"attempts_max":1,"claims":0,"body":2}}
{"end":{"lines":9}}
"#;

#[test]
fn an_export_can_be_imported() {
    run(async {
        let first = store();
        fill(&first).await;
        assert_eq!(exported(&first).await, FILLED);
        let second = store();
        let counts = second.import(Cursor::new(FILLED)).await.unwrap();
        assert_eq!(counts, Counts { keys: 2, logs: 2, records: 2, messages: 3 });
        assert_eq!(exported(&second).await, FILLED);
        assert_eq!(check(second.path()).unwrap().damage, Vec::<String>::new());
        // The numbers continue.
        let (key, value) = ("c".parse().unwrap(), Json::of(&0).unwrap());
        let set = second.kv().set(&key, value, Expected::Absent, Expiry::Never).await;
        assert_eq!(set, Ok(Revision(5)));
        let body = Json::of(&9).unwrap();
        let old = second.log().append(&"old".parse().unwrap(), body.clone(), None).await;
        assert_eq!(old, Ok(AppendResult::New(Sequence(3))));
        let key = Some("k1".parse().unwrap());
        let known = second.log().append(&"chat".parse().unwrap(), body, key).await;
        assert_eq!(known, Ok(AppendResult::Known(Sequence(2))));
        // A watch of the old store cannot continue here.
        let mut watch = second.kv().watch(&Prefix::all(), Revision(2)).await.unwrap();
        assert_eq!(watch.next().await, Err(StoreFault::Forgotten { through: Revision(4) }));
        let mut watch = second.kv().watch(&Prefix::all(), Revision(4)).await.unwrap();
        assert_eq!(watch.next().await.unwrap().revision(), Revision(5));
    });
}

#[test]
fn a_used_store_refuses_an_import() {
    run(async {
        let used = store();
        fill(&used).await;
        let fault = used.import(Cursor::new(FILLED)).await.unwrap_err();
        assert!(matches!(fault, ImportFault::NotEmpty));
        assert_eq!(exported(&used).await, FILLED);
        let emptied = store();
        let key = "key".parse().unwrap();
        let value = Json::of(&0).unwrap();
        emptied.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap();
        emptied.kv().delete(&key, Expected::Any).await.unwrap();
        let fault = emptied.import(Cursor::new(FILLED)).await.unwrap_err();
        assert!(matches!(fault, ImportFault::NotEmpty));
    });
}

/// An import of `FILLED` with `from` replaced by `to` fails, and the store stays new.
#[track_caller]
fn check_broken(from: &str, to: &str, expected: &str) {
    assert!(FILLED.contains(from), "{from}");
    run(async {
        let store = store();
        let broken = FILLED.replacen(from, to, 1);
        let fault = store.import(Cursor::new(broken)).await.unwrap_err();
        assert!(fault.to_string().starts_with(expected), "{fault}");
        store.import(Cursor::new(FILLED)).await.unwrap();
    });
}

#[test]
fn a_broken_export_is_refused_completely_with_the_line() {
    check_broken(FILLED, "", "line 1: the export is cut off here");
    check_broken(FILLED, "hello\n", "line 1: expected value");
    check_broken("\"format\":1", "\"format\":2", "line 1: format 2; this version reads 1");
    check_broken("{\"store\"", "{\"shop\"", "line 1: unknown variant `shop`");
    let head = FILLED.lines().next().unwrap().to_owned() + "\n";
    check_broken(&head, "", "line 1: not an export: it does not begin with `store`");
    check_broken(&head, &head.repeat(2), "line 2: a second `store` line");
    check_broken("\"revision\":3", "\"revision\":5", "line 2: the revision is newer");
    check_broken("\"revision\":1,", "\"revision\":3,", "line 3: UNIQUE constraint failed");
    check_broken("\"key\":\"b\"", "\"key\":\"a\"", "line 3: UNIQUE constraint failed");
    check_broken("\"key\":\"b\"", "\"key\":\"\"", "line 3: the key is empty");
    check_broken("\"value\":[1]", "\"value\":[1", "line 2: expected");
    check_broken("\"sequence\":1,", "\"sequence\":2,", "line 5: this is not the next record");
    check_broken("\"last\":2}}\n{\"rec", "\"last\":3}}\n{\"rec", "line 7: record 3 is missing");
    check_broken("\"id\":3", "\"id\":4", "line 10: the message id is newer");
    check_broken("\"died_at\"", "\"dead_at\"", "line 8: unknown field `dead_at`");
    check_broken("\"lines\":9", "\"lines\":8", "line 11: lines are missing before this one");
    check_broken("{\"end\":{\"lines\":9}}\n", "", "line 11: the export is cut off here");
    check_broken(
        "{\"end\":{\"lines\":9}}\n",
        "{\"end\":{\"lines\":9}}",
        "line 11: the export is cut",
    );
    check_broken("9}}\n", "9}}\n\n", "line 11: there is more after the end");
    let long = format!("\"value\":\"{}\"", "x".repeat(1_000_000));
    check_broken("\"value\":[1]", &long, "line 2: the value has a size of 1000002");
    let longer = format!("\"value\":\"{}\"", "x".repeat(2_000_000));
    check_broken("\"value\":[1]", &longer, "line 2: the line is too long");
}
