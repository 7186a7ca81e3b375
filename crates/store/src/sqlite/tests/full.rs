//! A full disk: writes that returned `Ok` are stored, those that returned a fault are not.

use std::sync::Arc;
use std::time::Duration;

use rusqlite::Connection;

use crate::engine::Topics;
use crate::sqlite::open::{Sync, open};
use crate::sqlite::writer::{Writer, WriterThread};
use crate::tests::{clock, run};
use crate::*;

/// A writer on a file with a limited number of pages.
fn writer(path: &std::path::Path, pages_max: u32) -> Writer {
    let connection = open(path, Sync::Process).unwrap();
    connection.pragma_update(None, "max_page_count", pages_max).unwrap();
    // Changed pages are written early, so that the disk is full in the middle of a write.
    connection.pragma_update(None, "cache_size", 4).unwrap();
    let (topics, deletions_kept) = (Arc::new(Topics::default()), Duration::from_secs(60));
    let writer_thread = WriterThread {
        connection,
        topics,
        clock: clock(),
        limits: Limits::PORTABLE,
        deletions_kept,
    };
    Writer::start(writer_thread).unwrap()
}

async fn insert(writer: &Writer, number: u64) -> Result<u64, StoreFault> {
    let insert = writer.submit(0, move |step| {
        // Two rows in one write: both or neither.
        for part in ["a", "b"] {
            let sql = "INSERT INTO kv (key, value, revision) VALUES (?1, ?2, ?3)";
            let revision = number * 2 + u64::from(part == "b") + 1;
            let value = format!("\"{}\"", "x".repeat(3_000));
            let row = rusqlite::params![format!("{number}/{part}"), value, revision];
            step.connection.prepare_cached(sql)?.execute(row)?;
        }
        Ok(number)
    });
    insert.await
}

#[test]
fn a_full_disk_fails_whole_writes_and_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    drop(SqliteStore::open(&path, SqliteOptions::machine()).unwrap());
    let (done, failed) = run(async {
        let writer = Arc::new(writer(&path, 100));
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..200 {
            let writer = Arc::clone(&writer);
            tasks.spawn(async move { insert(&writer, number).await });
        }
        tasks.join_all().await.into_iter().partition::<Vec<_>, _>(Result::is_ok)
    });
    for fault in failed.iter().filter_map(|result| result.as_ref().err()) {
        assert!(
            matches!(fault, StoreFault::Unusable { .. } | StoreFault::Unsure { .. }),
            "{fault}"
        );
    }
    let mut done: Vec<u64> = done.into_iter().map(Result::unwrap).collect();
    assert!(!done.is_empty() && !failed.is_empty(), "{} and {}", done.len(), failed.len());
    done.sort_unstable();
    let connection = Connection::open(&path).unwrap();
    let stored = |part: &str| -> Vec<u64> {
        let sql = "SELECT CAST(key AS INTEGER) FROM kv WHERE key LIKE '%/' || ?1 ORDER BY 1";
        let mut statement = connection.prepare(sql).unwrap();
        statement.query_map([part], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!((stored("a"), stored("b")), (done.clone(), done));
    // With free space, writes succeed again.
    let writer = writer(&path, 10_000);
    assert_eq!(run(insert(&writer, 500)), Ok(500));
}
