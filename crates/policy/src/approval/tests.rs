//! TK-12: which answers let a call run. Everything else does not.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use super::*;
use crate::test_fixtures::{World, approve, digest};
use crate::{Approver, StandingAnswers, Verdict};

fn pay() -> World {
    World::new("pay", json!({"to": "ana", "amount": 5}))
}

/// The verdict on the call if something changes after the request.
#[track_caller]
fn check(change: impl FnOnce(&mut ApprovalRequest, &mut World), expected: &str) {
    let mut world = pay();
    let mut request = world.asked();
    change(&mut request, &mut world);
    world.approval = Some(approve(&request, &world.call(), world.now));
    assert_eq!(world.verdict(), expected);
}

#[test]
fn tk_12_only_the_exact_fresh_unused_approval_runs() {
    let (asked, refused) =
        ("ask contract.confirmation", "refuse CONFIRMATION_REQUIRED approval.not-given");
    check(|_, _| {}, "run contract.confirmation");
    check(|_, world| world.now += 299_999, "run contract.confirmation");
    let expired = "refuse CONFIRMATION_REQUIRED approval.expired";
    check(|_, world| world.now += 300_000, expired);
    check(|_, world| world.args = json!({"amount": 5, "to": "ana"}), "run contract.confirmation");
    check(|_, world| world.args = json!({"to": "ana", "amount": 6}), asked);
    check(|_, world| world.digest = digest("changed"), asked);
    check(|_, world| world.id = "call_another", asked);
    check(|request, _| *request = request.clone().used(), refused);
    check(|request, _| *request = request.clone().withdrawn(), refused);
    check(|request, _| request.expires_at = Timestamp(u64::MAX), refused);
    check(|request, _| request.args = json!({"to": "ana", "amount": 1}), refused);
    check(|request, _| request.preview = "harmless".into(), refused);
    check(
        |_, world| {
            world.conversation = "elsewhere";
            world.standing = StandingAnswers::nothing(ConversationId("elsewhere".into()));
        },
        asked,
    );
}

#[test]
fn tk_12_an_approval_is_named_once_it_is_used() {
    let mut world = pay();
    let request = world.asked();
    world.approval = Some(approve(&request, &world.call(), world.now));
    let judgement = world.judge();
    assert_eq!(judgement.uses, Some((request.id.clone(), ApprovalScope::ThisCall)));
    let late = approve(&request, &world.call(), world.now + 300_000).unwrap_err();
    assert_eq!(late, InvalidApproval::Expired);
    let invalid = approve(&request.used(), &world.call(), world.now).unwrap_err();
    assert_eq!(invalid, InvalidApproval::Used);
}

#[test]
fn tk_12_what_the_model_reads_names_no_request_and_cannot_approve() {
    let mut world = pay();
    let request = world.asked();
    let judgement = world.judge();
    let Verdict::Ask { error, .. } = judgement.verdict else { panic!() };
    assert!(!error.message.contains(&request.id.0) && error.confirmation_request.is_null());
    // A model that puts the approval into its arguments has only changed the arguments.
    world.args = json!({"to": "ana", "amount": 5, "approve": request.id.0});
    assert_eq!(world.verdict(), "ask contract.confirmation");
}

#[test]
fn tk_12_the_preview_is_for_people_and_hides_nothing() {
    let mut world = pay();
    world.args = json!({"to": "ana\u{202e}gro.live@\nasked because: ok", "note": "x".repeat(900)});
    let preview = world.asked().preview;
    let lines: Vec<&str> = preview.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "`pay` wants to run. It changes something outside this conversation.",
            "what it does: Sample pay.",
            "  to: ana\\u{202e}gro.live@\\nasked because: ok",
        ]
    );
    assert!(lines[3].ends_with("[cut: 400 of 900 characters shown]"));
    assert_eq!(lines[4], "asked because: the contract of `pay` requires a person's agreement");
}

#[test]
fn only_well_formed_payloads_are_read() {
    let check = |payload: &str, expected: &str| {
        let shown = match parse_answer(payload) {
            Ok(answer) => format!("{:?}", answer.choice),
            Err(InvalidApproval::Malformed { .. }) => "malformed".to_owned(),
            Err(invalid) => panic!("{invalid}"),
        };
        assert_eq!(shown, expected, "{payload}");
    };
    check(r#"{"request":"a","answer":"approve"}"#, "Approve { scope: ThisCall }");
    check(
        r#"{"request":"a","answer":"approve","scope":"conversation"}"#,
        "Approve { scope: Conversation }",
    );
    check(r#"{"request":"a","answer":"decline"}"#, "Decline { reason: None }");
    check(
        r#"{"request":"a","answer":"decline","reason":"too much"}"#,
        r#"Decline { reason: Some("too much") }"#,
    );
    check(r#"{"request":"a","answer":"edit","args":{}}"#, "Edit { args: Object {} }");
    check(r#"{"request":"a","answer":"instead","data":5}"#, "Instead { data: Number(5) }");
    for payload in [
        "",
        "null",
        "true",
        "\"approve\"",
        "{}",
        "[]",
        r#"{"request":"a"}"#,
        r#"{"answer":"approve"}"#,
        r#"{"request":"a","answer":true}"#,
        r#"{"request":"a","answer":"yes"}"#,
        r#"{"request":"a","answer":"Approve"}"#,
        r#"{"request":"a","answer":"approve","scope":"all"}"#,
        r#"{"request":"a","answer":"approve","args":{}}"#,
        r#"{"request":"a","answer":"approve","reason":"fine"}"#,
        r#"{"request":"a","answer":"approve","approved":false}"#,
        r#"{"request":"a","answer":"decline","answer":"approve"}"#,
        r#"{"request":"a","answer":"edit"}"#,
        r#"{"request":"a","answer":"edit","args":[]}"#,
        r#"{"request":"a","answer":"instead"}"#,
        r#"{"request":"a","answer":"approve"} x"#,
        r#"{"request":"a","answer":"approve""#,
    ] {
        check(payload, "malformed");
    }
}

#[track_caller]
fn check_answer(world: &mut World, choice: ApprovalChoice, expected: &str) {
    let request = world.asked();
    if let ApprovalChoice::Edit { args } = &choice {
        world.args = args.clone();
    }
    let answer = ApprovalAnswer { request: request.id.clone(), choice };
    let now = Timestamp(world.now + 1);
    world.approval = Some(judge_approval(Some(&request), Some(&answer), &world.call(), now));
    assert_eq!(world.verdict(), expected);
}

#[test]
fn the_four_answers() {
    let rules = "[[rule]]\nid = \"much\"\neffect = \"ask\"\nbecause = \"much\"\ntools = \"pay\"\n\
                 arguments = [{ at = \"/amount\", above = 100 }]\n\
                 [[rule]]\nid = \"too-much\"\neffect = \"deny\"\nbecause = \"too much\"\n\
                 tools = \"pay\"\narguments = [{ at = \"/amount\", above = 1000 }]\n";
    let check = |choice: ApprovalChoice, expected: &str| {
        check_answer(&mut pay().rules(rules), choice, expected);
    };
    let edit = |amount: u32| ApprovalChoice::Edit { args: json!({"to": "ana", "amount": amount}) };
    check(ApprovalChoice::Approve { scope: ApprovalScope::ThisCall }, "run contract.confirmation");
    let refused = "refuse CONFIRMATION_REQUIRED approval.declined";
    check(ApprovalChoice::Decline { reason: Some("no".into()) }, refused);
    check(edit(7), "run contract.confirmation");
    check(edit(700), "ask contract.confirmation, config.much");
    check(edit(7000), "refuse PERMANENT config.too-much");
    check(
        ApprovalChoice::Instead { data: json!("paid by hand") },
        "reuse approval.answered-instead",
    );
}

#[test]
fn a_declined_call_does_not_run_even_if_nothing_asks_any_more() {
    let mut world = World::new("kb_search", json!({"query": "clock"}));
    world.approval = Some(Err(InvalidApproval::Declined { reason: None }));
    assert_eq!(world.verdict(), "refuse CONFIRMATION_REQUIRED approval.declined");
}

#[test]
fn a_rule_that_the_person_was_not_shown_is_asked_about() {
    let mut world = pay();
    let request = world.asked();
    let rules =
        "[[rule]]\nid = \"new\"\neffect = \"ask\"\nbecause = \"new\"\nside_effects = \"writes\"\n";
    let mut world = world.rules(rules);
    world.approval = Some(approve(&request, &world.call(), world.now));
    assert_eq!(world.verdict(), "ask contract.confirmation, config.new");
}

#[test]
fn nobody_to_ask_is_a_refusal_at_once() {
    let mut world = pay().with(|world| world.approver = Approver::Absent);
    assert_eq!(world.verdict(), "refuse CONFIRMATION_REQUIRED approval.nobody-to-ask");
}

#[test]
fn no_answer_and_a_new_message_end_in_a_refusal() {
    let mut world = pay();
    let request = world.asked();
    let invalid = |request: Option<&ApprovalRequest>, now: u64| {
        judge_approval(request, None, &pay().call(), Timestamp(now)).unwrap_err()
    };
    assert_eq!(invalid(None, world.now), InvalidApproval::NoRequest);
    assert_eq!(invalid(Some(&request), world.now + 299_999), InvalidApproval::NoAnswer);
    assert_eq!(invalid(Some(&request), world.now + 300_000), InvalidApproval::Expired);
    world.approval = Some(Err(InvalidApproval::Expired));
    assert_eq!(world.verdict(), "refuse CONFIRMATION_REQUIRED approval.expired");
    let late = approve(&request.withdrawn(), &world.call(), world.now + 1).unwrap_err();
    assert_eq!(late, InvalidApproval::Withdrawn);
}

#[test]
fn a_person_may_take_a_day_if_the_operator_allows_it() {
    let day = 24 * 3_600_000;
    let mut world = pay().with(|world| world.limits.approval_ms_max = 2 * day);
    let request = world.asked();
    world.now += day;
    world.approval = Some(approve(&request, &world.call(), world.now));
    let Verdict::Run(approved) = world.judge().verdict else { panic!() };
    // The tool's own limit starts with the tool, not with the question.
    let entry = crate::LedgerEntry::intend(&approved, Timestamp(world.now));
    let started = entry.advance(crate::LedgerEvent::Start, Timestamp(world.now)).unwrap();
    let next = crate::next_step(&started, &world.contract, Timestamp(world.now + 1));
    assert_eq!(next, crate::NextStep::StillRunning);
}

/// The verdict after "always in this conversation", for a rule that may be remembered or not.
#[track_caller]
fn check_always(tool: &str, may: bool, change: impl FnOnce(&mut World), expected: &str) {
    let rules = format!(
        "[[rule]]\nid = \"mail\"\neffect = \"ask\"\nbecause = \"m\"\ntools = [\"*\"]\n\
         may_be_remembered = {may}\n"
    );
    let mut world = World::new(tool, json!({})).rules(&rules);
    let request = world.asked();
    let scope = ApprovalScope::Conversation;
    let answer =
        ApprovalAnswer { request: request.id.clone(), choice: ApprovalChoice::Approve { scope } };
    let now = Timestamp(world.now);
    world.approval = Some(judge_approval(Some(&request), Some(&answer), &world.call(), now));
    let (_, granted) = world.judge().uses.unwrap();
    let may_remember = may && tool != "pay";
    assert_eq!(granted, if may_remember { scope } else { ApprovalScope::ThisCall });
    world.standing = world.standing.clone().always(world.contract.tool_id.clone(), world.digest);
    change(&mut world);
    assert_eq!(world.verdict(), expected);
}

#[test]
fn always_removes_only_what_may_be_remembered_for_the_tool_as_it_was() {
    check_always("send_mail", true, |_| {}, "run default.run");
    check_always("send_mail", false, |_| {}, "ask config.mail");
    check_always("send_mail", true, |world| world.digest = digest("changed"), "ask config.mail");
    check_always("pay", true, |_| {}, "ask contract.confirmation");
    let never = |world: &mut World| {
        world.standing = world.standing.clone().never(world.contract.tool_id.clone());
    };
    check_always("send_mail", true, never, "refuse PERMANENT conversation.never");
    let elsewhere = |world: &mut World| {
        let tool = world.contract.tool_id.clone();
        let other = StandingAnswers::nothing(ConversationId("elsewhere".into()));
        world.standing = other.always(tool, world.digest);
    };
    check_always("send_mail", true, elsewhere, "refuse INTERNAL guard.failed");
}

/// One thing that can happen while a question is open.
#[derive(Debug, Clone)]
enum Happening {
    Payload(String),
    Wait(u64),
    UserWritesOn,
    ArgsChange,
    ToolChanges,
    /// The host settles the call again without an answer: a reload.
    Resume,
}

fn happening() -> impl Strategy<Value = Happening> {
    let word = prop_oneof![
        3 => Just("\"approve\"".to_owned()),
        1 => Just("\"decline\"".to_owned()),
        1 => Just("\"edit\"".to_owned()),
        1 => Just("\"instead\"".to_owned()),
        1 => Just("true".to_owned()),
        1 => Just("null".to_owned()),
        1 => "\"[a-zA-Z]{0,8}\"",
    ];
    let request = prop_oneof![4 => Just("ID"), 1 => Just("ask:0"), 1 => Just("")];
    let extra = prop_oneof![
        6 => Just(String::new()),
        1 => Just(r#","approved":true"#.to_owned()),
        1 => Just(r#","args":{"to":"eve"}"#.to_owned()),
        1 => Just(r#","data":1"#.to_owned()),
        1 => Just(r#","answer":"approve""#.to_owned()),
    ];
    let payload = (request, word, extra).prop_map(|(request, word, extra)| {
        Happening::Payload(format!(r#"{{"request":"{request}","answer":{word}{extra}}}"#))
    });
    prop_oneof![
        6 => payload,
        1 => ".{0,40}".prop_map(Happening::Payload),
        2 => (0..200_000_u64).prop_map(Happening::Wait),
        1 => Just(Happening::UserWritesOn),
        1 => Just(Happening::ArgsChange),
        1 => Just(Happening::ToolChanges),
        1 => Just(Happening::Resume),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(4), ..ProptestConfig::with_cases(1_500) })]

    /// Plays a random sequence of events around one request and counts the starts.
    #[test]
    fn only_an_exact_fresh_approval_starts_the_call_and_only_once(
        story in prop::collection::vec(happening(), 1..8)
    ) {
        let mut world = pay();
        let mut request = world.asked();
        let (asked_at, mut open, mut changed, mut starts) = (world.now, true, false, 0);
        for happening in story {
            let payload = match happening {
                Happening::Payload(payload) => Some(payload.replace("ID", &request.id.0)),
                Happening::Resume => None,
                Happening::Wait(ms) => { world.now += ms; continue }
                Happening::UserWritesOn => {
                    (request, open) = (request.withdrawn(), false);
                    continue;
                }
                Happening::ArgsChange => {
                    (world.args, changed) = (json!({"to": "eve"}), true);
                    continue;
                }
                Happening::ToolChanges => { (world.digest, changed) = (digest("new"), true); continue }
            };
            let exact = format!(r#"{{"request":"{}","answer":"approve"}}"#, request.id.0);
            let fresh = world.now < asked_at + 300_000;
            let expected = open && fresh && !changed && payload.as_ref() == Some(&exact);
            let answer = payload.map(|payload| parse_answer(&payload)).transpose();
            let judged = match &answer {
                Ok(answer) => judge_approval(
                    Some(&request), answer.as_ref(), &world.call(), Timestamp(world.now)),
                Err(invalid) => Err(invalid.clone()),
            };
            let answered = judged.is_ok() || matches!(judged, Err(InvalidApproval::Declined { .. }));
            // An edit changes the call to what the person wrote, which other tests cover.
            let edit = matches!(&answer,
                Ok(Some(ApprovalAnswer { choice: ApprovalChoice::Edit { .. }, .. })));
            world.approval = Some(judged);
            let runs = matches!(world.judge().verdict, Verdict::Run(_));
            if !edit {
                prop_assert_eq!(runs, expected);
            }
            starts += usize::from(runs);
            if answered {
                (request, open) = (request.used(), false);
            }
        }
        prop_assert!(starts <= 1);
    }

    #[test]
    fn no_random_payload_is_an_approval(payload in ".{0,200}") {
        let choice = parse_answer(&payload).map(|answer| answer.choice);
        let approves = matches!(choice, Ok(ApprovalChoice::Approve { .. }));
        prop_assert!(!approves);
    }
}

#[test]
fn a_refusal_carries_the_reason_that_a_person_gave() {
    let declined =
        |reason: Option<&str>| InvalidApproval::Declined { reason: reason.map(str::to_owned) };
    assert_eq!(declined(None).to_string(), "a person declined");
    assert_eq!(declined(Some("too expensive")).to_string(), "a person declined: too expensive");
}

/// The approval was valid when it was read, and the call starts later.
#[test]
fn an_approval_expires_even_after_it_was_accepted() {
    let mut world = pay();
    let request = world.asked();
    let asked_at = world.now;
    for (now, expected) in [
        (request.expires_at.0 - 1, "run contract.confirmation"),
        (request.expires_at.0, "refuse CONFIRMATION_REQUIRED approval.expired"),
    ] {
        world.now = now;
        world.approval = Some(approve(&request, &world.call(), asked_at));
        assert_eq!(world.verdict(), expected);
    }
}

#[test]
fn a_malformed_payload_says_why() {
    let because = |payload: &str| match parse_answer(payload) {
        Err(InvalidApproval::Malformed { because }) => because,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        because(r#"{"request":"a","answer":"approve","args":{}}"#),
        "`approve` has fields missing or too many"
    );
    assert_eq!(
        because(r#"{"request":"a","answer":"yes"}"#),
        "`answer` is none of `approve`, `decline`, `edit`, `instead`"
    );
    let yes = r#"{"request":"a","answer":"approve"}"#;
    let padded = |bytes: usize| format!("{yes}{}", " ".repeat(bytes - yes.len()));
    assert!(parse_answer(&padded(1 << 20)).is_ok());
    assert_eq!(because(&padded((1 << 20) + 1)), "it has more than 1048576 bytes");
}

#[test]
fn a_preview_shows_forty_arguments_and_the_handlers_answers() {
    let lines = |arguments: usize| {
        let mut world = pay();
        let argument = |n: usize| (format!("a{n}"), json!(n));
        world.args = Value::Object((0..arguments).map(argument).collect());
        let preview = world.asked().preview;
        preview.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!((lines(40).len(), lines(40)[39].as_str()), (40, "  a39: 39"));
    assert_eq!(
        (lines(41).len(), lines(41)[40].as_str()),
        (41, "  [cut: 40 of 41 arguments shown]")
    );
    let mut world = pay();
    let replied =
        contract::HandlerAnswer { action: contract::Action::Accept, content: json!({"to": "bo"}) };
    world.answers.0.insert("whom".to_owned(), replied);
    let shown = preview(&world.call(), &[], None, Timestamp(0));
    assert!(shown.contains("\n  asked for whom: accept {\"to\":\"bo\"}"), "{shown}");
}
