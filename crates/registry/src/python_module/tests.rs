//! Tools and faults from prepared reports.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::json;

use super::*;
use crate::{Build, read_tools_with};

/// Always returns the prepared reports.
struct Reciter(Vec<ModuleReport>);

impl ModuleReader for Reciter {
    fn read(&self, _: &Path, _: &[String]) -> Vec<ModuleReport> {
        self.0.clone()
    }
}

const SOURCE: &str = "TOOLS = [\n  {'schema': {'name': 'it', 'description': 'Does it.',\n    \
                      'parameters': {'properties': {'text': {'type': 'string', 'format': \
                      'mail'}}}}},\n]\n";

fn build(report: Value) -> Build {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.py"), SOURCE).unwrap();
    let reader = Reciter(vec![serde_json::from_value(report).unwrap()]);
    read_tools_with(dir.path(), &BTreeSet::new(), &reader).unwrap()
}

fn item(changes: Value) -> Value {
    let mut item = json!({
        "order": 0, "line": 2, "name": "it", "callable": true,
        "schema": {"name": "it", "description": "Does it."},
        "signature": {"parameters": [], "required": [], "var_keyword": false}
    });
    for (key, value) in changes.as_object().unwrap() {
        item[key] = value.clone();
    }
    json!({"file": "a.py", "module": "a", "items": [item], "uses": [], "fault": null})
}

#[track_caller]
fn check(changes: Value, expected: &[&str]) {
    let build = build(item(changes));
    let reported: Vec<_> = build
        .faults
        .iter()
        .map(|fault| format!("{}:{} {}", fault.place.line, fault.code, fault.what))
        .collect();
    assert_eq!(reported, expected);
    assert_eq!(build.registry.is_empty(), build.faults.has_errors());
}

fn parameters(parameters: Value) -> Value {
    json!({"name": "it", "description": "Does it.", "parameters": parameters})
}

#[test]
fn items_without_what_a_tool_needs_are_faults() {
    check(json!({}), &[]);
    check(json!({"schema": null}), &["2:T091 item 1 of `TOOLS` has no schema"]);
    check(json!({"name": ""}), &["2:T091 item 1 of `TOOLS` has no name"]);
    check(
        json!({"callable": false}),
        &["2:T091 `it` has no function, no `ui_feature` and no `report_status`"],
    );
    check(json!({"ui_feature": "x"}), &["2:T091 `ui_feature` is not a dictionary"]);
    check(json!({"schema": {"name": "it"}}), &["2:T091 `it` has no description"]);
    check(json!({"schema": {"name": "it"}, "doc": "Does it.\n\nAt length."}), &[]);
}

#[test]
fn function_and_schema_are_compared() {
    let signature = json!({"parameters": ["txet", "b"], "required": ["b"], "var_keyword": false});
    let text = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    check(
        json!({"schema": parameters(text), "signature": signature}),
        &[
            "2:T096 the function needs `b`, which the schema does not have",
            "3:T098 the schema offers `text`, which the function does not take",
        ],
    );
}

/// Any report gives a tool or a fault, and never a panic.
#[test]
fn any_report_is_read_or_reported() {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z_é\"{}]{0,12}".prop_map(Value::from),
        prop::sample::select(vec!["object", "string", "it", "text", "writes", "*"])
            .prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "type",
        "properties",
        "required",
        "name",
        "description",
        "parameters",
        "enum",
        "kv",
        "net",
        "items",
        "category",
        "side_effects",
        "capabilities",
        "returns",
        "default",
        "text",
        "$ref",
    ]);
    let value = leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|pairs| Value::Object(
                pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    });
    let config = Config {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    let case =
        (value.clone(), value.clone(), value, "[A-Za-z0-9_é.-]{0,20}", any::<bool>(), 0..9usize);
    let outcome = TestRunner::new(config).run(&case, |(schema, settings, ui, name, callable, line)| {
        let mut changes = json!({"schema": schema, "ui_feature": ui, "name": name, "callable": callable, "line": line});
        if settings.is_object() {
            changes["settings"] = settings;
        }
        let build = build(item(changes));
        prop_assert!(!build.registry.is_empty() || build.faults.has_errors());
        for fault in build.faults.iter() {
            prop_assert!(!fault.what.is_empty() && !fault.fix.is_empty());
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn a_default_that_does_not_fit_is_left_out_and_reported() {
    let numbers = json!({"type": "object", "properties": {
        "text": {"type": "integer", "default": "5"}, "size": {"type": "integer", "default": 5}
    }});
    let signature = json!({"parameters": ["text", "size"], "required": []});
    let build = build(item(json!({"schema": parameters(numbers), "signature": signature})));
    let reported: Vec<_> =
        build.faults.iter().map(|fault| (fault.code.as_str(), fault.severity)).collect();
    assert_eq!(reported, [("T048", crate::Severity::Warning)]);
    let tool = build.registry.get("a.it").unwrap();
    let properties = &tool.contract.parameters["properties"];
    assert_eq!(properties["text"], json!({"type": "integer"}));
    assert_eq!(properties["size"]["default"], 5);
}

#[test]
fn a_form_without_a_description_is_described_by_its_label() {
    let build = build(item(json!({
        "callable": false, "schema": {"name": "it"}, "ui_feature": {"id": "x", "label": "Balance"}
    })));
    assert_eq!(build.registry.get("a.it").unwrap().contract.description, "Balance");
}

#[test]
fn keys_of_another_program_that_are_named_like_ours_are_ignored() {
    let foreign = |key: &str| format!("2:T094 the key `{key}` of the item has no meaning here");
    let settings = json!({"category": "math", "version": "beta", "returns": "a number"});
    let expected: Vec<_> = ["category", "returns", "version"].map(foreign).into();
    let expected: Vec<_> = expected.iter().map(String::as_str).collect();
    check(json!({"settings": settings}), &expected);
    let reported = "2:T016 `category`: `utilty` is not one of `retrieval`, `action`, `utility`";
    check(json!({"settings": {"category": "utilty"}}), &[reported]);
    // A function under a key that looks like one of Ghostpad's.
    let keys = ["functoin", "report_staus"];
    let misspelt = keys.map(|key| format!("2:T093 `{key}` is not a setting of a tool"));
    let misspelt: Vec<_> = misspelt.iter().map(String::as_str).collect();
    check(json!({"settings": {"functoin": null, "report_staus": null}}), &misspelt);
    let built = build(item(json!({"settings": {"version": 1.4}})));
    assert_eq!(built.registry.get("a.it").unwrap().contract.version.to_string(), "1.4.0");
}
