//! The order of the stages, guards that fail, and that no rule loosens.

mod monotonic;

use contract::Mode;
use serde_json::json;

use crate::test_fixtures::World;
use crate::*;

/// Facts to which every stage objects.
fn refused_by_all() -> World {
    let rules = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nbecause = \"no\"\ntools = \"kb_*\"\n";
    let args = "[[rule]]\nid = \"no-args\"\neffect = \"deny\"\nbecause = \"no\"\n\
                arguments = [{ at = \"/query\", equals = \"clock\" }]\n";
    let mut world = World::new("kb_search", json!({"query": "clock"}));
    for _ in 0..2 {
        world.loops.note_call(&world.call());
    }
    world.memory.remember(&world.call(), &Ok(json!([1])), Timestamp(world.now));
    world.contract.requires_confirmation = true;
    world.contract.allowed_modes = vec![Mode::Voice];
    world.rules(&format!("{rules}{args}")).with(|world| {
        world.listed = false;
        world.switch = Switch::Off { because: "broken".into() };
        world.available = Availability::Unavailable { because: "night".into() };
        world.rejected = true;
        world.limits.calls_max = 0;
        world.broken = "ledger";
    })
}

#[test]
fn tk_10_the_stages_have_one_order_and_nothing_runs_before_the_last() {
    let mut world = refused_by_all();
    let mut steps: Vec<(Stage, String)> = Vec::new();
    let mut next = |world: &mut World, change: fn(&mut World)| {
        let judgement = world.judge();
        assert!(!matches!(judgement.verdict, Verdict::Run(_)));
        let stage = judgement.trace.decided().unwrap();
        let marks = judgement.trace.steps().iter().map(|step| (step.stage, &step.mark));
        for (other, mark) in marks {
            let expected = match other.cmp(&stage) {
                std::cmp::Ordering::Less => matches!(mark, StageMark::Passed { .. }),
                std::cmp::Ordering::Equal => matches!(mark, StageMark::Decided { .. }),
                std::cmp::Ordering::Greater => *mark == StageMark::NotReached,
            };
            assert!(expected, "{other:?} {mark:?}");
        }
        steps.push((stage, test_fixtures::shown(&judgement)));
        change(world);
    };
    next(&mut world, |world| world.listed = true);
    next(&mut world, |world| world.switch = Switch::On);
    next(&mut world, |world| {
        let rest = "[[rule]]\nid = \"no-args\"\neffect = \"deny\"\nbecause = \"no\"\n\
                    arguments = [{ at = \"/query\", equals = \"clock\" }]\n";
        world.rules = parse_rules("policy.toml", rest).unwrap();
    });
    next(&mut world, |world| world.available = Availability::Available);
    next(&mut world, |world| world.contract.allowed_modes = vec![Mode::Text]);
    next(&mut world, |world| world.rejected = false);
    next(&mut world, |world| world.rules = ConfigRules::none());
    next(&mut world, |world| world.limits = Limits::text());
    next(&mut world, |world| world.loops = LoopDetector::default());
    next(&mut world, |world| {
        world.memory = ToolMemory::new(test_fixtures::here());
        world.broken = "";
    });
    next(&mut world, |world| {
        world.contract.requires_confirmation = false;
        world.broken = "ledger";
    });
    next(&mut world, |world| world.broken = "");
    let expected = [
        (Stage::Exists, "refuse NOT_FOUND tool.unknown"),
        (Stage::Enabled, "refuse NOT_FOUND tool.disabled"),
        (Stage::Enabled, "refuse PERMANENT config.no"),
        (Stage::Condition, "refuse NOT_FOUND condition.unavailable"),
        (Stage::Mode, "refuse MODE_RESTRICTED mode.not-allowed"),
        (Stage::Arguments, "refuse VALIDATION arguments.rejected"),
        (Stage::Arguments, "refuse PERMANENT config.no-args"),
        (Stage::Budget, "refuse BUDGET_EXCEEDED budget.calls"),
        (Stage::Loop, "refuse LOOP_DETECTED loop.same-call"),
        (Stage::Duplicate, "reuse duplicate.retrieval"),
        (Stage::Approval, "ask contract.confirmation"),
        (Stage::Ledger, "refuse INTERNAL guard.failed"),
    ];
    assert_eq!(steps, expected.map(|(stage, verdict)| (stage, verdict.to_owned())));
    assert_eq!(world.verdict(), "run default.run");
}

#[test]
fn a_guard_that_fails_denies_and_the_model_does_not_learn_why() {
    let guards = [
        "condition",
        "rules",
        "standing answers",
        "spent",
        "loops",
        "memory",
        "approval",
        "ledger",
    ];
    for (guard, tool) in guards
        .into_iter()
        .flat_map(|guard| ["kb_search", "send_mail", "pay", "roll"].map(|tool| (guard, tool)))
    {
        let mut world = World::new(tool, json!({})).with(|world| world.broken = guard);
        // An unreadable ledger refuses; it does not ask a person.
        let judgement = world.judge();
        assert_eq!(
            test_fixtures::shown(&judgement),
            "refuse INTERNAL guard.failed",
            "{guard} {tool}"
        );
        assert!(judgement.reason.people.contains("disk full"));
        assert!(!judgement.reason.model.contains("disk full"));
    }
}

#[test]
fn a_checked_call_that_is_not_the_judged_one_is_refused() {
    let world = World::new("kb_search", json!({}));
    let (rules, standing, limits) =
        (ConfigRules::none(), StandingAnswers::nothing(test_fixtures::here()), Limits::text());
    let (spent, loops) = (TurnUsage::nothing(7), LoopDetector::default());
    let memory = ToolMemory::new(test_fixtures::here());
    let check = |change: fn(&mut World), expected: &str| {
        let checked = World::new("kb_search", json!({})).with(change).call();
        let call = contract::Call {
            id: world.call().id().clone(),
            tool: "kb_search".into(),
            args: json!({}),
        };
        let judgement = decide(CallFacts {
            call: &call,
            conversation: &test_fixtures::here(),
            mode: Mode::Text,
            turn: 7,
            now: Timestamp(0),
            tool: Some(ListedTool {
                contract: world.call().contract().clone(),
                digest: world.digest,
                switch: Switch::On,
            }),
            known_tools: &[],
            condition: Ok(Availability::Available),
            arguments: Ok(checked),
            rules: Ok(&rules),
            standing_answers: Ok(&standing),
            limits: &limits,
            spent: Ok(&spent),
            loops: Ok(&loops),
            memory: Ok(&memory),
            approval: Ok(None),
            approver: Approver::Present,
            ledger: Ok(Ledger(&[])),
        });
        assert_eq!(test_fixtures::shown(&judgement), expected);
    };
    let refused = "refuse INTERNAL guard.failed";
    check(|_| {}, "run default.run");
    check(|world| world.mode = Mode::Voice, refused);
    check(|world| world.turn = 8, refused);
    check(|world| world.id = "call_other", refused);
    check(|world| world.digest = test_fixtures::digest("other"), refused);
    check(|world| world.conversation = "elsewhere", refused);
    check(|world| world.contract = test_fixtures::contract("pay"), refused);
}

#[test]
fn a_refusal_tells_the_model_what_it_may_do_next() {
    let check = |change: fn(&mut World), expected: &str| {
        let mut world = World::new("kb_search", json!({"query": "clock"})).with(change);
        let message = match world.judge().verdict {
            Verdict::Refuse { error } | Verdict::Ask { error, .. } => error.message,
            other @ (Verdict::Run(_) | Verdict::Reuse(_)) => panic!("{}", other.kind()),
        };
        assert_eq!(message, expected);
    };
    check(
        |world| (world.name, world.listed) = ("kb_serch".into(), false),
        "There is no tool `kb_serch`. Did you mean `kb_search`?",
    );
    check(
        |world| (world.name, world.listed) = ("fly".into(), false),
        "There is no tool `fly`. Use one of the available tools, such as `kb_search`, \
         `send_mail`.",
    );
    check(
        |world| world.rejected = true,
        "/to: is required. Correct the arguments and call `kb_search` again.",
    );
    check(
        |world| world.contract.allowed_modes = vec![Mode::Voice],
        "`kb_search` cannot be used in text mode (allowed: `voice`). Continue without it, or \
         offer to continue in an allowed mode.",
    );
    check(
        |world| world.limits.retrieval_calls_max = 0,
        "This turn allows 0 retrieval calls, all used. Answer now with what you have; more calls \
         are possible after the user's next message.",
    );
    check(
        |world| {
            world.approval =
                Some(Err(InvalidApproval::Declined { reason: Some("not today".into()) }))
        },
        "The user declined this call of `kb_search` (not today). It was not run. Do not call it \
         again unless the user asks for it.",
    );
    check(
        |world| world.contract.requires_confirmation = true,
        "`kb_search` needs a person's approval, which has been requested. It has not run. Do not \
         call it again; you get its result if they approve.",
    );
}

#[test]
fn the_operators_reason_is_for_people() {
    let rules = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nbecause = \"legal has not signed\"\ntools \
                 = \"*\"\n";
    let judgement = World::new("roll", json!({})).rules(rules).judge();
    assert_eq!(judgement.reason.people, "legal has not signed (policy.toml:1)");
    assert!(!judgement.reason.model.contains("legal"));
}

#[test]
fn deny_beats_ask_beats_allow_in_any_order() {
    let rule = |effect: &str| {
        format!(
            "[[rule]]\nid = \"{effect}\"\neffect = \"{effect}\"\nbecause = \"x\"\ntools = \"*\"\n"
        )
    };
    let check = |tool: &str, effects: &[&str], expected: &str| {
        let rules: String = effects.iter().map(|effect| rule(effect)).collect();
        assert_eq!(World::new(tool, json!({})).rules(&rules).verdict(), expected, "{effects:?}");
    };
    check("roll", &["allow"], "run config.allow");
    check("roll", &["allow", "ask"], "ask config.ask");
    check("roll", &["ask", "allow"], "ask config.ask");
    check("roll", &["allow", "ask", "deny"], "refuse PERMANENT config.deny");
    check("roll", &["deny", "allow"], "refuse PERMANENT config.deny");
    check("pay", &["allow"], "ask contract.confirmation");
}

#[test]
fn an_approved_call_carries_its_key() {
    let mut world = World::new("send_mail", json!({"to": "ana"}));
    let Verdict::Run(approved) = world.judge().verdict else { panic!() };
    assert_eq!(approved.idempotency_key(), "provider:call_0123456789");
    assert_eq!(*approved.call().args(), json!({"to": "ana"}));
}

/// An approval is used up by its call, and by nothing else.
#[test]
fn an_approval_is_used_up_only_when_the_call_runs_or_is_answered_instead() {
    let answered = |choice: ApprovalChoice, change: fn(&mut World)| {
        let mut world = World::new("pay", json!({"to": "ana"}));
        let request = world.asked();
        let answer = ApprovalAnswer { request: request.id.clone(), choice };
        let now = Timestamp(world.now + 1);
        world.approval = Some(judge_approval(Some(&request), Some(&answer), &world.call(), now));
        change(&mut world);
        (request.id, world.judge())
    };
    let yes = || ApprovalChoice::Approve { scope: ApprovalScope::ThisCall };
    let (request, ran) = answered(yes(), |_| {});
    assert_eq!(
        (test_fixtures::shown(&ran).as_str(), ran.uses),
        ("run contract.confirmation", Some((request, ApprovalScope::ThisCall)),)
    );
    let (request, instead) = answered(ApprovalChoice::Instead { data: json!(1) }, |_| {});
    assert_eq!(
        instead.uses,
        Some((request, ApprovalScope::ThisCall)),
        "{}",
        test_fixtures::shown(&instead)
    );
    let (_, recorded) = answered(yes(), |world| {
        world.ledger = vec![world.entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))])];
    });
    assert_eq!(
        (test_fixtures::shown(&recorded).as_str(), recorded.uses),
        ("reuse ledger.recorded", None)
    );
    let (_, refused) = answered(yes(), |world| world.limits.calls_max = 0);
    assert_eq!(refused.uses, None, "{}", test_fixtures::shown(&refused));
    let (_, again) = answered(yes(), |world| world.args = json!({"to": "bo"}));
    assert_eq!(
        (test_fixtures::shown(&again).as_str(), again.uses),
        ("ask contract.confirmation", None)
    );
}

#[test]
fn a_refused_unknown_tool_names_known_tools() {
    let message = |known: &[&str]| super::refusal::unknown_tool("roll", known).reason.model;
    assert_eq!(message(&["rol"]), "There is no tool `roll`. Did you mean `rol`?");
    assert_eq!(
        message(&["kb_search", "pay"]),
        "There is no tool `roll`. Use one of the available tools, such as `kb_search`, `pay`."
    );
    assert_eq!(
        message(&[]),
        "There is no tool `roll`. No tools are available; answer without one."
    );
}
