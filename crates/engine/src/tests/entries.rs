//! What the ledger lists, how a person names an entry, and how many it reads.

use std::time::Duration;

use contract::{Call, CallId, ErrorType};
use policy::{ConversationId, LedgerEvent, LedgerState, Resolution};
use serde_json::{Value, json};
use store::{Expected, Expiry, Json, Key, Store};

use super::{World, answered, call, origin};
use crate::{Engine, EngineLimits, Wiring};

async fn wrote(engine: &Engine) {
    answered(engine, &json!({"answer": "approve"})).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_entry_is_named_by_a_prefix_of_its_id() {
    let world = World::new();
    let engine = world.working();
    wrote(&engine).await;
    let line = engine.ledger().await.unwrap().remove(0);
    assert!(!line.id.is_empty() && !line.id.contains('/'), "{}", line.id);
    assert_eq!(engine.ledger_entry(&line.id[..4]).await.unwrap().entry, line.entry);
    let unknown = engine.ledger_entry("zz").await.unwrap_err().to_string();
    assert_eq!(unknown, "there is no entry `zz`, or the prefix is ambiguous");
}

#[tokio::test]
async fn a_transition_is_made_once_and_an_ended_call_does_not_start() {
    let world = World::new();
    let engine = world.working();
    wrote(&engine).await;
    let line = engine.ledger().await.unwrap().remove(0);
    assert!(engine.step(line.clone(), LedgerEvent::Start).await.is_err());
    assert!(engine.intend(line.entry.clone()).await.is_err(), "there is an entry already");
    assert!(
        engine.resolve(&line.id, Resolution::DidNotHappen).await.is_err(),
        "it is not in doubt"
    );
}

/// A call that started and never ended belongs to its process, until its time limit.
#[tokio::test]
async fn a_start_is_overdue_after_the_tools_time_limit() {
    let world = World::new();
    let engine = world.working();
    wrote(&engine).await;
    let mut entry = engine.ledger().await.unwrap().remove(0).entry;
    entry.state = LedgerState::Started { at: engine.now(), tries: 1 };
    assert!(!engine.is_overdue(&entry));
    world.clock.advance(Duration::from_secs(3_600));
    assert!(engine.is_overdue(&entry));
}

/// Writes with an unknown outcome: lost, or started by a process that never ended them.
#[tokio::test]
async fn doubts_are_the_newest_writes_with_an_unknown_outcome() {
    let world = World::new();
    let engine = world.working();
    wrote(&engine).await;
    let done = engine.ledger().await.unwrap().remove(0).entry;
    assert!(engine.doubts(9, |_| true).await.unwrap().is_empty(), "its outcome is known");
    for number in 1..=3 {
        world.clock.advance(Duration::from_secs(1));
        let (key, state) = (format!("{number}{}", done.idempotency_key), LedgerState::Intended);
        let entry = policy::LedgerEntry { idempotency_key: key, state, ..done.clone() };
        let begun =
            engine.step(engine.intend(entry).await.unwrap(), LedgerEvent::Start).await.unwrap();
        if number == 1 {
            engine
                .step(begun, LedgerEvent::Lose { because: "it was stopped".into() })
                .await
                .unwrap();
        }
    }
    let known = async |most| -> Vec<_> {
        let doubts = engine.doubts(most, |_| true).await.unwrap();
        doubts.into_iter().map(|line| line.entry.idempotency_key[..1].to_owned()).collect()
    };
    assert_eq!(known(9).await, ["1"], "the others may still run");
    world.clock.advance(Duration::from_secs(3_600));
    assert_eq!(known(9).await, ["1", "2", "3"]);
    assert_eq!(known(2).await, ["2", "3"]);
    assert!(engine.doubts(9, |_| false).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_outcome_is_deleted_only_with_its_conversation() {
    let world = World::new();
    let engine = world.working();
    wrote(&engine).await;
    engine.delete_outcomes(&ConversationId("elsewhere".into())).await.unwrap();
    let kept = engine.ledger().await.unwrap().remove(0).entry;
    assert!(matches!(&kept.state, LedgerState::Done { data, .. } if data["line"] == 0), "{kept:?}");
    engine.delete_outcomes(&origin().conversation).await.unwrap();
    let left = engine.ledger().await.unwrap().remove(0).entry;
    assert!(matches!(&left.state, LedgerState::Done { data, .. } if data.is_null()), "{left:?}");
}

#[tokio::test]
async fn calls_of_a_conversation_with_too_many_entries_are_refused() {
    let world = World::new();
    let engine = world.working();
    wrote(&engine).await;
    let line = engine.ledger().await.unwrap().remove(0);
    let prefix = crate::store_keys::ledger_of(&origin().conversation).unwrap();
    let kv = world.store.kv();
    for number in 1..=500 {
        let key: Key = format!("{}{number:04}", prefix.as_str()).parse().unwrap();
        let value = Json::of(&line.entry).unwrap();
        kv.set(&key, value, Expected::Absent, Expiry::Never).await.unwrap();
    }
    let with = |most: usize| {
        let wiring = world.wiring(
            world.store.clone(),
            std::sync::Arc::new(super::Counter(world.ran.clone())),
            std::sync::Arc::new(services::NoSecrets),
        );
        let limits = EngineLimits { ledger_entries_max: most, ..EngineLimits::machine() };
        Engine::new(Wiring { limits, ..wiring })
    };
    assert_eq!(with(501).ledger_of(&origin().conversation).await.unwrap().len(), 501);
    assert!(with(500).ledger_of(&origin().conversation).await.is_err());
    let ids: std::collections::BTreeSet<_> =
        engine.ledger().await.unwrap().into_iter().map(|line| line.id).collect();
    assert_eq!(ids.len(), 501, "each has its own id");
    let refused = with(500).settle(&origin(), &call()).await;
    assert!(refused.outcome.is_err());
}

/// TK-14: reads are counted like writes.
#[tokio::test]
async fn tk_14_the_third_identical_read_is_refused() {
    let world = World::new();
    let mut schema: Value = serde_json::from_str(super::SCHEMA).unwrap();
    for (name, value) in [
        ("category", json!("utility")),
        ("sideEffects", json!("none")),
        ("requiresConfirmation", json!(false)),
    ] {
        schema[name] = value;
    }
    let path = world.dir.path().join("line-add/schema.json");
    std::fs::write(path, schema.to_string()).unwrap();
    let engine = world.working();
    let mut kinds = Vec::new();
    for id in ["call-0000000001", "call-0000000002", "call-0000000003"] {
        let call = Call { id: CallId(id.into()), ..call() };
        kinds.push(engine.settle(&origin(), &call).await.outcome.err().map(|error| error.kind));
    }
    assert_eq!(kinds, [None, None, Some(ErrorType::LoopDetected)]);
    assert!(engine.ledger().await.unwrap().is_empty(), "a read has no entry");
}
