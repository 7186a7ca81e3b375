//! Every corpus case at every target: nothing is narrower, nothing invalid is accepted; and
//! the table of fates.

use std::collections::BTreeMap;

use serde_json::Value;

use super::wire::{compile_one, refusals, validator, wire_validator};
use crate::{LossKind, normalise, same_value, targets};

const CORPUS: &str = include_str!("../../../testkit/corpus/tricky-schemas.json");

/// The corpus's own name for a target.
fn corpus_name(target: &str) -> Option<&'static str> {
    Some(match target {
        "anthropic" => "anthropic",
        "anthropic-strict" => "anthropic_strict",
        "openai-chat" | "openai-responses" => "openai",
        "openai-chat-strict" | "openai-responses-strict" => "openai_strict",
        "openai-realtime" => "openai_realtime",
        "gemini" => "gemini_json_schema",
        "gemini-parameters" => "gemini_parameters",
        "gemini-live" => "gemini_live",
        "mcp" => "mcp",
        // Both inline references.
        "ollama" | "openai-compatible" => "ollama",
        _ => return None,
    })
}

pub(crate) fn cases() -> Vec<Value> {
    let corpus: Value = serde_json::from_str(CORPUS).unwrap();
    corpus["cases"].as_array().unwrap().clone()
}

/// The worst fate of a tool, as the corpus names it.
fn fate(losses: &[crate::Loss]) -> &'static str {
    match losses.iter().map(|loss| loss.fate).max() {
        None => "exact",
        Some(LossKind::Reencoded) => "reencoded",
        Some(LossKind::Noted) => "noted",
        Some(LossKind::Degraded) => "degraded",
        Some(LossKind::Refused) => "refused",
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a switch that prints the table")]
fn no_case_is_narrowed_and_no_invalid_instance_gets_through() {
    let mut problems = Vec::new();
    let mut table: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for case in cases() {
        for target in targets() {
            let name = case["name"].as_str().unwrap();
            let expected = corpus_name(target.name)
                .and_then(|key| case["expected"][key]["fate"].as_str())
                .unwrap_or("lossless");
            let found = check_case(
                name,
                &case["schema"],
                case["accept"].as_array().unwrap(),
                case["reject"].as_array().unwrap(),
                target,
                &mut problems,
            );
            *table.entry(target.name).or_default().entry(found).or_default() += 1;
            let faulted = matches!(found, "refused" | "degraded");
            if (expected == "reject") != faulted {
                problems
                    .push(format!("{name} at {}: expected {expected}, found {found}", target.name));
            }
            if std::env::var("SHOW_FATES").is_ok() {
                let alike = match (expected, found) {
                    ("lossless", "exact") | ("lowered", "noted") | ("reencode", "reencoded") => {
                        true
                    }
                    ("reject", _) => faulted,
                    _ => false,
                };
                if !alike {
                    println!("{name} at {}: expected {expected}, found {found}", target.name);
                }
            }
        }
    }
    for (target, row) in &table {
        println!("{target}: {row:?}");
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// One schema at one target; returns its worst fate.
pub(super) fn check_case(
    name: &str,
    schema: &Value,
    accept: &[Value],
    reject: &[Value],
    target: &crate::Target,
    problems: &mut Vec<String>,
) -> &'static str {
    let place = format!("{name} at {}", target.name);
    let Ok(tool) = compile_one(schema, target) else { return "refused" };
    for refusal in refusals(schema, target) {
        problems.push(format!("{place}: would be refused: {refusal:?} in {}", tool.wire));
    }
    let contract = validator(&normalise(schema).unwrap().schema).unwrap();
    let wire_rules = wire_validator(target, tool.schema());
    for value in accept {
        assert!(contract.is_valid(value), "{place}: the contract accepts {value}");
        match tool.plan.encode(value) {
            Err(fault) => problems.push(format!("{place}: {value} has no wire form: {fault}")),
            Ok(wire) => {
                if !wire_rules.is_valid(&wire) {
                    problems.push(format!("{place}: {wire} breaks {}", tool.wire));
                }
                match tool.plan.decode(&wire) {
                    Ok(back) if same_value(&back, value) => {}
                    other => problems.push(format!("{place}: {value} came back as {other:?}")),
                }
            }
        }
    }
    for value in reject {
        assert!(!contract.is_valid(value), "{place}: the contract rejects {value}");
        if let Ok(wire) = tool.plan.encode(value)
            && let Ok(back) = tool.plan.decode(&wire)
            && contract.is_valid(&back)
        {
            problems.push(format!("{place}: {value} got through as {back}"));
        }
        // As a raw wire value it may only pass if it has another meaning on the wire.
        if let Ok(back) = tool.plan.decode(value)
            && contract.is_valid(&back)
            && (same_value(&back, value) || tool.plan.is_same())
        {
            problems.push(format!("{place}: {value} got through as {back}, undecoded"));
        }
    }
    fate(&tool.losses)
}
