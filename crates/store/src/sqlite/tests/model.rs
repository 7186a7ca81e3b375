//! Random operations, compared with a simple model of maps and vectors.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use crate::tests::{clock, run};
use crate::*;

#[derive(Debug, Clone)]
enum Act {
    Kv(KvAct),
    Log(LogAct),
    Queue(QueueAct),
    Pass { seconds: u8 },
}

#[derive(Debug, Clone)]
enum KvAct {
    Set { key: u8, value: u8, expect: Expect, lives: Option<u8> },
    Delete { key: u8, expect: Expect },
    Edit { key: u8, edit: u8, value: u8 },
}

#[derive(Debug, Clone)]
enum LogAct {
    Append { log: u8, value: u8, dedup: Option<u8> },
    Erase { log: u8 },
}

#[derive(Debug, Clone)]
enum QueueAct {
    Push { value: u8, dedup: Option<u8>, delay: u8 },
    Claim { lease: u8 },
    Ack { claim: u8 },
    Nack { claim: u8, delay: u8 },
    Extend { claim: u8, lease: u8 },
    Requeue,
}

#[derive(Debug, Clone, Copy)]
enum Expect {
    Any,
    Absent,
    Current,
    Stale,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    use prop::option::of;
    let expect = || {
        use Expect::{Absent, Any, Current, Stale};
        prop::sample::select(vec![Any, Any, Absent, Current, Stale])
    };
    let kv = prop_oneof![
        4 => (0..4u8, 0..9u8, expect(), of(1..9u8))
            .prop_map(|(key, value, expect, lives)| KvAct::Set { key, value, expect, lives }),
        2 => (0..4u8, expect()).prop_map(|(key, expect)| KvAct::Delete { key, expect }),
        3 => (4..6u8, 0..5u8, 0..9u8)
            .prop_map(|(key, edit, value)| KvAct::Edit { key, edit, value }),
    ];
    let log = prop_oneof![
        4 => (0..2u8, 0..9u8, of(0..5u8))
            .prop_map(|(log, value, dedup)| LogAct::Append { log, value, dedup }),
        1 => (0..2u8).prop_map(|log| LogAct::Erase { log }),
    ];
    let queue = prop_oneof![
        3 => (0..9u8, of(0..4u8), 0..4u8)
            .prop_map(|(value, dedup, delay)| QueueAct::Push { value, dedup, delay }),
        4 => (0..4u8).prop_map(|lease| QueueAct::Claim { lease }),
        2 => any::<u8>().prop_map(|claim| QueueAct::Ack { claim }),
        2 => (any::<u8>(), 0..4u8).prop_map(|(claim, delay)| QueueAct::Nack { claim, delay }),
        1 => (any::<u8>(), 0..4u8).prop_map(|(claim, lease)| QueueAct::Extend { claim, lease }),
        1 => Just(QueueAct::Requeue),
    ];
    let act = prop_oneof![
        9 => kv.prop_map(Act::Kv),
        5 => log.prop_map(Act::Log),
        13 => queue.prop_map(Act::Queue),
        2 => (1..5u8).prop_map(|seconds| Act::Pass { seconds }),
    ];
    prop::collection::vec(act, 1..80)
}

#[derive(Default)]
struct Model {
    now: u64,
    values: BTreeMap<Key, Held>,
    newest: u64,
    /// How many records were erased, and those that are left.
    logs: BTreeMap<u8, (u64, Records)>,
    messages: Vec<Message>,
    claims: Vec<(ClaimId, usize)>,
}

type Records = Vec<(Option<u8>, u8)>;

struct Held {
    value: Json,
    revision: Revision,
    until: Option<u64>,
}

struct Message {
    value: u8,
    dedup: Option<u8>,
    ready: u64,
    attempts: u32,
    held: Option<ClaimId>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Live,
    Dead,
    Gone,
}

const ATTEMPTS_MAX: u32 = 2;

fn json(value: u8) -> Json {
    Json::of(&value).unwrap()
}

fn seconds(number: u8) -> Duration {
    Duration::from_secs(number.into())
}

fn dedup(number: Option<u8>) -> Option<DedupKey> {
    number.map(|number| format!("d{number}").parse().unwrap())
}

impl Model {
    fn live(&self, key: &Key) -> Option<&Held> {
        self.values.get(key).filter(|held| held.until.is_none_or(|until| until > self.now))
    }

    fn expected(&self, key: &Key, expect: Expect) -> (Expected, bool) {
        let current = self.live(key).map(|held| held.revision);
        match expect {
            Expect::Any => (Expected::Any, true),
            Expect::Absent => (Expected::Absent, current.is_none()),
            Expect::Current => match current {
                Some(revision) => (Expected::Revision(revision), true),
                None => (Expected::Revision(Revision(self.newest)), false),
            },
            Expect::Stale => (Expected::Revision(Revision(self.newest + 100)), false),
        }
    }

    fn grows(&mut self, revision: Revision) {
        assert!(revision.0 > self.newest);
        self.newest = revision.0;
    }

    /// The first claimable message, after exhausted ones became dead letters.
    fn first_ready(&mut self) -> Option<usize> {
        loop {
            let ready =
                self.messages.iter().enumerate().filter(|(_, message)| {
                    message.state == State::Live && message.ready <= self.now
                });
            let (index, _) = ready.min_by_key(|(index, message)| (message.ready, *index))?;
            match self.messages[index].attempts < ATTEMPTS_MAX {
                true => return Some(index),
                false => self.messages[index].state = State::Dead,
            }
        }
    }

    /// The message that this claim holds now.
    fn held_by(&mut self, claim: u8) -> Option<(ClaimId, Option<usize>)> {
        let (id, index) = self.claims.get(usize::from(claim) % self.claims.len().max(1))?;
        let message = &self.messages[*index];
        let holds = message.state == State::Live && message.held.as_ref() == Some(id);
        Some((id.clone(), holds.then_some(*index)))
    }

    async fn act(&mut self, store: &SqliteStore, act: Act) {
        match act {
            Act::Kv(act) => self.kv(store, act).await,
            Act::Log(act) => self.log(store, act).await,
            Act::Queue(act) => self.queue(store, act).await,
            Act::Pass { seconds } => self.now += u64::from(seconds),
        }
    }

    async fn kv(&mut self, store: &SqliteStore, act: KvAct) {
        let name = |key: u8| format!("key/{key}").parse::<Key>().unwrap();
        match act {
            KvAct::Set { key, value, expect, lives } => {
                let key = name(key);
                let (expected, holds) = self.expected(&key, expect);
                let expiry = lives.map_or(Expiry::Never, |lives| Expiry::After(seconds(lives)));
                let set = store.kv().set(&key, json(value), expected, expiry).await;
                assert_eq!(set.is_ok(), holds, "{set:?}");
                if let Ok(revision) = set {
                    self.grows(revision);
                    let until = lives.map(|lives| self.now + u64::from(lives));
                    self.values.insert(key, Held { value: json(value), revision, until });
                }
            }
            KvAct::Delete { key, expect } => {
                let key = name(key);
                let (expected, holds) = self.expected(&key, expect);
                let deleted = store.kv().delete(&key, expected).await;
                assert_eq!(deleted.is_ok(), holds, "{deleted:?}");
                if let Ok(revision) = deleted {
                    assert_eq!(revision.is_some(), self.live(&key).is_some());
                    self.values.remove(&key);
                    revision.into_iter().for_each(|revision| self.grows(revision));
                }
            }
            KvAct::Edit { key, edit, value } => {
                let key = name(key);
                let edit = match edit {
                    0 => ListEdit::PushLeft(vec![json(value)]),
                    1 => ListEdit::PushRight(vec![json(value), json(value + 1)]),
                    2 => ListEdit::PopLeft,
                    3 => ListEdit::PopRight,
                    _ => ListEdit::RemoveAt(i64::from(value) - 4),
                };
                let before = self.live(&key).map(|held| held.value.clone());
                let change = edit.apply(&key, before.as_ref(), &Limits::PORTABLE).unwrap();
                let edited = store.kv().edit_list(&key, edit).await.unwrap();
                assert_eq!((edited.taken, edited.len), (change.taken, change.len));
                if let Some(value) = change.write {
                    let revision = edited.revision.unwrap();
                    self.grows(revision);
                    self.values.insert(key, Held { value, revision, until: None });
                }
            }
        }
    }

    async fn log(&mut self, store: &SqliteStore, act: LogAct) {
        let name = |log: u8| format!("log/{log}").parse::<LogName>().unwrap();
        match act {
            LogAct::Append { log, value, dedup: key } => {
                let (erased, records) = self.logs.entry(log).or_default();
                let known = records.iter().position(|(of, _)| key.is_some() && *of == key);
                let expected = match known {
                    Some(index) => AppendResult::Known(Sequence(*erased + index as u64 + 1)),
                    None => {
                        records.push((key, value));
                        AppendResult::New(Sequence(*erased + records.len() as u64))
                    }
                };
                let appended = store.log().append(&name(log), json(value), dedup(key)).await;
                assert_eq!(appended, Ok(expected));
            }
            LogAct::Erase { log } => {
                if let Some((erased, records)) = self.logs.get_mut(&log) {
                    *erased += records.len() as u64;
                    records.clear();
                }
                store.log().erase(&name(log)).await.unwrap();
            }
        }
    }

    async fn queue(&mut self, store: &SqliteStore, act: QueueAct) {
        let name: QueueName = "jobs".parse().unwrap();
        let now = self.now;
        match act {
            QueueAct::Push { value, dedup: key, delay } => {
                let known = self.messages.iter().position(|message| {
                    key.is_some() && message.dedup == key && message.state != State::Gone
                });
                let (body, delay_span) = (json(value), seconds(delay));
                let (dedup, attempts_max) = (dedup(key), ATTEMPTS_MAX);
                let message = NewMessage { body, dedup, delay: delay_span, attempts_max };
                let pushed = store.queue().push(&name, message).await.unwrap();
                if known.is_none() {
                    let (ready, attempts) = (now + u64::from(delay), 0);
                    let (held, state) = (None, State::Live);
                    self.messages.push(Message { value, dedup: key, ready, attempts, held, state });
                }
                let expected = match known {
                    Some(index) => PushResult::Known(MessageId(index as u64 + 1)),
                    None => PushResult::New(MessageId(self.messages.len() as u64)),
                };
                assert_eq!(pushed, expected);
            }
            QueueAct::Claim { lease } => {
                let first = self.first_ready();
                let claim = store.queue().claim(&name, seconds(lease)).await.unwrap();
                assert_eq!(claim.is_some(), first.is_some());
                if let (Some(claim), Some(index)) = (claim, first) {
                    let message = &mut self.messages[index];
                    message.attempts += 1;
                    message.ready = now + u64::from(lease);
                    message.held = Some(claim.id.clone());
                    assert_eq!(claim.id.message, MessageId(index as u64 + 1));
                    assert_eq!(
                        (claim.body, claim.attempt),
                        (json(message.value), message.attempts)
                    );
                    self.claims.push((claim.id, index));
                }
            }
            QueueAct::Ack { claim } => {
                let Some((id, held)) = self.held_by(claim) else { return };
                assert_eq!(store.queue().ack(&id).await.is_ok(), held.is_some());
                held.into_iter().for_each(|index| self.messages[index].state = State::Gone);
            }
            QueueAct::Nack { claim, delay } => {
                let Some((id, held)) = self.held_by(claim) else { return };
                let nacked = store.queue().nack(&id, seconds(delay), "no").await;
                assert_eq!(nacked.is_ok(), held.is_some());
                let Some(index) = held else { return };
                let message = &mut self.messages[index];
                (message.held, message.ready) = (None, now + u64::from(delay));
                if message.attempts >= ATTEMPTS_MAX {
                    message.state = State::Dead;
                }
            }
            QueueAct::Extend { claim, lease } => {
                let Some((id, held)) = self.held_by(claim) else { return };
                let extended = store.queue().extend(&id, seconds(lease)).await;
                assert_eq!(extended.is_ok(), held.is_some());
                held.into_iter()
                    .for_each(|index| self.messages[index].ready = now + u64::from(lease));
            }
            QueueAct::Requeue => {
                let dead = self.messages.iter().position(|message| message.state == State::Dead);
                let page = store.queue().dead_letters(&name, PageRequest::first(1)).await.unwrap();
                let first = page.items.first().map(|letter| letter.message);
                assert_eq!(first, dead.map(|index| MessageId(index as u64 + 1)));
                let Some(index) = dead else { return };
                store.queue().requeue(&name, first.unwrap()).await.unwrap();
                let message = &mut self.messages[index];
                (message.attempts, message.ready, message.held) = (0, now, None);
                message.state = State::Live;
            }
        }
    }

    async fn compare(&self, store: &SqliteStore) {
        let page = store.kv().list(&Prefix::all(), PageRequest::first(100)).await.unwrap();
        let found = page.items.into_iter().map(|entry| (entry.key, entry.value, entry.revision));
        let live = self.values.keys().filter_map(|key| Some((key, self.live(key)?)));
        let live = live.map(|(key, held)| (key.clone(), held.value.clone(), held.revision));
        assert_eq!(found.collect::<Vec<_>>(), live.collect::<Vec<_>>());
        for (log, (erased, records)) in &self.logs {
            let log = format!("log/{log}").parse().unwrap();
            let found = store.log().read(&log, Sequence(*erased + 1), 1_000).await.unwrap();
            let found =
                found.into_iter().map(|record| (record.sequence.0, record.key, record.body));
            let expected = (*erased + 1..).zip(records);
            let expected =
                expected.map(|(number, (key, value))| (number, dedup(*key), json(*value)));
            assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        }
        let count = |wanted: &dyn Fn(&Message) -> bool| {
            self.messages.iter().filter(|message| wanted(message)).count() as u64
        };
        let live = |message: &Message| message.state == State::Live;
        let depth = QueueDepth {
            ready: count(&|message| live(message) && message.ready <= self.now),
            later: count(&|message| live(message) && message.ready > self.now),
            dead: count(&|message| message.state == State::Dead),
        };
        assert_eq!(store.queue().depth(&"jobs".parse().unwrap()).await, Ok(depth));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn random_operations_match_the_model(acts in acts()) {
        run(async {
            let clock = clock();
            let options = SqliteOptions::with_clock(std::sync::Arc::clone(&clock));
            let store = SqliteStore::temporary(options).unwrap();
            let mut model = Model::default();
            for act in acts {
                if let Act::Pass { seconds: number } = act {
                    clock.advance(seconds(number));
                }
                model.act(&store, act).await;
                // Expired values may have used revisions.
                model.newest = store.kv().revision().await.unwrap().0.max(model.newest);
                model.compare(&store).await;
            }
            assert_eq!(check(store.path()).unwrap().damage, Vec::<String>::new());
        });
    }
}
