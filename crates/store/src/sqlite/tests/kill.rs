//! `kill -9` at random moments: acknowledged writes are stored, and no write is partial.
//!
//! The test starts its own program again with only `victim` to run. The victim writes
//! with several tasks at once and prints a line after each acknowledged write.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::tests::run;
use crate::*;

const VICTIM_PATH: &str = "GHOSTHAND_TEST_VICTIM_PATH";
const VICTIM_FROM: &str = "GHOSTHAND_TEST_VICTIM_FROM";
const TASKS: u64 = 4;

/// Starts this test program again with one test to run.
pub(super) fn again(test: &str, variables: &[(&str, &OsStr)]) -> Child {
    #[expect(
        clippy::disallowed_methods,
        reason = "it runs this test again, and the parent kills it"
    )]
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .envs(variables.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Writes until it is killed. Does nothing when it is run as an ordinary test.
#[test]
fn victim() {
    let Some(path) = std::env::var_os(VICTIM_PATH) else { return };
    let from: u64 = std::env::var_os(VICTIM_FROM).unwrap().to_str().unwrap().parse().unwrap();
    say("opening");
    let store = SqliteStore::open(Path::new(&path), SqliteOptions::machine()).unwrap();
    let store = std::sync::Arc::new(store);
    say("open");
    run(async move {
        let mut tasks = tokio::task::JoinSet::new();
        for task in 0..TASKS {
            let store = std::sync::Arc::clone(&store);
            tasks.spawn(async move {
                for number in from.. {
                    write(&store, task, number).await;
                }
            });
        }
        tasks.join_all().await;
    });
}

async fn write(store: &SqliteStore, task: u64, number: u64) {
    // A body over several pages, so that a write is more than one block.
    let pad = "x".repeat(usize::try_from(number * 997 % 9_000).unwrap());
    let body = Json::of(&json!({ "number": number, "pad": pad })).unwrap();
    let dedup: DedupKey = number.to_string().parse().unwrap();
    let key: Key = format!("{task}/{}", number % 5).parse().unwrap();
    store.kv().set(&key, body.clone(), Expected::Any, Expiry::Never).await.unwrap();
    say(&format!("kv {task} {number}"));
    let log = format!("log/{task}").parse().unwrap();
    let appended = store.log().append(&log, body.clone(), Some(dedup.clone())).await.unwrap();
    say(&format!("log {task} {number} {}", appended.sequence()));
    let list: Key = format!("list/{task}").parse().unwrap();
    store.kv().rpush(&list, vec![Json::of(&number).unwrap()]).await.unwrap();
    say(&format!("list {task} {number}"));
    let queue = format!("queue/{task}").parse().unwrap();
    let (delay, attempts_max) = (Duration::ZERO, 3);
    let message = NewMessage { body, dedup: Some(dedup), delay, attempts_max };
    store.queue().push(&queue, message).await.unwrap();
    say(&format!("push {task} {number}"));
    if number.is_multiple_of(3) {
        let claim = store.queue().claim(&queue, Duration::ZERO).await.unwrap();
        store.queue().nack(&claim.unwrap().id, Duration::ZERO, "again").await.unwrap();
    }
}

/// The writes that the victims acknowledged.
#[derive(Default)]
struct Acknowledged {
    values: BTreeMap<(u64, u64), u64>,
    records: BTreeMap<(u64, u64), u64>,
    items: Vec<(u64, u64)>,
    messages: Vec<(u64, u64)>,
    newest: u64,
}

impl Acknowledged {
    fn note(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |index: usize| words[index].parse::<u64>().unwrap();
        match words[0] {
            "kv" => drop(self.values.insert((number(1), number(2) % 5), number(2))),
            "log" => drop(self.records.insert((number(1), number(3)), number(2))),
            "list" => self.items.push((number(1), number(2))),
            "push" => self.messages.push((number(1), number(2))),
            _ => return,
        }
        self.newest = self.newest.max(number(2));
    }

    async fn check(&self, store: &SqliteStore) {
        for ((task, slot), number) in &self.values {
            let key = format!("{task}/{slot}").parse().unwrap();
            let value = store.kv().get(&key).await.unwrap().unwrap().value;
            assert!(whole(&value) >= *number, "{key}: {number} is lost");
        }
        for task in 0..TASKS {
            let log = format!("log/{task}").parse().unwrap();
            let mut next = Sequence::FIRST;
            while let records = store.log().read(&log, next, 1_000).await.unwrap()
                && !records.is_empty()
            {
                for record in records {
                    assert_eq!(record.sequence, next, "a gap in {log}");
                    let number = whole(&record.body);
                    assert_eq!(record.key.unwrap().as_str(), number.to_string());
                    let known = self.records.get(&(task, next.0));
                    assert!(known.is_none_or(|known| *known == number), "{log} {next}");
                    next = next.next();
                }
            }
            let last = self.records.range((task, 0)..(task + 1, 0)).next_back();
            assert!(last.is_none_or(|((_, known), _)| *known < next.0), "{log} has lost records");
            let list = format!("list/{task}").parse().unwrap();
            let items = store.kv().lrange(&list, 0, -1).await.unwrap();
            let items: Vec<u64> = items.iter().map(|item| item.to().unwrap()).collect();
            assert!(items.is_sorted_by(|a, b| a < b), "an item twice in {list}");
            let expected = self.items.iter().filter(|(of, _)| *of == task);
            for (_, number) in expected {
                assert!(items.binary_search(number).is_ok(), "{list}: {number} is lost");
            }
        }
    }
}

/// The number in a body, which must be complete.
fn whole(body: &Json) -> u64 {
    let body: Value = body.to().unwrap();
    let number = body["number"].as_u64().unwrap();
    assert_eq!(body["pad"].as_str().unwrap().len() as u64, number * 997 % 9_000);
    number
}

/// One victim, killed after it has printed `lines` lines.
fn kill_after(path: &Path, lines: usize, acknowledged: &mut Acknowledged) {
    let from = (acknowledged.newest + 1_000).to_string();
    let variables = [(VICTIM_PATH, path.as_os_str()), (VICTIM_FROM, from.as_ref())];
    let mut child = again("sqlite::tests::kill::victim", &variables);
    let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = printed.by_ref().find(|line| line.as_ref().unwrap().ends_with("opening"));
    assert!(begun.is_some());
    for line in printed.by_ref().take(lines) {
        acknowledged.note(&line.unwrap());
    }
    child.kill().unwrap();
    // The rest of what it printed before it was killed.
    printed.map_while(Result::ok).for_each(|line| acknowledged.note(&line));
    child.wait().unwrap();
}

/// Pseudo-random numbers, the same in every run.
fn random(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_no_write_is_partial() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let (mut random, mut acknowledged) = (random(7), Acknowledged::default());
    for round in 0..60 {
        kill_after(&path, usize::try_from(random(120)).unwrap(), &mut acknowledged);
        if path.exists() {
            assert_eq!(check(&path).unwrap().damage, Vec::<String>::new(), "round {round}");
            let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
            run(acknowledged.check(&store));
        }
    }
    let store = SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
    run(async {
        for (task, number) in &acknowledged.messages {
            let queue = format!("queue/{task}").parse().unwrap();
            let dedup = Some(number.to_string().parse().unwrap());
            let (body, delay) = (Json::of(&0).unwrap(), Duration::ZERO);
            let message = NewMessage { body, dedup, delay, attempts_max: 1 };
            let pushed = store.queue().push(&queue, message).await.unwrap();
            assert!(matches!(pushed, PushResult::Known(_)), "{queue}: {number} is lost");
        }
    });
    assert!(acknowledged.messages.len() > 100, "{}", acknowledged.messages.len());
}

#[test]
fn a_store_is_created_completely_or_not_at_all() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        kill_after(&path, 0, &mut Acknowledged::default());
        if path.exists() {
            assert_eq!(check(&path).unwrap().damage, Vec::<String>::new());
        }
        SqliteStore::open(&path, SqliteOptions::machine()).unwrap();
    }
}
