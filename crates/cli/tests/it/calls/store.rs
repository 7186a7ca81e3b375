//! `ghosthand store`: what goes out comes in again, and foreign files are left alone.

use std::fs;
use std::path::Path;

use store::{Expected, Expiry, Json, SqliteOptions, SqliteStore, Store};

use testkit::postgres::{PASSWORD, PostgresServer, PostgresVersion};

use crate::support::program::run;

fn with_keys(path: &Path, count: usize) {
    let store = SqliteStore::open(path, SqliteOptions::machine()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        for number in 0..count {
            let key = format!("key/{number}").parse().unwrap();
            let value = Json::of(&number).unwrap();
            store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap();
        }
        let log = "talk".parse().unwrap();
        store.log().append(&log, Json::of("hello").unwrap(), None).await.unwrap();
    });
}

#[test]
fn an_export_comes_in_again_and_gives_the_same_export() {
    let dir = tempfile::tempdir().unwrap();
    with_keys(&dir.path().join("one.db"), 3);
    let export = run(dir.path(), &["store", "export", "one.jsonl", "--store", "one.db"]);
    assert_eq!((export.code, export.out.as_str()), (0, ""), "{export:?}");
    assert_eq!(export.err, "exported 3 keys, 1 record in 1 log, 0 messages\n");
    let import = run(dir.path(), &["store", "import", "one.jsonl", "--store", "new/two.db"]);
    assert_eq!(import.code, 0, "{import:?}");
    let again = run(dir.path(), &["store", "export", "--store", "new/two.db"]);
    assert_eq!(again.out, fs::read_to_string(dir.path().join("one.jsonl")).unwrap());
    let twice = run(dir.path(), &["store", "import", "one.jsonl", "--store", "new/two.db"]);
    assert_eq!(twice.code, 1, "{twice:?}");
    assert!(twice.err.contains("the store is not new"), "{}", twice.err);
    let check = run(dir.path(), &["store", "check", "--store", "new/two.db"]);
    assert_eq!(check.code, 0, "{check:?}");
}

#[test]
fn a_foreign_or_missing_file_is_named_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("letter.txt");
    fs::write(&path, "Dear Ana, this is no database at all.").unwrap();
    for args in [["store", "check"], ["store", "export"]] {
        let found = run(dir.path(), &[args[0], args[1], "--store", "letter.txt"]);
        assert_eq!(found.code, 1, "{found:?}");
        assert!(
            found.err.contains("is not a Ghosthand store") && found.err.contains("fix:"),
            "{}",
            found.err
        );
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "Dear Ana, this is no database at all.");
    let missing = run(dir.path(), &["store", "export"]);
    assert!(missing.err.contains("there is no store at `.ghosthand/store.db`"), "{}", missing.err);
    assert!(!dir.path().join(".ghosthand").exists());
}

#[test]
fn a_store_is_copied_to_postgresql_and_back() {
    let database = PostgresServer::start(PostgresVersion::Debian);
    let dir = tempfile::tempdir().unwrap();
    with_keys(&dir.path().join("one.db"), 3);
    let address = database.socket_address();
    let check = |args: &[&str], code: i32, err: &str| {
        let found = run(dir.path(), args);
        assert_eq!(found.code, code, "{found:?}");
        assert!(found.err.contains(err), "{found:?}");
        found.out
    };
    let copied = "copied 3 keys, 1 record in 1 log, 0 messages; the copy has the same content";
    check(&["store", "copy", "one.db", &address], 0, copied);
    check(&["store", "copy", "one.db", &address], 1, "the store is not new");
    check(&["store", "copy", &address, "two.db"], 0, copied);
    check(&["store", "copy", "three.db", &address], 1, "there is no store at `three.db`");
    check(&["store", "check", "--store", &address], 1, "is checked by its server");
    let export = |store: &str| check(&["store", "export", "--store", store], 0, "exported 3 keys");
    let exported = export("one.db");
    assert_eq!(export(&address), exported);
    assert_eq!(export("two.db"), exported);

    let address = database.tcp_address(database.port());
    let refused = run(dir.path(), &["store", "copy", "one.db", &address]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("visible to every user"), "{refused:?}");
    assert!(!refused.err.contains(PASSWORD) && !refused.err.contains("p%40ss"), "{refused:?}");
}
