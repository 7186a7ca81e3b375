//! TK-14: loops, and which results are empty.

use contract::{ErrorType, ToolError};
use serde_json::{Value, json};

use super::*;
use crate::Verdict;
use crate::test_fixtures::World;

fn search(args: Value) -> World {
    World::new("kb_search", args)
}

#[track_caller]
fn refused_with(world: &mut World) -> String {
    match world.judge().verdict {
        Verdict::Refuse { error } => format!("{}: {}", error.kind, error.message),
        other @ (Verdict::Run(_) | Verdict::Ask { .. } | Verdict::Reuse(_)) => {
            other.kind().to_string()
        }
    }
}

#[test]
fn tk_14_the_third_identical_call_is_refused_whatever_the_order_of_its_keys() {
    let mut world = search(json!({"query": "clock", "top_k": 3}));
    let other_order: Value = serde_json::from_str(r#"{"top_k":3,"query":"clock"}"#).unwrap();
    world.loops.note_call(&world.call());
    assert_eq!(refused_with(&mut world), "run");
    world.loops.note_call(&search(other_order).call());
    assert_eq!(
        refused_with(&mut world),
        "LOOP_DETECTED: Loop detected: kb_search called 3 times with identical arguments. Try a \
         different approach or rephrase your query."
    );
    world.loops.note_call(&world.call());
    assert!(refused_with(&mut world).contains("called 4 times"));
    world.args = json!({"query": "clock", "top_k": 4});
    assert_eq!(refused_with(&mut world), "run");
}

#[test]
fn tk_14_after_the_second_empty_answer_the_tool_is_refused_in_this_turn() {
    let mut world = search(json!({"query": "clock"}));
    let empty = Ok(json!({"results": [], "total_found": 0}));
    world.loops.note_outcome(&world.call(), &empty);
    assert_eq!(refused_with(&mut world), "run");
    world.loops.note_outcome(&world.call(), &empty);
    assert_eq!(
        refused_with(&mut world),
        "LOOP_DETECTED: kb_search returned empty results 2 times. Data may not exist. Try \
         different search terms or a different tool."
    );
    world.turn += 1;
    assert_eq!(refused_with(&mut world), "run");
}

#[test]
fn tk_14_an_error_is_not_empty_and_neither_is_a_write() {
    let mut world = search(json!({"query": "clock"}));
    let error = Err(ToolError::before_start(ErrorType::Transient, "later"));
    for _ in 0..3 {
        world.loops.note_outcome(&world.call(), &error);
    }
    assert_eq!(refused_with(&mut world), "run");
    let mut world = World::new("set_status", json!({"to": "away"}));
    for _ in 0..3 {
        world.loops.note_outcome(&world.call(), &Ok(json!({})));
    }
    assert_eq!(refused_with(&mut world), "run");
}

#[test]
fn tk_14_what_is_empty() {
    let check = |data: Value, expected: bool| assert_eq!(is_empty(&data), expected, "{data}");
    check(Value::Null, true);
    check(json!([]), true);
    check(json!({}), true);
    check(json!({"results": []}), true);
    check(json!(""), true);
    check(json!(" \n"), true);
    check(json!({"results": [], "total": 0}), true);
    check(json!({"results": [], "total_found": 0, "clamped": false, "filters": {}}), true);
    check(json!({"people": [], "labs": [], "hitCount": 0.0}), true);
    check(json!({"page": {"items": []}, "note": null}), true);
    check(json!({"count": 0}), true);
    check(json!({"results": [1]}), false);
    check(json!({"results": [], "hint": "try `clocks`"}), false);
    check(json!({"balance": 0}), false);
    check(json!({"results": [], "total": 2}), false);
    check(json!({"available": false}), false);
    check(json!([[]]), false);
    check(json!(0), false);
    check(json!(false), false);
}

#[test]
fn tk_14_the_last_five_turns_are_kept_by_number() {
    let mut loops = LoopDetector::default();
    let call = |turn| search(json!({"query": "clock"})).with(|world| world.turn = turn).call();
    for turn in [8, 9, 10, 11, 100, 12] {
        loops.note_call(&call(turn));
        loops.note_call(&call(turn));
    }
    let kept: Vec<u64> = loops.turns.keys().copied().collect();
    assert_eq!(kept, [9, 10, 11, 12, 100]);
    assert!(loops.detect(&call(10), Delivery::First).is_some());
    assert!(loops.detect(&call(10), Delivery::Again).is_none());
    assert!(loops.detect(&call(8), Delivery::First).is_none());
}

#[test]
fn a_turn_notes_so_many_calls_and_no_more() {
    let mut loops = LoopDetector::default();
    let call = search(json!({"query": "clock"})).call();
    for _ in 0..=LoopDetector::CALLS_PER_TURN_MAX {
        loops.note_call(&call);
    }
    assert_eq!(loops.turns[&call.turn()].calls.len(), LoopDetector::CALLS_PER_TURN_MAX);
}
