//! Adding a rule never loosens, for random rules, tools and histories.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use crate::test_fixtures::{World, approve};
use crate::*;

/// The text of a random rule; `{n}` becomes its number.
fn rule() -> impl Strategy<Value = String> {
    let effect = prop_oneof![
        Just("\"allow\""),
        Just("\"ask\""),
        Just("\"ask\"\nmay_be_remembered = true"),
        Just("\"deny\""),
    ];
    let matcher = prop_oneof![
        Just("tools = \"*\""),
        Just("tools = [\"send_*\", \"pay\"]"),
        Just("tools = \"kb_*\""),
        Just("category = \"action\""),
        Just("side_effects = [\"writes\", \"read_only\"]"),
        Just("modes = \"voice\""),
        Just("modes = \"text\""),
        Just("arguments = [{ at = \"/to\", equals = \"ana\" }]"),
        Just("arguments = [{ at = \"/to\", equals = \"ana\", not = true }]"),
        Just("arguments = [{ at = \"/amount\", above = 3 }]"),
    ];
    (effect, matcher).prop_map(|(effect, matcher)| {
        format!("[[rule]]\nid = \"r{{n}}\"\neffect = {effect}\nbecause = \"x\"\n{matcher}\n")
    })
}

/// The rules with their numbers, which stay when a rule is added.
fn numbered(texts: &[String]) -> Vec<String> {
    texts.iter().enumerate().map(|(n, text)| text.replace("{n}", &n.to_string())).collect()
}

fn rules(texts: &[String]) -> ConfigRules {
    parse_rules("policy.toml", &texts.concat()).unwrap()
}

/// The input of [`world`]; equal parts give equal worlds.
#[derive(Debug, Clone)]
struct Parts {
    tool: &'static str,
    args: serde_json::Value,
    always: bool,
    approver: Approver,
    ledger: u8,
    repeated: bool,
    approval: u8,
    history: u8,
    mode: contract::Mode,
}

fn parts() -> impl Strategy<Value = Parts> {
    let tool = prop::sample::select(vec!["kb_search", "send_mail", "set_status", "pay", "roll"]);
    let args = prop::sample::select(vec![
        json!({}),
        json!({"to": "ana"}),
        json!({"to": "bo", "amount": 2}),
        json!({"amount": 5}),
    ]);
    let approver = prop_oneof![3 => Just(Approver::Present), 1 => Just(Approver::Absent)];
    let mode = prop::sample::select(contract::Mode::ALL);
    let numbers = (0..7_u8, 0..6_u8, 0..5_u8);
    (tool, args, any::<bool>(), approver, any::<bool>(), mode, numbers).prop_map(
        |(tool, args, always, approver, repeated, mode, (ledger, approval, history))| Parts {
            tool,
            args,
            always,
            approver,
            ledger,
            repeated,
            approval,
            history,
            mode,
        },
    )
}

fn world(parts: &Parts, rules: ConfigRules, asked: &[ApprovalRequest]) -> World {
    let mut world = World::new(parts.tool, parts.args.clone());
    world.mode = parts.mode;
    world.approver = parts.approver;
    let lost = || LedgerEvent::Lose { because: "gone".into() };
    let events = match parts.ledger {
        0 => Some(vec![]),
        1 => Some(vec![LedgerEvent::Start]),
        2 => Some(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))]),
        3 => Some(vec![LedgerEvent::Start, lost()]),
        _ => None,
    };
    world.ledger.extend(events.map(|events| world.entry(events)));
    if parts.repeated {
        let done = vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))];
        world.ledger.push(LedgerEntry {
            call: contract::CallId("call_earlier".into()),
            ..world.entry(done)
        });
    }
    match parts.history {
        0 => world.loops.note_call(&world.call()),
        1 => (0..2).for_each(|_| world.loops.note_call(&world.call())),
        2 => world.memory.remember(&world.call(), &Ok(json!(1)), Timestamp(world.now)),
        3 => world.spent = (0..10).fold(world.spent.clone(), |spent, _| spent.add(&world.call())),
        _ => {}
    }
    if parts.always {
        world.standing =
            world.standing.clone().always(world.contract.tool_id.clone(), world.digest);
    }
    world.rules = rules;
    world.approval = match (parts.approval, asked.first()) {
        (0..3, Some(request)) => Some(approve(request, &world.call(), world.now + 1)),
        (3, _) => Some(Err(InvalidApproval::Declined { reason: None })),
        (4, _) => Some(Err(InvalidApproval::ChangedArguments)),
        _ => None,
    };
    world
}

/// The request that a world without an approval would ask with, if it asks.
fn request(parts: &Parts, rules: ConfigRules) -> Vec<ApprovalRequest> {
    let mut unanswered = world(&Parts { approval: 5, ..parts.clone() }, rules, &[]);
    match unanswered.judge().verdict {
        Verdict::Ask { question: Question::MayItRun(request), .. } => vec![*request],
        Verdict::Ask { .. } | Verdict::Run(_) | Verdict::Refuse { .. } | Verdict::Reuse(_) => {
            Vec::new()
        }
    }
}

/// How tight a verdict is. A reused result starts nothing.
fn tightness(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Run(_) => 0,
        Verdict::Reuse(_) => 1,
        Verdict::Ask { .. } => 2,
        Verdict::Refuse { .. } => 3,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(10), ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn adding_a_rule_never_loosens(
        parts in parts(),
        texts in prop::collection::vec(rule(), 0..4),
        added in rule(),
        at in 0..4_usize,
    ) {
        let old = numbered(&texts);
        let mut more = old.clone();
        more.insert(at.min(old.len()), added.replace("{n}", "-added"));
        let asked = request(&parts, rules(&old));
        let before = world(&parts, rules(&old), &asked).judge();
        let after = world(&parts, rules(&more), &asked).judge();
        prop_assert!(
            tightness(&after.verdict) >= tightness(&before.verdict),
            "{} became {}", test_fixtures::shown(&before), test_fixtures::shown(&after)
        );
    }
    #[test]
    fn a_stricter_contract_or_person_never_loosens(
        parts in parts(),
        texts in prop::collection::vec(rule(), 0..4),
        stricter in 0..4_u8,
    ) {
        let rules = rules(&numbered(&texts));
        let asked = request(&parts, rules.clone());
        let before = world(&parts, rules.clone(), &asked).judge();
        let mut tightened = world(&parts, rules, &asked);
        match stricter {
            0 => tightened.contract.requires_confirmation = true,
            1 => tightened.contract.allowed_modes.retain(|mode| *mode != parts.mode),
            2 => tightened.switch = Switch::Off { because: "off".into() },
            _ => tightened.standing = tightened.standing.clone().never(tightened.contract.tool_id.clone()),
        }
        let after = tightened.judge();
        prop_assert!(
            tightness(&after.verdict) >= tightness(&before.verdict),
            "{} became {}", test_fixtures::shown(&before), test_fixtures::shown(&after)
        );
    }

    /// A person's "always" can answer a question; it never touches a refusal.
    #[test]
    fn always_never_turns_a_refusal_into_anything_else(
        parts in parts(),
        texts in prop::collection::vec(rule(), 0..4),
    ) {
        let rules = rules(&numbered(&texts));
        let without = Parts { always: false, approver: Approver::Present, ..parts };
        let with = Parts { always: true, ..without.clone() };
        let before = world(&without, rules.clone(), &[]).judge();
        let after = world(&with, rules, &[]).judge();
        if matches!(before.verdict, Verdict::Refuse { .. }) {
            prop_assert_eq!(after.verdict.kind(), VerdictKind::Refuse);
        }
    }
}
