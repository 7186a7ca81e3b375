//! Which files are opened, and that all others are not changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rusqlite::Connection;

use crate::tests::run;
use crate::*;

/// Every file of a folder with its bytes. SQLite's own index of the journal is left out:
/// it is a cache that any reader may create.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file() && !path.ends_with("store.db-shm"));
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read(path).unwrap())
    };
    files.map(read).collect()
}

/// Creates a store with some content, all in one file.
fn filled(path: &Path) {
    let store = SqliteStore::open(path, SqliteOptions::machine()).unwrap();
    run(async {
        for number in 0..200 {
            let key = format!("key/{number}").parse().unwrap();
            let value = Json::of(&"x".repeat(200)).unwrap();
            store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap();
        }
    });
}

/// Opening and checking a file that `spoil` damaged give the same fault and change nothing.
#[track_caller]
fn check_refused(spoil: impl Fn(&Path), expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    filled(&path);
    spoil(&path);
    let before = files(folder.path());
    let shown = |fault: OpenFault| fault.to_string().replace(&path.display().to_string(), "FILE");
    let opened = SqliteStore::open(&path, SqliteOptions::machine());
    assert_eq!(shown(opened.unwrap_err()), expected);
    assert_eq!(shown(check(&path).unwrap_err()), expected);
    assert!(files(folder.path()) == before, "a file was changed");
}

fn sql(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_file_that_is_not_a_store_is_not_changed() {
    let no_database = "FILE is not a Ghosthand store: file is not a database";
    let other = "FILE is not a Ghosthand store: it is empty, or a database of another program";
    check_refused(|path| fs::write(path, "shopping list\n".repeat(500)).unwrap(), no_database);
    check_refused(|path| fs::write(path, "short").unwrap(), no_database);
    check_refused(|path| fs::write(path, "").unwrap(), other);
    let another = |path: &Path| {
        fs::remove_file(path).unwrap();
        sql(path, "CREATE TABLE kv (key TEXT); INSERT INTO kv VALUES ('precious');");
    };
    check_refused(another, other);
}

#[test]
fn a_newer_store_is_not_changed() {
    let newer = "FILE was written by a newer Ghosthand (schema 2, this one supports 1); \
                 it was not changed";
    check_refused(|path| sql(path, "PRAGMA user_version = 2"), newer);
    // The same while the change is still in the journal beside the file.
    let in_journal = |path: &Path| {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch("PRAGMA user_version = 2").unwrap();
        let journal = path.with_file_name("store.db-wal");
        let copies = [fs::read(path).unwrap(), fs::read(&journal).unwrap()];
        connection.close().unwrap();
        fs::write(path, &copies[0]).unwrap();
        fs::write(journal, &copies[1]).unwrap();
    };
    check_refused(in_journal, newer);
}

#[test]
fn a_damaged_store_is_not_changed() {
    let malformed = "FILE is damaged: database disk image is malformed; it was not changed";
    let cut = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    };
    check_refused(cut, malformed);
    let tables = "FILE is damaged: its tables are not those of its schema number; \
                  it was not changed";
    check_refused(|path| sql(path, "DROP TABLE message"), tables);
    check_refused(|path| sql(path, "PRAGMA user_version = 0"), {
        "FILE is damaged: there is no schema 0; it was not changed"
    });
}

#[test]
fn damage_inside_is_found_by_the_check_and_stops_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    filled(&path);
    assert_eq!(check(&path).unwrap().damage, Vec::<String>::new());
    assert_eq!(check(&path).unwrap().counts.keys, 200);
    assert_eq!(quick_check(&path), Ok(true));
    assert_eq!(quick_check(&folder.path().join("none.db")), Ok(true));
    // All pages but the first few, which hold the tables' roots.
    let mut bytes = fs::read(&path).unwrap();
    let from = bytes.len() / 2;
    bytes[from..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    assert_ne!(check(&path).unwrap().damage, Vec::<String>::new());
    assert!(matches!(quick_check(&path), Err(OpenFault::Damaged { .. })));
    run(async {
        let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
        let mut damaged = 0;
        for number in 0..200 {
            let key = format!("key/{number}").parse().unwrap();
            let value = Json::of(&0).unwrap();
            let set = store.kv().set(&key, value, Expected::Any, Expiry::Never).await;
            match set {
                Err(StoreFault::Damaged { .. }) => damaged += 1,
                Ok(_) if damaged == 0 => {}
                other => panic!("a write after damage was seen: {other:?}"),
            }
        }
        assert!(damaged > 0);
    });
}

#[test]
fn violated_invariants_are_found_by_the_check() {
    let found = |spoil: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
        run(async {
            for number in 0..3 {
                let body = Json::of(&number).unwrap();
                store.log().append(&"log".parse().unwrap(), body, None).await.unwrap();
            }
            let (key, value) = ("key".parse().unwrap(), Json::of(&1).unwrap());
            store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap();
        });
        sql(&path, spoil);
        check(&path).unwrap().damage.join("; ")
    };
    assert_eq!(found(""), "");
    assert_eq!(found("UPDATE kv SET value = '{'"), "a value is not JSON: key");
    assert_eq!(found("UPDATE kv SET revision = 9"), "a revision is newer than the newest: key");
    let missing = "records of a log are missing, or there are too many: log";
    assert_eq!(found("DELETE FROM record WHERE sequence = 2"), missing);
    assert_eq!(found("DELETE FROM log"), {
        "a record has no place in its log: 1/1; a record has no place in its log: 1/2; \
         a record has no place in its log: 1/3"
    });
    assert_eq!(
        found("DELETE FROM counter WHERE name = 'message'"),
        "a counter is missing: counter"
    );
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_store() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd name ?#%ä.db");
    let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
    run(async {
        let value = Json::of(&1).unwrap();
        let key = "key".parse().unwrap();
        store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap();
        assert!(store.kv().exists(&key).await.unwrap());
    });
    let entries: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    assert_eq!(entries.len(), 3, "{entries:?}");
    for entry in entries {
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
}

#[test]
fn a_store_needs_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/store.db");
    let fault = SqliteStore::open(&path, SqliteOptions::machine()).unwrap_err();
    assert!(matches!(fault, OpenFault::Io { .. }), "{fault}");
    let fault = SqliteStore::open(folder.path(), SqliteOptions::machine()).unwrap_err();
    assert!(matches!(fault, OpenFault::Io { .. }), "{fault}");
    let fault = check(&path).unwrap_err();
    assert!(matches!(fault, OpenFault::Io { .. }), "{fault}");
    assert!(files(folder.path()).is_empty());
}
