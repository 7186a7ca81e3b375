//! The same random operations on SQLite and on PostgreSQL give the same answers, faults included.
//!
//! Revisions are compared as they are while nothing expires by itself; values that expire are in a
//! part of their own, where only what is readable is compared.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use store::*;
use testkit::postgres::{PostgresServer, PostgresVersion};

use crate::subject::{clock, open, options_with, run};

#[derive(Debug, Clone)]
enum Act {
    Set { key: u8, value: u8, expected: u8, expiry: u8 },
    Delete { key: u8, expected: u8 },
    Edit { key: u8, edit: u8, value: u8 },
    List { prefix: u8, after: Option<u8>, limit: u8 },
    Append { log: u8, records: Vec<(u8, Option<u8>)> },
    Read { log: u8, from: u8, limit: u8 },
    Find { log: u8, dedup: u8 },
    Logs { limit: u8 },
    Erase { log: u8 },
    Push { queue: u8, value: u8, dedup: Option<u8>, delay: u8, attempts: u8 },
    Claim { queue: u8, lease: u8 },
    Ack { claim: u8 },
    Nack { claim: u8, delay: u8 },
    Extend { claim: u8, lease: u8 },
    Requeue { queue: u8, message: u8 },
    Discard { queue: u8, message: u8 },
    Letters { queue: u8, after: Option<u8>, limit: u8 },
    Pass { seconds: u8 },
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    use prop::option::of;
    let record = (0..9u8, of(0..5u8));
    prop::collection::vec(
        prop_oneof![
            6 => (0..5u8, 0..9u8, 0..6u8, 0..4u8).prop_map(|(key, value, expected, expiry)| {
                Act::Set { key, value, expected, expiry }
            }),
            3 => (0..5u8, 0..6u8).prop_map(|(key, expected)| Act::Delete { key, expected }),
            4 => (3..7u8, 0..7u8, 0..9u8)
                .prop_map(|(key, edit, value)| Act::Edit { key, edit, value }),
            3 => (0..3u8, of(0..7u8), 0..5u8)
                .prop_map(|(prefix, after, limit)| Act::List { prefix, after, limit }),
            6 => (0..3u8, prop::collection::vec(record, 0..4))
                .prop_map(|(log, records)| Act::Append { log, records }),
            3 => (0..3u8, 0..9u8, 0..5u8)
                .prop_map(|(log, from, limit)| Act::Read { log, from, limit }),
            2 => (0..3u8, 0..5u8).prop_map(|(log, dedup)| Act::Find { log, dedup }),
            1 => (0..3u8).prop_map(|limit| Act::Logs { limit }),
            1 => (0..3u8).prop_map(|log| Act::Erase { log }),
            6 => (0..2u8, 0..9u8, of(0..4u8), 0..4u8, 0..3u8).prop_map(
                |(queue, value, dedup, delay, attempts)| Act::Push {
                    queue, value, dedup, delay, attempts
                }
            ),
            6 => (0..2u8, 0..4u8).prop_map(|(queue, lease)| Act::Claim { queue, lease }),
            3 => any::<u8>().prop_map(|claim| Act::Ack { claim }),
            3 => (any::<u8>(), 0..4u8).prop_map(|(claim, delay)| Act::Nack { claim, delay }),
            2 => (any::<u8>(), 0..4u8).prop_map(|(claim, lease)| Act::Extend { claim, lease }),
            2 => (0..2u8, 0..9u8).prop_map(|(queue, message)| Act::Requeue { queue, message }),
            1 => (0..2u8, 0..9u8).prop_map(|(queue, message)| Act::Discard { queue, message }),
            2 => (0..2u8, of(0..9u8), 0..3u8)
                .prop_map(|(queue, after, limit)| Act::Letters { queue, after, limit }),
            3 => (1..4u8).prop_map(|seconds| Act::Pass { seconds }),
        ],
        1..60,
    )
}

fn seconds(number: u8) -> Duration {
    Duration::from_secs(number.into())
}

fn named<T: std::str::FromStr<Err = BadName>>(kind: &str, number: u8) -> T {
    format!("{kind}/{number}").parse().unwrap()
}

fn json(value: u8) -> Json {
    format!(r#"{{"b":{value}.0,"a":"\u00e4"}}"#).parse().unwrap()
}

/// One engine, and what its own answers were: claims to end, revisions to expect.
struct Side {
    store: Arc<dyn Store>,
    claims: Vec<ClaimId>,
}

impl Side {
    /// Does it and tells all that can be seen, as text.
    async fn act(&mut self, act: &Act) -> String {
        let (kv, log, queue) = (self.store.kv(), self.store.log(), self.store.queue());
        match act.clone() {
            Act::Set { key, value, expected, expiry } => {
                let key: Key = named("key", key);
                let expected = self.expected(&key, expected).await;
                let expiry = match expiry {
                    0 | 1 => Expiry::Never,
                    2 => Expiry::Unchanged,
                    _ => Expiry::After(seconds(3)),
                };
                format!("{:?}", kv.set(&key, json(value), expected, expiry).await.map(hidden))
            }
            Act::Delete { key, expected } => {
                let key: Key = named("key", key);
                let expected = self.expected(&key, expected).await;
                let deleted = kv.delete(&key, expected).await;
                format!("{:?}", deleted.map(|revision| revision.map(hidden)))
            }
            Act::Edit { key, edit, value } => {
                let edit = match edit {
                    0 => ListEdit::PushLeft(vec![json(value), json(0)]),
                    1 => ListEdit::PushRight(vec![json(value)]),
                    2 => ListEdit::PopLeft,
                    3 => ListEdit::PopRight,
                    4 => ListEdit::PushRight(vec![]),
                    _ => ListEdit::RemoveAt(i64::from(value) - 4),
                };
                let edited = kv.edit_list(&named("key", key), edit).await;
                let seen = |done: ListEditResult| (done.taken, done.len, done.revision.is_some());
                format!("{:?}", edited.map(seen))
            }
            Act::List { prefix, after, limit } => {
                let prefix: Prefix = ["", "key/", "key/1"][usize::from(prefix)].parse().unwrap();
                let after = after.map(|after| named("key", after));
                let page = PageRequest { after, limit: limit.into() };
                let keys = kv.keys(&prefix, page.clone()).await;
                let list = kv.list(&prefix, page).await.map(|page| {
                    let seen = |entry: KvEntry| (entry.key, entry.value, entry.expires_at);
                    (page.items.into_iter().map(seen).collect::<Vec<_>>(), page.next)
                });
                format!("{keys:?} {list:?}")
            }
            Act::Append { log: name, records } => {
                let record = |(body, key): (u8, Option<u8>)| {
                    (json(body), key.map(|key| named::<DedupKey>("dedup", key)))
                };
                let records = records.into_iter().map(record).collect();
                format!("{:?}", log.append_all(&named("log", name), records).await)
            }
            Act::Read { log: name, from, limit } => {
                let from = Sequence(from.into());
                let read = log.read(&named("log", name), from, limit.into()).await;
                format!("{read:?} {:?}", log.last(&named("log", name)).await)
            }
            Act::Find { log: name, dedup } => {
                format!("{:?}", log.find(&named("log", name), &named("dedup", dedup)).await)
            }
            Act::Logs { limit } => {
                format!("{:?}", log.logs(&Prefix::all(), PageRequest::first(limit.into())).await)
            }
            Act::Erase { log: name } => format!("{:?}", log.erase(&named("log", name)).await),
            Act::Push { queue: name, value, dedup, delay, attempts } => {
                let message = NewMessage {
                    body: json(value),
                    dedup: dedup.map(|dedup| named("dedup", dedup)),
                    delay: seconds(delay),
                    attempts_max: attempts.into(),
                };
                format!("{:?}", queue.push(&named("queue", name), message).await)
            }
            Act::Claim { queue: name, lease } => {
                let claimed = queue.claim(&named("queue", name), seconds(lease)).await;
                if let Ok(Some(claim)) = &claimed {
                    self.claims.push(claim.id.clone());
                }
                format!("{claimed:?}")
            }
            Act::Ack { claim } => match self.claim(claim) {
                Some(claim) => format!("{:?}", queue.ack(&claim).await),
                None => String::new(),
            },
            Act::Nack { claim, delay } => match self.claim(claim) {
                Some(claim) => format!("{:?}", queue.nack(&claim, seconds(delay), "no").await),
                None => String::new(),
            },
            Act::Extend { claim, lease } => match self.claim(claim) {
                Some(claim) => format!("{:?}", queue.extend(&claim, seconds(lease)).await),
                None => String::new(),
            },
            Act::Requeue { queue: name, message } => {
                let message = MessageId(message.into());
                format!("{:?}", queue.requeue(&named("queue", name), message).await)
            }
            Act::Discard { queue: name, message } => {
                let message = MessageId(message.into());
                format!("{:?}", queue.discard(&named("queue", name), message).await)
            }
            Act::Letters { queue: name, after, limit } => {
                let name = named("queue", name);
                let after = after.map(|after| MessageId(after.into()));
                let page = PageRequest { after, limit: limit.into() };
                let depth = queue.depth(&name).await;
                format!("{depth:?} {:?}", queue.dead_letters(&name, page).await)
            }
            Act::Pass { .. } => String::new(),
        }
    }

    /// Revisions differ by expiries, which take their numbers when the engine gets to them; so the
    /// current one is read from the engine itself.
    async fn expected(&self, key: &Key, expected: u8) -> Expected {
        match expected {
            0 | 1 => Expected::Any,
            2 => Expected::Absent,
            3 => Expected::Revision(Revision(u64::MAX)),
            _ => match self.store.kv().get(key).await.unwrap() {
                Some(entry) => Expected::Revision(entry.revision),
                None => Expected::Revision(Revision::START),
            },
        }
    }

    fn claim(&self, number: u8) -> Option<ClaimId> {
        self.claims.get(usize::from(number) % self.claims.len().max(1)).cloned()
    }
}

fn hidden(_: Revision) -> &'static str {
    "revision"
}

/// What a conflict found is a revision too.
fn shown(answer: String) -> String {
    match answer.split_once("current: Some(") {
        Some((start, _)) => format!("{start}current: some"),
        None => answer,
    }
}

#[test]
fn random_operations_give_the_same_answers_as_sqlite() {
    let server = PostgresServer::start(PostgresVersion::Debian);
    let address = server.socket_address();
    let mut runner = TestRunner::new(Config { cases: 24, ..Config::default() });
    let outcome = runner.run(&acts(), |acts| {
        run(async {
            let clock = clock();
            let options = SqliteOptions::with_clock(Arc::clone(&clock));
            let sqlite: Arc<dyn Store> = Arc::new(SqliteStore::temporary(options).unwrap());
            let postgres: Arc<dyn Store> = Arc::new(open(&address, options_with(&clock)).await);
            let mut sides = [sqlite, postgres].map(|store| Side { store, claims: Vec::new() });
            for act in &acts {
                if let Act::Pass { seconds: passed } = act {
                    clock.advance(seconds(*passed));
                }
                let [one, two] = &mut sides;
                let (one, two) = (shown(one.act(act).await), shown(two.act(act).await));
                prop_assert_eq!(one, two, "{:?}", act);
            }
            Ok(())
        })
    });
    outcome.unwrap();
}
