//! The ledger's transitions, and what to do with a call that it has.

use contract::ErrorType;
use serde_json::json;

use super::*;
use crate::test_fixtures::{World, contract};
use crate::{Approver, IdUse, Ledger};

/// An entry of `send_mail` (or `set_status`, which is idempotent) in a state.
fn entry(tool: &str, state: &str) -> LedgerEntry {
    let lose = || LedgerEvent::Lose { because: "the process ended".into() };
    let error = ToolError::before_start(ErrorType::Permanent, "no");
    World::new(tool, json!({"to": "ana"})).entry(match state {
        "intended" => vec![],
        "started" => vec![LedgerEvent::Start],
        "done" => vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))],
        "failed" => vec![LedgerEvent::Start, LedgerEvent::End(Err(error))],
        _ => vec![LedgerEvent::Start, lose()],
    })
}

fn word(state: &LedgerState) -> &'static str {
    match state {
        LedgerState::Intended => "intended",
        LedgerState::Started { .. } => "started",
        LedgerState::Done { .. } => "done",
        LedgerState::Failed { .. } => "failed",
        LedgerState::InDoubt { late: None, .. } => "in doubt",
        LedgerState::InDoubt { late: Some(_), .. } => "in doubt, late answer",
    }
}

/// What each event makes of a state: start, good end, bad end, loss, resolved both ways.
#[track_caller]
fn check(tool: &str, state: &str, expected: [&str; 6]) {
    let error = ToolError::before_start(ErrorType::Permanent, "no");
    let events = [
        LedgerEvent::Start,
        LedgerEvent::End(Ok(json!(2))),
        LedgerEvent::End(Err(error)),
        LedgerEvent::Lose { because: "gone".into() },
        LedgerEvent::Resolve(Resolution::Happened { data: json!(3) }),
        LedgerEvent::Resolve(Resolution::DidNotHappen),
    ];
    let shown = events.map(|event| match entry(tool, state).advance(event, Timestamp(5)) {
        Ok(entry) => word(&entry.state).to_owned(),
        Err(wrong) => format!("{wrong:?}"),
    });
    assert_eq!(shown, expected, "{tool} {state}");
}

#[test]
fn the_table_of_transitions() {
    let never = "NeverStarted";
    let (twice, ended, not) = ("WouldRunTwice", "AlreadyEnded", "NotInDoubt");
    check("send_mail", "intended", ["started", never, "failed", "intended", not, not]);
    check("send_mail", "started", [twice, "done", "failed", "in doubt", not, not]);
    check("set_status", "started", ["started", "done", "failed", "in doubt", not, not]);
    let late = "in doubt, late answer";
    check("send_mail", "in doubt", [twice, late, late, "in doubt", "done", "failed"]);
    check("set_status", "in doubt", ["started", late, late, "in doubt", "done", "failed"]);
    check("send_mail", "done", [ended; 6]);
    check("set_status", "failed", [ended; 6]);
}

#[test]
fn what_may_be_done_now() {
    let check = |tool: &str, state: &str, after_ms: u64, expected: &str| {
        let now = Timestamp(1_000_000 + after_ms);
        let next = match next_step(&entry(tool, state), &contract(tool), now) {
            NextStep::ReturnRecorded(Ok(data)) => format!("recorded {data}"),
            NextStep::ReturnRecorded(Err(error)) => format!("recorded {}", error.kind),
            next @ (NextStep::Start
            | NextStep::StillRunning
            | NextStep::AskPersonInDoubt
            | NextStep::RetrySameKey) => format!("{next:?}"),
        };
        assert_eq!(next, expected, "{tool} {state} {after_ms}");
    };
    let day = 24 * 3_600_000;
    check("send_mail", "intended", day, "Start");
    check("send_mail", "started", 100, "StillRunning");
    check("set_status", "started", 13_000, "StillRunning");
    check("send_mail", "started", 13_001, "AskPersonInDoubt");
    check("set_status", "started", 13_001, "RetrySameKey");
    check("send_mail", "in doubt", 0, "AskPersonInDoubt");
    check("set_status", "in doubt", 0, "RetrySameKey");
    check("send_mail", "done", day, "recorded 1");
    check("send_mail", "failed", 0, "recorded PERMANENT");
}

#[test]
fn a_tool_that_became_idempotent_later_is_not_repeated() {
    let mut contract = contract("send_mail");
    contract.idempotent = true;
    let next = next_step(&entry("send_mail", "in doubt"), &contract, Timestamp(0));
    assert_eq!(next, NextStep::AskPersonInDoubt);
}

/// The verdict on a call whose ledger has an entry in this state.
#[track_caller]
fn check_verdict(tool: &str, state: &str, change: fn(&mut World), expected: &str) {
    let mut world = World::new(tool, json!({"to": "ana"}));
    world.ledger = vec![entry(tool, state)];
    change(&mut world);
    assert_eq!(world.verdict(), expected, "{tool} {state}");
}

#[test]
fn a_call_in_the_ledger_never_starts_twice() {
    check_verdict("send_mail", "intended", |_| {}, "run default.run");
    check_verdict("send_mail", "started", |_| {}, "refuse CONFLICT ledger.still-running");
    check_verdict("send_mail", "done", |_| {}, "reuse ledger.recorded");
    check_verdict("send_mail", "failed", |_| {}, "reuse ledger.recorded");
    check_verdict("send_mail", "in doubt", |_| {}, "ask ledger.in-doubt");
    check_verdict("set_status", "in doubt", |_| {}, "run default.run");
    let nobody = |world: &mut World| world.approver = Approver::Absent;
    check_verdict("send_mail", "in doubt", nobody, "refuse INTERNAL ledger.in-doubt");
}

#[test]
fn a_finished_call_is_answered_without_asking_again() {
    check_verdict("pay", "done", |_| {}, "reuse ledger.recorded");
    let used = |world: &mut World| world.approval = Some(Err(crate::InvalidApproval::Used));
    check_verdict("pay", "done", used, "reuse ledger.recorded");
    check_verdict("pay", "in doubt", |_| {}, "ask ledger.in-doubt");
    check_verdict("pay", "intended", |_| {}, "ask contract.confirmation");
}

#[test]
fn no_approval_runs_a_call_in_doubt() {
    let mut world = World::new("pay", json!({"to": "ana"}));
    let request = world.asked();
    world.ledger = vec![entry("pay", "in doubt")];
    let granted = crate::test_fixtures::approve(&request, &world.call(), world.now + 1);
    assert!(granted.is_ok());
    world.approval = Some(granted);
    assert_eq!(world.verdict(), "ask ledger.in-doubt");
}

#[test]
fn a_redelivered_call_does_not_count_against_itself() {
    let mut world = World::new("send_mail", json!({"to": "ana"}));
    world.limits.calls_max = 1;
    world.spent = world.spent.add(&world.call());
    world.loops.note_call(&world.call());
    world.loops.note_call(&world.call());
    world.ledger = vec![entry("send_mail", "done")];
    assert_eq!(world.verdict(), "reuse ledger.recorded");
}

#[test]
fn the_same_write_under_a_new_id_is_shown_to_a_person() {
    let asks = "ask ledger.repeated-write";
    let new_id = |world: &mut World| world.id = "call_new_987";
    check_verdict("send_mail", "done", new_id, asks);
    check_verdict("send_mail", "in doubt", new_id, asks);
    check_verdict("send_mail", "started", new_id, asks);
    check_verdict("send_mail", "intended", new_id, asks);
    check_verdict("send_mail", "failed", new_id, "run default.run");
    check_verdict("set_status", "done", new_id, "run default.run");
    check_verdict("pay", "done", new_id, "ask contract.confirmation, ledger.repeated-write");
    let after =
        |ms: u64| move |world: &mut World| (world.id, world.now) = ("call_new_987", world.now + ms);
    check_with("send_mail", after(600_000), asks);
    check_with("send_mail", after(600_001), "run default.run");
    check_with(
        "send_mail",
        |world| (world.id, world.args) = ("call_new_987", json!({"to": "bo"})),
        "run default.run",
    );
    check_with(
        "send_mail",
        |world| {
            (world.id, world.conversation) = ("call_new_987", "elsewhere");
            world.standing = crate::StandingAnswers::nothing(ConversationId("elsewhere".into()));
        },
        "run default.run",
    );
}

#[test]
fn the_same_work_of_an_idempotent_tool_under_counters_is_one_call() {
    let second = |world: &mut World| world.id = "r2";
    let first = |world: &mut World| world.ledger[0].call = CallId("r1".into());
    let reuse = "reuse ledger.recorded";
    check_with("set_status", |world| (first(world), second(world)).1, reuse);
    let later = |world: &mut World| (first(world), second(world), world.turn += 1).2;
    check_with("set_status", later, "run default.run");
    let asks = "ask ledger.repeated-write";
    check_with("send_mail", |world| (first(world), second(world)).1, asks);
}

#[test]
fn a_write_to_a_tools_own_keys_is_asked_about_only_within_a_turn() {
    let inside = |world: &mut World| {
        world.id = "call_new_987";
        let kv = json!({"kv": ["*"]});
        world.contract.capabilities = serde_json::from_value(kv).unwrap();
    };
    check_with("send_mail", inside, "ask ledger.repeated-write");
    let next_turn = |world: &mut World| (inside(world), world.turn += 1).1;
    check_with("send_mail", next_turn, "run default.run");
    for state in ["started", "in doubt"] {
        let mut world = World::new("send_mail", json!({"to": "ana"}));
        world.ledger = vec![entry("send_mail", state)];
        next_turn(&mut world);
        let why = crate::explain(&world.judge(), crate::ArgumentsGiven::Arguments);
        assert_eq!(why[0], "send_mail: a person is asked first", "{state}");
        assert!(why[1].ends_with("and its outcome is unknown"), "{why:?}");
        // However long ago, as long as nobody has resolved it.
        world.now += 30 * 24 * 3_600_000;
        assert_eq!(world.verdict(), "ask ledger.repeated-write", "{state}");
    }
    let outside = |world: &mut World| {
        next_turn(world);
        let net = json!({"kv": ["*"], "net": ["api.example.com"]});
        world.contract.capabilities = serde_json::from_value(net).unwrap();
    };
    check_with("send_mail", outside, "ask ledger.repeated-write");
}

#[track_caller]
fn check_with(tool: &str, change: impl FnOnce(&mut World), expected: &str) {
    let mut world = World::new(tool, json!({"to": "ana"})).with(|world| {
        world.ledger = vec![entry(tool, "done")];
    });
    change(&mut world);
    assert_eq!(world.verdict(), expected);
}

#[test]
fn a_counter_names_a_call_only_within_its_turn() {
    let counter = |turn: u64| {
        World::new("send_mail", json!({"to": "ana"})).with(|world| {
            (world.id, world.turn) = ("0", turn);
        })
    };
    let first = counter(7).entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))]);
    let mut same_turn = counter(7).with(|world| world.ledger = vec![first.clone()]);
    assert_eq!(same_turn.verdict(), "reuse ledger.recorded");
    let mut next_turn = counter(8).with(|world| world.ledger = vec![first]);
    assert_eq!(next_turn.verdict(), "ask ledger.repeated-write");
}

#[test]
fn a_write_that_a_person_allows_again_has_a_key_of_its_own() {
    let key = |id: &'static str| {
        let mut world = World::new("send_mail", json!({"to": "ana"})).with(|world| world.id = "0");
        world.ledger = vec![world.entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))])];
        world.id = id;
        let request = world.asked();
        assert!(request.preview.contains("done 0 s ago, with the result 1"), "{}", request.preview);
        world.approval =
            Some(crate::test_fixtures::approve(&request, &world.call(), world.now + 1));
        let crate::Verdict::Run(approved) = world.judge().verdict else { panic!() };
        (world.ledger[0].idempotency_key.clone(), approved.idempotency_key().to_owned())
    };
    let (first, second) = key("1");
    assert!(second.starts_with("hash:") && first != second);
    assert_eq!(key("call_new_987").1, "provider:call_new_987");
}

#[test]
fn an_id_that_came_with_another_call_is_shared() {
    let world = World::new("send_mail", json!({"to": "bo"}));
    let entries = [entry("send_mail", "done")];
    assert_eq!(Ledger(&entries).id_use(&world.call()), IdUse::Shared);
    let same = World::new("send_mail", json!({"to": "ana"}));
    assert_eq!(Ledger(&entries).id_use(&same.call()), IdUse::Unique);
}

/// The note of the ledger's stage on a write that runs.
#[track_caller]
fn check_note(tool: &str, change: impl FnOnce(&mut World), expected: &str) {
    let mut world = World::new(tool, json!({"to": "ana"}));
    change(&mut world);
    let lines = crate::explain(&world.judge(), crate::ArgumentsGiven::Arguments);
    assert_eq!(lines[0], format!("{tool}: it runs"));
    assert_eq!(lines.last().unwrap(), &format!("  ledger     passed   {expected}"));
}

#[test]
fn why_explains_a_repeated_write_that_is_not_asked_about() {
    check_note("send_mail", |_| {}, "this write is new to the ledger");
    let again = |world: &mut World| {
        world.ledger = vec![world.entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))])];
        (world.id, world.now, world.turn) = ("call_new_987", world.now + 26_000, world.turn + 1);
    };
    let own_keys = |world: &mut World| {
        again(world);
        world.contract.capabilities = serde_json::from_value(json!({"kv": ["*"]})).unwrap();
    };
    let known = "the ledger has the same write from 26 s ago; not asked, because";
    check_note(
        "send_mail",
        own_keys,
        &format!("{known} it writes nothing but its own keys, and a person has written since"),
    );
    check_note("set_status", again, &format!("{known} it is idempotent"));
}

#[test]
fn a_write_in_doubt_counts_before_a_newer_one_that_is_done() {
    let mut world = World::new("send_mail", json!({"to": "ana"}));
    let mut done = entry("send_mail", "done");
    done.call = CallId("call_newer_1".into());
    done.state = LedgerState::Done { at: Timestamp(world.now + 5_000), data: json!(1) };
    world.ledger = vec![entry("send_mail", "in doubt"), done];
    (world.id, world.now) = ("call_new_987", world.now + 9_000);
    let lines = crate::explain(&world.judge(), crate::ArgumentsGiven::Arguments);
    assert!(lines[1].contains("9 s ago, as call_0123456789"), "{lines:?}");
}

#[test]
fn a_running_call_says_when_to_ask_again() {
    let check = |after_ms: u64, expected: &str| {
        let mut world = World::new("send_mail", json!({"to": "ana"}));
        world.ledger = vec![entry("send_mail", "started")];
        world.now += after_ms;
        let crate::Verdict::Refuse { error } = world.judge().verdict else { panic!() };
        assert!(error.message.contains(expected), "{}", error.message);
        assert!(!error.message.contains("will be given"), "{}", error.message);
    };
    check(0, "was started 0 s ago and has not ended");
    check(2_000, "In 11 s it is either");
    check(13_000, "In 1 s it is either");
}

/// When a conversation is deleted, the fact of an effect stays, and its outcome goes.
#[test]
fn a_state_without_its_content_keeps_only_the_fact() {
    let secret = ToolError {
        details: json!({"to": "ana"}),
        confirmation_request: json!({"token": "x"}),
        partial_side_effects: true,
        ..ToolError::before_start(ErrorType::Permanent, "ana is away")
    };
    let bare = |state: LedgerState| state.without_content();
    let at = Timestamp(7);
    let done = LedgerState::Done { at, data: json!({"id": 1}) };
    assert_eq!(bare(done), Some(LedgerState::Done { at, data: Value::Null }));
    let error = ToolError {
        partial_side_effects: true,
        ..ToolError::before_start(ErrorType::Permanent, "")
    };
    assert_eq!(
        bare(LedgerState::Failed { at, error: secret }),
        Some(LedgerState::Failed { at, error })
    );
    for state in ["intended", "started", "in doubt"] {
        assert_eq!(bare(entry("send_mail", state).state), None, "{state}");
    }
}
