//! A sample contract, and the words of its enumerations.

use serde_json::json;

use super::*;

fn sample() -> Value {
    json!({
        "toolId": "kb_search", "version": "1.0.0", "description": "Search.",
        "category": "retrieval", "sideEffects": "read_only", "idempotent": true,
        "requiresConfirmation": false, "allowedModes": ["text", "voice"],
        "latencyBudgetMs": 800, "parameters": {"type": "object"}
    })
}

#[test]
fn a_contract_round_trips() {
    let contract: Contract = serde_json::from_value(sample()).unwrap();
    assert_eq!(serde_json::to_value(&contract).unwrap(), sample());
    assert_eq!(contract.timeout(), Duration::from_secs(8));
}

#[test]
fn the_hard_limit_is_never_above_ten_minutes() {
    let mut contract: Contract = serde_json::from_value(sample()).unwrap();
    contract.latency_budget_ms = u32::MAX;
    assert_eq!(contract.timeout(), Duration::from_secs(600));
    contract.timeout_ms = Some(1_500);
    assert_eq!(contract.timeout(), Duration::from_millis(1_500));
}

#[test]
fn unknown_fields_and_words_are_refused() {
    let mut wrong = sample();
    wrong["catgory"] = json!("x");
    assert!(serde_json::from_value::<Contract>(wrong).is_err());
    assert_eq!(
        "writing".parse::<SideEffects>().unwrap_err().to_string(),
        "`writing` is not one of `none`, `read_only`, `writes`"
    );
    for mode in Mode::ALL {
        assert_eq!(mode.as_str().parse::<Mode>().unwrap(), *mode);
    }
}
