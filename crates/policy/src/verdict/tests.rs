//! The first run of a handler that may ask, and the words of verdicts.

use contract::SideEffects;
use serde_json::json;

use crate::test_fixtures::World;
use crate::{Approver, Availability, LedgerEvent, Timestamp, Verdict};

/// A tool whose handler may ask a person, and which reaches the network, a secret and keys.
fn asking(tool: &str) -> World {
    World::new(tool, json!({"to": "ana"})).with(|world| {
        world.contract.asks = serde_json::from_value(json!(["person"])).unwrap();
        let reach = json!({"net": ["api.example.com"], "secrets": ["MAIL_KEY"], "kv": ["mail-"]});
        world.contract.capabilities = serde_json::from_value(reach).unwrap();
    })
}

#[test]
fn a_first_run_has_nothing_that_it_could_change_send_or_give_away() {
    for tool in ["send_mail", "pay"] {
        let mut world = asking(tool);
        let call = world.call();
        let first = world.judge().first_run(&call).expect("the handler may ask");
        assert!(first.may_only_ask() && first.idempotency_key().is_empty(), "{tool}");
        let bare = &first.call().contract;
        assert_eq!(bare.side_effects, SideEffects::ReadOnly, "{tool}");
        assert!(bare.capabilities.net.is_empty() && bare.capabilities.secrets.is_empty());
        assert_eq!(bare.capabilities.kv, call.contract.capabilities.kv, "it may read");
        assert_eq!((&first.call().id, &first.call().args), (&call.id, &call.args));
    }
    let mut pure = asking("roll");
    let call = pure.call();
    let first = pure.judge().first_run(&call).unwrap();
    assert_eq!(first.call().contract.side_effects, SideEffects::None);
}

#[test]
fn a_call_that_runs_may_do_more_than_ask() {
    let Verdict::Run(approved) = asking("send_mail").judge().verdict else { panic!() };
    assert!(!approved.may_only_ask());
    assert_eq!(approved.call().contract.side_effects, SideEffects::Writes);
}

#[test]
fn there_is_no_first_run_where_nothing_would_run_or_nobody_may_be_asked() {
    let check = |what: &str, change: fn(&mut World)| {
        let mut world = asking("send_mail").with(change);
        let call = world.call();
        assert!(world.judge().first_run(&call).is_none(), "{what}");
    };
    check("it may not ask", |world| world.contract.asks = Vec::new());
    check("refused", |world| {
        world.available = Availability::Unavailable { because: "night".into() };
    });
    check("answered already", |world| {
        world.ledger = vec![world.entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))])];
    });
    check("in doubt", |world| {
        let lose = LedgerEvent::Lose { because: "gone".into() };
        world.ledger = vec![world.entry(vec![LedgerEvent::Start, lose])];
    });
}

#[test]
fn every_verdict_has_its_word() {
    let check = |change: fn(&mut World), expected: &str| {
        let mut world = World::new("pay", json!({"to": "ana"})).with(change);
        assert_eq!(world.judge().verdict.word(), expected);
    };
    check(|world| world.contract.requires_confirmation = false, "run");
    check(|_| {}, "ask");
    check(|world| world.approver = Approver::Absent, "refuse");
    check(
        |world| {
            world.ledger =
                vec![world.entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))])];
            world.now = Timestamp(world.now).plus_ms(1).0;
        },
        "reuse",
    );
}
