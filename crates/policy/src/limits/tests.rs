//! The budgets of a turn, and that each turn starts at zero.

use serde_json::json;

use crate::test_fixtures::World;
use crate::*;

#[track_caller]
fn check(limits: Limits, spent: &[&str], tool: &str, expected: &str) {
    let mut world = World::new(tool, json!({"query": "clock"}));
    world.limits = limits;
    for tool in spent {
        let call = World::new(tool, json!({})).with(|world| world.id = "other").call();
        world.spent = world.spent.add(&call);
    }
    assert_eq!(world.verdict(), expected);
}

#[test]
fn tk_11_each_mode_has_its_budgets() {
    let (voice, text) = (Limits::voice, Limits::text);
    let retrieval = "refuse BUDGET_EXCEEDED budget.retrieval";
    let calls = "refuse BUDGET_EXCEEDED budget.calls";
    check(voice(), &["kb_search"], "kb_search", "run default.run");
    check(voice(), &["kb_search"; 2], "kb_search", retrieval);
    check(voice(), &["kb_search"; 2], "roll", "run default.run");
    check(voice(), &["kb_search", "kb_get", "roll"], "roll", calls);
    check(voice(), &["roll"; 3], "kb_search", calls);
    check(text(), &["kb_search"; 4], "kb_search", "run default.run");
    check(text(), &["kb_search"; 5], "kb_get", retrieval);
    check(text(), &["roll"; 9], "kb_search", "run default.run");
    check(text(), &["roll"; 10], "kb_search", calls);
    check(Limits { calls_max: 1, ..text() }, &["roll"], "roll", calls);
    check(Limits { calls_max: 0, ..text() }, &[], "roll", calls);
}

#[test]
fn tk_11_the_next_turn_starts_at_zero() {
    let mut world = World::new("kb_search", json!({"query": "clock"}));
    world.limits = Limits::voice();
    for _ in 0..2 {
        world.spent = world.spent.add(&world.call());
    }
    assert_eq!(world.verdict(), "refuse BUDGET_EXCEEDED budget.retrieval");
    world.turn += 1;
    assert_eq!(world.verdict(), "run default.run");
    world.spent = world.spent.add(&world.call());
    assert_eq!((world.spent.calls(8), world.spent.retrieval_calls(8)), (1, 1));
}

#[test]
fn turns_that_another_server_numbers_higher_leave_the_budgets_of_others_alone() {
    let mut world = World::new("roll", json!({})).with(|world| world.id = "0");
    let later = World::new("roll", json!({})).with(|world| world.turn += 1_000).call();
    world.spent = world.spent.add(&later);
    // Each call of a program is a turn.
    for turn in 0..100 {
        world.turn = 7 + turn;
        assert_eq!(world.verdict(), "run default.run", "turn {turn}");
        world.spent = world.spent.add(&world.call());
        assert_eq!(world.spent.calls(world.turn), 1);
    }
    assert_eq!(world.spent.calls(1_007), 1);
    // A turn has its budget, also between others.
    for _ in 0..9 {
        world.spent = world.spent.add(&world.call());
    }
    assert_eq!(world.verdict(), "refuse BUDGET_EXCEEDED budget.calls");
    let stored: TurnUsage =
        serde_json::from_value(serde_json::to_value(&world.spent).unwrap()).unwrap();
    assert_eq!(stored, world.spent);
}

#[test]
fn ids_that_restart_in_every_answer_do_not_hide_calls() {
    let mut world = World::new("kb_search", json!({"query": "clock"})).with(|w| w.id = "0");
    for _ in 0..5 {
        world.spent = world.spent.add(&world.call());
    }
    assert_eq!(world.verdict(), "refuse BUDGET_EXCEEDED budget.retrieval");
}

#[test]
fn a_one_time_tool_is_used_once_in_a_turn() {
    let mut world = World::new("once", json!({}));
    assert_eq!(world.verdict(), "run default.run");
    world.spent = world.spent.add(&world.call());
    assert_eq!(world.verdict(), "refuse BUDGET_EXCEEDED condition.one-time");
    world.turn += 1;
    assert_eq!(world.verdict(), "run default.run");
}

#[test]
fn a_redelivered_call_is_subtracted_once() {
    let again = World::new("kb_search", json!({"query": "clock"})).with(|world| world.id = "0");
    let same_id = World::new("roll", json!({})).with(|world| world.id = "0");
    let same_tool = World::new("kb_search", json!({})).with(|world| world.id = "1");
    let spent = [&same_id, &same_tool, &again]
        .iter()
        .fold(TurnUsage::nothing(7), |spent, world| spent.add(&world.call()));
    let others = spent.without(&again.call());
    assert_eq!((others.calls(7), others.retrieval_calls(7)), (2, 1));
    let others = others.without(&same_tool.call());
    assert_eq!((others.calls(7), others.retrieval_calls(7)), (1, 0));
}
