//! No task is lost, out of order, or left unwritten.

use std::sync::Arc;

use serde_json::json;
use store::{Json, Sequence, SqliteOptions, SqliteStore, Store};

use super::{BackgroundWriter, Task};
use crate::store_keys;

fn line(number: usize) -> Task {
    Task::Audit(Json::of(&json!(number)).unwrap())
}

fn start() -> (Arc<SqliteStore>, BackgroundWriter) {
    let store = Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
    let writer = BackgroundWriter::start(Arc::clone(&store) as Arc<dyn Store>, Arc::default());
    (store, writer)
}

async fn numbers(store: &SqliteStore) -> Vec<usize> {
    let log = store_keys::audit().unwrap();
    let mut numbers = Vec::new();
    loop {
        let next = Sequence(numbers.len() as u64 + 1);
        let records = store.log().read(&log, next, 1_000).await.unwrap();
        if records.is_empty() {
            return numbers;
        }
        numbers.extend(records.iter().map(|record| record.body.to::<usize>().unwrap()));
    }
}

#[tokio::test]
async fn more_lines_than_fit_into_the_queue_are_all_written_in_order() {
    let (store, writer) = start();
    for number in 0..10_000 {
        writer.put(line(number)).await;
    }
    writer.flush().await;
    assert_eq!(numbers(&store).await, (0..10_000).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_line_is_written_without_a_flush() {
    let (store, writer) = start();
    let log = store_keys::audit().unwrap();
    let mut feed = store.log().follow(&log, Sequence(1)).await.unwrap();
    for number in 0..100 {
        writer.put(line(number)).await;
        let record = feed.next().await.unwrap();
        assert_eq!(record.body.to::<usize>().unwrap(), number);
    }
}

#[tokio::test]
async fn the_last_lines_are_written_when_the_engine_is_dropped() {
    let (store, writer) = start();
    let log = store_keys::audit().unwrap();
    let mut feed = store.log().follow(&log, Sequence(1)).await.unwrap();
    (0..50).for_each(|number| drop(writer.sender.try_send(line(number))));
    drop(writer);
    for number in 0..50 {
        assert_eq!(feed.next().await.unwrap().body.to::<usize>().unwrap(), number);
    }
}

#[tokio::test]
async fn a_flush_waits_for_everything_before_it() {
    let (store, writer) = start();
    for number in 0..20 {
        writer.put(line(number)).await;
        writer.flush().await;
        assert_eq!(numbers(&store).await.len(), number + 1);
    }
}
