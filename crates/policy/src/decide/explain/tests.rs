//! What `ghosthand why` prints.

use serde_json::json;

use crate::ArgumentsGiven;
use crate::explain;
use crate::test_fixtures::World;

#[track_caller]
fn check(world: &mut World, expected: &str) {
    let lines = explain(&world.judge(), ArgumentsGiven::Arguments).join("\n");
    assert_eq!(lines, expected.trim());
}

#[test]
fn a_call_that_runs() {
    check(
        &mut World::new("kb_search", json!({"query": "clock"})),
        "
kb_search: it runs
because no rule asks for a person, and none forbids it
by rule default.run
  exists     passed   the registry has version 1.0.0
  enabled    passed   switched on, and no rule forbids it
  condition  passed   available
  mode       passed   text is one of `text`, `voice`
  arguments  passed   they fit the contract, and no rule forbids them
  budget     passed   0 of 5 retrieval calls and 0 of 10 calls used
  loop       passed   no loop in this turn
  duplicate  passed   no similar call is remembered
  approval   passed   no rule asks for a person, and none forbids it
  ledger     passed   it does not write, so the ledger has nothing about it
",
    );
}

#[test]
fn a_call_that_a_stage_refuses() {
    let mut world = World::new("roll", json!({})).with(|world| world.limits.calls_max = 0);
    check(
        &mut world,
        "
roll: it is refused
because this turn has used its 0 tool calls
by rule budget.calls
  exists     passed   the registry has version 1.0.0
  enabled    passed   switched on, and no rule forbids it
  condition  passed   available
  mode       passed   text is one of `text`, `voice`
  arguments  passed   they fit the contract, and no rule forbids them
  budget     decided  refuse by budget.calls
  loop       not reached
  duplicate  not reached
  approval   not reached
  ledger     not reached
the model is told: This turn allows 0 tool calls, all used. Answer now with what you have; more calls are possible after the user's next message.
",
    );
}

#[test]
fn a_call_that_two_rules_ask_about() {
    let rules = "[[rule]]\nid = \"money\"\neffect = \"ask\"\nbecause = \"money leaves the account\"\n\
                 tools = \"pay\"\n";
    let mut world = World::new("pay", json!({})).rules(rules);
    let lines = explain(&world.judge(), ArgumentsGiven::Arguments);
    assert_eq!(lines[0], "pay: a person is asked first");
    assert_eq!(lines[2], "by rule contract.confirmation");
    assert_eq!(lines[13], "also asked by config.money: money leaves the account (policy.toml:1)");
}

#[test]
fn a_tool_that_needs_arguments_is_not_called_refused_without_them() {
    let mut world = World::new("kb_search", json!({})).with(|world| world.rejected = true);
    let lines = explain(&world.judge(), ArgumentsGiven::NoArguments);
    assert_eq!(lines[0], "kb_search: it may be called");
    assert_eq!(lines[5], "  mode       passed   text is one of `text`, `voice`");
    assert_eq!(lines[6], "  arguments  not given");
    assert_eq!(lines[7], "  budget     depends on the arguments");
    let given = explain(&world.judge(), ArgumentsGiven::Arguments);
    assert_eq!(given[0], "kb_search: it is refused");
    let mut world = World::new("pay", json!({})).with(|world| world.rejected = true);
    let asks = explain(&world.judge(), ArgumentsGiven::NoArguments);
    assert_eq!(asks[0], "pay: a person is asked first");
    assert_eq!(asks[2], "by rule contract.confirmation");
    assert_eq!(asks[11], "  approval   asks     by contract.confirmation");
    let rules = "[[rule]]\nid = \"ours\"\neffect = \"ask\"\nbecause = \"we want to know\"\n\
                 tools = \"kb_search\"\n";
    let world = World::new("kb_search", json!({})).rules(rules);
    let asks =
        explain(&world.with(|world| world.rejected = true).judge(), ArgumentsGiven::NoArguments);
    assert_eq!(asks[2], "by rule config.ours");
    let off = |world: &mut World| world.listed = false;
    let mut world = World::new("kb_search", json!({})).with(off);
    assert_eq!(explain(&world.judge(), ArgumentsGiven::NoArguments)[0], "kb_search: it is refused");
    let mut world = World::new("roll", json!({}));
    assert_eq!(explain(&world.judge(), ArgumentsGiven::NoArguments)[0], "roll: it runs");
}

#[test]
fn why_nothing_is_answered_from_memory() {
    let duplicate = |tool: &str| {
        let lines = explain(&World::new(tool, json!({})).judge(), ArgumentsGiven::Arguments);
        lines.into_iter().find(|line| line.starts_with("  duplicate")).unwrap()
    };
    assert!(duplicate("kb_search").ends_with("no similar call is remembered"));
    assert!(duplicate("roll").ends_with("only retrieval calls are answered from memory"));
}
