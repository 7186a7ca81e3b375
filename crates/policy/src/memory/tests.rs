//! TK-15: what is remembered, for how long, and what is reused.

use contract::{Contract, ErrorType, ToolError};
use serde_json::{Value, json};

use super::*;
use crate::test_fixtures::{World, digest};
use crate::{RecordedOutcome, Verdict};

const HOUR: u64 = 3_600_000;

fn search(query: &str) -> World {
    World::new("kb_search", json!({"query": query, "top_k": 3}))
}

fn remember(world: &mut World, call: World, outcome: Result<Value, ToolError>) {
    world.memory.remember(&call.call(), &outcome, Timestamp(call.now));
}

/// Whether the result of the first query answers the second.
#[track_caller]
fn check(first: &str, second: &str, expected: bool) {
    let mut world = search(second);
    remember(&mut world, search(first), Ok(json!([1])));
    let expected = if expected { "reuse duplicate.retrieval" } else { "run default.run" };
    assert_eq!(world.verdict(), expected, "{first} / {second}");
}

#[test]
fn tk_15_queries_are_the_same_if_85_of_100_words_are() {
    check("clock builder", "clock builder", true);
    check("clock builder", "Builder, clock!", true);
    check("clock builder", "clock", false);
    check("a b c d e f", "a b c d e f g", true);
    check("a b c d e", "a b c d e f", false);
    check("годинник у лабораторії", "Годинник у ЛАБОРАТОРІЇ", true);
    check("???", "???", true);
    check("???", "!!!", false);
}

#[test]
fn tk_15_a_reused_result_names_its_origin() {
    let mut world = search("clock").with(|world| world.turn = 9);
    remember(&mut world, search("clock"), Ok(json!({"id": 4})));
    let Verdict::Reuse(RecordedOutcome { outcome, note }) = world.judge().verdict else { panic!() };
    assert_eq!(outcome, Ok(json!({"id": 4})));
    assert_eq!(note, "Reused result from previous kb_search call from turn 7");
}

#[test]
fn tk_15_a_contract_can_limit_reuse_to_the_turn() {
    let check = |turn: u64, expected: &str| {
        let mut world = search("clock").with(|world| {
            world.contract.reuse = Reuse::Turn;
            world.turn = turn;
        });
        let earlier = search("clock").with(|world| world.contract.reuse = Reuse::Turn);
        remember(&mut world, earlier, Ok(json!([1])));
        assert_eq!(world.verdict(), expected, "turn {turn}");
    };
    check(7, "reuse duplicate.retrieval");
    check(8, "run default.run");
}

#[test]
fn tk_15_what_is_not_reused() {
    let check = |what: &str, change: &dyn Fn(&mut World)| {
        let mut world = search("clock");
        remember(&mut world, search("clock"), Ok(json!([1])));
        change(&mut world);
        assert_eq!(world.verdict(), "run default.run", "{what}");
    };
    check("other arguments", &|world| world.args = json!({"query": "clock", "top_k": 4}));
    check("another tool", &|world| {
        *world = World::new("kb_get", world.args.clone())
            .with(|other| other.memory = world.memory.clone());
    });
    check("a changed tool", &|world| world.digest = digest("new"));
    check("older than an hour", &|world| world.now += HOUR + 1);
    check("from before a write", &|world| {
        remember(world, World::new("set_status", json!({})), Ok(json!({})));
    });
    check("from before a write that failed", &|world| {
        let conflict = ToolError::before_start(ErrorType::Conflict, "taken");
        remember(world, World::new("send_mail", json!({})), Err(conflict));
    });
    check("from another conversation", &|world| {
        world.memory = ToolMemory::new(ConversationId("elsewhere".into()));
        let call = search("clock").with(|world| world.conversation = "elsewhere");
        remember(world, call, Ok(json!([1])));
        remember(world, search("clock"), Ok(json!([1])));
    });
    check("an error", &|world| {
        world.memory = ToolMemory::new(crate::test_fixtures::here());
        let error = ToolError::before_start(ErrorType::Transient, "later");
        remember(world, search("clock"), Err(error));
    });
    check("a tool that computes", &|world| {
        let roll = || World::new("roll", json!({"query": "clock"}));
        *world = roll();
        remember(world, roll(), Ok(json!(6)));
    });
    check("an answer that was shortened", &|world| {
        (0..10).for_each(|n| remember(world, search(&format!("q{n}")), Ok(json!(n))));
    });
}

#[test]
fn tk_15_ten_answers_are_whole_forty_are_short_none_is_old() {
    let mut world = search("clock");
    for n in 0..60 {
        let call = search(&format!("query {n}")).with(|world| world.now += n);
        remember(&mut world, call, Ok(json!("x".repeat(500))));
    }
    let recent: Vec<_> = world.memory.recent(Timestamp(world.now)).collect();
    let whole =
        recent.iter().filter(|call| matches!(call.answer, RememberedOutcome::Data(_))).count();
    assert_eq!((recent.len(), whole), (50, 10));
    assert!(recent[0].answer.summary(300).len() < 300);
    assert_eq!(recent[49].args["query"], "query 59");
    let later = Timestamp(world.now + 30 + HOUR);
    assert_eq!(world.memory.recent(later).count(), 30);
}

#[test]
fn a_cut_argument_keeps_its_full_length_after_more_calls() {
    let mut world = search("clock");
    remember(&mut world, search(&"q".repeat(500)), Ok(json!(1)));
    (0..30).for_each(|n| remember(&mut world, search(&format!("query {n}")), Ok(json!(n))));
    let first = world.memory.recent(Timestamp(world.now)).next().unwrap();
    let cut = format!("{} [cut: 200 of 500 characters shown]", "q".repeat(200));
    assert_eq!(first.args["query"], cut);
}

#[test]
fn a_clone_keeps_its_entries_and_serialises_the_same() {
    let mut world = search("clock");
    remember(&mut world, search("clock"), Ok(json!("x".repeat(500))));
    let copy = world.memory.clone();
    (0..30).for_each(|n| remember(&mut world, search(&format!("query {n}")), Ok(json!(n))));
    let kept = copy.recent(Timestamp(world.now)).next().unwrap();
    assert_eq!(kept.answer, RememberedOutcome::Data(json!("x".repeat(500))));
    let text = serde_json::to_string(&copy).unwrap();
    assert_eq!(serde_json::from_str::<ToolMemory>(&text).unwrap(), copy);
}

fn memory() -> ToolMemory {
    let mut world = search("clock");
    let id = |id: &'static str, turn: u64, mut call: World| {
        (call.id, call.turn) = (id, turn);
        call
    };
    remember(&mut world, id("c1", 2, search("clock")), Ok(json!({"found": 1})));
    let error = ToolError::before_start(ErrorType::Transient, "later");
    remember(&mut world, id("c2", 6, search("watch")), Err(error));
    remember(&mut world, id("c3", 7, World::new("send_mail", json!({}))), Ok(json!({})));
    world.memory
}

/// The call ids that the tool lists, or its error type.
#[track_caller]
fn check_query(args: Value, expected: &str) {
    let shown = match query_tool_memory(&memory(), &args, 7, Timestamp(1_000_000)) {
        Ok(data) => match data["calls"].as_array() {
            Some(calls) => {
                assert_eq!(data["total"], calls.len());
                calls
                    .iter()
                    .map(|call| call["call_id"].as_str().unwrap())
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            None => data["response"].to_string(),
        },
        Err(error) => error.kind.to_string(),
    };
    assert_eq!(shown, expected);
}

#[test]
fn tk_15_query_tool_memory_filters() {
    check_query(json!({}), "c3 c1");
    check_query(json!({"include_errors": true}), "c3 c2 c1");
    check_query(json!({"filter_tool": "kb_search"}), "c1");
    check_query(json!({"filter_time_range": "last_turn", "include_errors": true}), "c3 c2");
    check_query(json!({"filter_time_range": "last_3_turns"}), "c3");
    check_query(json!({"filter_time_range": "all", "filter_tool": "pay"}), "");
    check_query(json!({"get_full_response_for": "c1"}), r#"{"data":{"found":1}}"#);
    check_query(
        json!({"get_full_response_for": "c2"}),
        r#"{"error":{"type":"TRANSIENT","message":"later","retryable":false}}"#,
    );
    check_query(json!({"get_full_response_for": "c9"}), "NOT_FOUND");
    check_query(json!({"filter_time_range": "ever"}), "VALIDATION");
    check_query(json!({"who": 1}), "VALIDATION");
}

#[test]
fn tk_15_query_tool_memory_has_a_contract() {
    let contract: Contract = serde_json::from_value(query_tool_memory_schema()).unwrap();
    assert_eq!(contract.tool_id.as_str(), QUERY_TOOL_MEMORY);
    assert_eq!(contract.category, Category::Utility);
}

#[test]
fn a_result_that_reports_a_failure_is_never_reused() {
    for answer in [json!({"success": false, "message": "busy"}), json!({"error": "busy"})] {
        let mut world = search("clock");
        remember(&mut world, search("clock"), Ok(answer));
        assert_eq!(world.verdict(), "run default.run");
    }
}

#[test]
fn only_undone_turns_are_forgotten() {
    let mut memory = memory();
    memory.forget(&(3..=6));
    let left =
        query_tool_memory(&memory, &json!({"include_errors": true}), 7, Timestamp(1_000_000));
    let left = left.unwrap();
    let ids: Vec<&Value> =
        left["calls"].as_array().unwrap().iter().map(|c| &c["call_id"]).collect();
    assert_eq!(ids, ["c3", "c1"]);
}

#[test]
fn a_summary_is_the_answer_in_short() {
    let check =
        |answer: RememberedOutcome, expected: &str| assert_eq!(answer.summary(12), expected);
    let error = ToolError::before_start(ErrorType::Conflict, "no");
    check(RememberedOutcome::Data(json!({"a": 1})), r#"{"a":1}"#);
    check(RememberedOutcome::Error(error), "CONFLICT: no");
    check(RememberedOutcome::DataSummary("short".into()), "short");
    check(RememberedOutcome::ErrorSummary("short".into()), "short");
}

#[test]
fn tk_15_without_a_query_all_arguments_must_be_equal() {
    let get = |id: u32| World::new("kb_get", json!({"id": id, "full": true}));
    let mut world = get(4);
    remember(&mut world, get(4), Ok(json!([1])));
    assert_eq!(world.verdict(), "reuse duplicate.retrieval");
    let mut other = get(5).with(|other| other.memory = world.memory.clone());
    assert_eq!(other.verdict(), "run default.run");
}
