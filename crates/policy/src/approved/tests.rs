//! What a dry run may do, and when there is one.

use contract::SideEffects;
use serde_json::json;

use crate::test_fixtures::World;
use crate::{Availability, DryRun, LedgerEvent, Verdict};

/// A tool whose handler may ask a person, and which reaches the network, a secret and keys.
fn asking(tool: &str) -> World {
    World::new(tool, json!({"to": "ana"})).with(|world| {
        world.contract.asks = serde_json::from_value(json!(["person"])).unwrap();
        let reach = json!({"net": ["api.example.com"], "secrets": ["MAIL_KEY"], "kv": ["mail-"]});
        world.contract.capabilities = serde_json::from_value(reach).unwrap();
    })
}

#[test]
fn a_dry_run_has_nothing_that_it_could_change_send_or_give_away() {
    for tool in ["send_mail", "pay"] {
        let mut world = asking(tool);
        let call = world.call();
        let dry_run = DryRun::of(&world.judge(), &call).expect("the handler may ask");
        let contract = dry_run.call().contract();
        assert_eq!(contract.side_effects, SideEffects::ReadOnly, "{tool}");
        assert!(contract.capabilities.net.is_empty() && contract.capabilities.secrets.is_empty());
        assert_eq!(contract.capabilities.kv, call.contract().capabilities.kv, "it may read");
        assert_eq!((dry_run.call().id(), dry_run.call().args()), (call.id(), call.args()));
    }
    let mut pure = asking("roll");
    let call = pure.call();
    let dry_run = DryRun::of(&pure.judge(), &call).unwrap();
    assert_eq!(dry_run.call().contract().side_effects, SideEffects::None);
}

#[test]
fn an_approved_call_has_its_whole_contract_and_a_key() {
    let Verdict::Run(approved) = asking("send_mail").judge().verdict else { panic!() };
    assert!(!approved.idempotency_key().is_empty());
    assert_eq!(approved.call().contract().side_effects, SideEffects::Writes);
}

#[test]
fn there_is_no_dry_run_where_nothing_would_run_or_the_handler_may_not_ask() {
    let check = |what: &str, change: fn(&mut World)| {
        let mut world = asking("send_mail").with(change);
        let call = world.call();
        assert!(DryRun::of(&world.judge(), &call).is_none(), "{what}");
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
