//! What contracts and rules become.

use contract::Contract;
use serde_json::{Value, json};

use super::*;

fn contract(effects: &str, idempotent: bool, capabilities: Value) -> Contract {
    serde_json::from_value(json!({
        "toolId": "end_voice_session", "version": "1.0.0", "description": "x",
        "category": "action", "sideEffects": effects, "idempotent": idempotent,
        "requiresConfirmation": false, "allowedModes": ["voice"], "latencyBudgetMs": 700,
        "capabilities": capabilities, "parameters": { "type": "object" },
    }))
    .unwrap()
}

#[test]
fn effects_have_levels() {
    let level = |effects, idempotent, capabilities| {
        EffectLevel::of(&contract(effects, idempotent, capabilities))
    };
    assert_eq!(level("read_only", false, json!({})), EffectLevel::Reads);
    assert_eq!(level("writes", true, json!({})), EffectLevel::RepeatableWrites);
    assert_eq!(level("writes", false, json!({})), EffectLevel::Writes);
    let net = json!({ "net": ["api.example.com"] });
    assert_eq!(level("writes", false, net), EffectLevel::OutwardWrites);
    assert!(EffectLevel::Reads < EffectLevel::OutwardWrites);
}

#[test]
fn a_write_finishes_when_it_is_interrupted() {
    let facts = ToolFacts::of(&contract("writes", true, json!({})));
    assert_eq!((facts.on_interrupt, facts.role), (OnInterrupt::Finish, ToolRole::Terminal));
    let reads = ToolFacts::of(&contract("none", true, json!({})));
    assert_eq!(reads.on_interrupt, OnInterrupt::Cancel);
}

#[test]
fn an_ending_has_a_rule_by_its_reason() {
    let rules = EndingRules::standard();
    let rule = |tool, args| rules.rule(&EndingRules::cause(tool, &args));
    assert_eq!(rule("ignore_user", json!({})), InterruptedEnding::Ends);
    let by_user = json!({ "reason": "user_request", "final_message": " Bye then. " });
    assert_eq!(rule("end_voice_session", by_user.clone()), InterruptedEnding::GoesOn);
    assert_eq!(rules.farewell(&by_user).as_deref(), Some("Bye then."));
    let to_text = json!({ "reason": "switch_to_text" });
    assert_eq!(rule("end_voice_session", to_text.clone()), InterruptedEnding::Ends);
    assert_eq!(rules.farewell(&to_text), None);
    assert_eq!(rule("other", json!({})), InterruptedEnding::GoesOn);
}
