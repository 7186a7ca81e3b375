//! Two users of one store: in one process, and in two.

use std::path::Path;

use super::kill::again;
use crate::tests::run;
use crate::*;

#[test]
fn two_stores_on_one_file_see_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let one = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
    let two = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
    run(async {
        let mut watch = one.kv().watch(&Prefix::all(), Revision::START).await.unwrap();
        let key = "key".parse().unwrap();
        let value = Json::of(&1).unwrap();
        let revision = two.kv().set(&key, value, Expected::Absent, Expiry::Never).await.unwrap();
        assert_eq!(one.kv().get(&key).await.unwrap().unwrap().revision, revision);
        assert_eq!(watch.next().await.unwrap().revision(), revision);
        let conflict = one.kv().delete(&key, Expected::Absent).await;
        assert_eq!(conflict, Err(StoreFault::Conflict { key, current: Some(revision) }));
        let queue = "jobs".parse().unwrap();
        let waiting = one.queue().claim_next(&queue, std::time::Duration::from_secs(60));
        let (body, delay) = (Json::of(&7).unwrap(), std::time::Duration::ZERO);
        let message = NewMessage { body, dedup: None, delay, attempts_max: 1 };
        two.queue().push(&queue, message).await.unwrap();
        assert_eq!(waiting.await.unwrap().body.as_str(), "7");
        drop(two);
        assert_eq!(
            one.kv().delete(&"key".parse().unwrap(), Expected::Any).await.unwrap().unwrap(),
            { Revision(revision.0 + 1) }
        );
    });
}

const PARTNER_PATH: &str = "GHOSTHAND_TEST_PARTNER_PATH";
const EACH: u64 = 150;

/// Answers every record of `there` in `back`, and writes to `shared` meanwhile. Does
/// nothing when it is run as an ordinary test.
#[test]
fn partner() {
    let Some(path) = std::env::var_os(PARTNER_PATH) else { return };
    let store = SqliteStore::open(Path::new(&path), SqliteOptions::machine()).unwrap();
    run(play(&store, "there", "back", "partner"));
}

/// Writes to the shared log as `name`, and passes every record of `from` on to `to`.
async fn play(store: &SqliteStore, from: &str, to: &str, name: &str) {
    let (from, to, shared): (LogName, LogName, LogName) =
        (from.parse().unwrap(), to.parse().unwrap(), "shared".parse().unwrap());
    let count: Key = "count".parse().unwrap();
    let mut feed = store.log().follow(&from, Sequence::FIRST).await.unwrap();
    for number in 1..=EACH {
        let body = Json::of(&(name, number)).unwrap();
        store.log().append(&shared, body, None).await.unwrap();
        store.kv().rpush(&count, vec![Json::of(&name).unwrap()]).await.unwrap();
        if number % 10 == 0 {
            let record = feed.next().await.unwrap();
            store.log().append(&to, record.body, None).await.unwrap();
        }
    }
}

#[test]
fn two_processes_share_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
    let variables = [(PARTNER_PATH, path.as_os_str())];
    let mut child = again("sqlite::tests::two_processes::partner", &variables);
    run(async {
        // Every record that comes back is sent again.
        let first = Json::of("ball").unwrap();
        store.log().append(&"there".parse().unwrap(), first, None).await.unwrap();
        play(&store, "back", "there", "parent").await;
    });
    assert!(child.wait().unwrap().success());
    run(async {
        let shared = "shared".parse().unwrap();
        let records = store.log().read(&shared, Sequence::FIRST, 1_000).await.unwrap();
        let numbers = records.iter().map(|record| record.sequence.0);
        assert!(numbers.eq(1..=2 * EACH));
        for name in ["parent", "partner"] {
            let bodies = records.iter().map(|record| record.body.to::<(String, u64)>().unwrap());
            let of_name = bodies.filter(|(of, _)| of == name).map(|(_, number)| number);
            assert!(of_name.eq(1..=EACH), "{name}");
        }
        assert_eq!(store.kv().llen(&"count".parse().unwrap()).await.unwrap() as u64, 2 * EACH);
    });
    drop(store);
    assert_eq!(check(&path).unwrap().damage, Vec::<String>::new());
}
