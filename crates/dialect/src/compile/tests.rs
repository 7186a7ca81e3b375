//! Sets of tools: entries, names, budgets over a whole request.

use serde_json::{Value, json};

use super::{CompiledSet, Enforcement, Strictness, ToolSource, compile};
use crate::{LossKind, target, targets};

fn set(tools: &[(&str, Value)], target_name: &str) -> CompiledSet {
    let sources: Vec<ToolSource<'_>> = tools
        .iter()
        .map(|(name, parameters)| ToolSource {
            name,
            description: "Does something.",
            parameters,
            strict: Strictness::Wanted,
        })
        .collect();
    compile(&sources, target(target_name).unwrap())
}

fn optionals(count: usize) -> Value {
    let properties: serde_json::Map<String, Value> =
        (0..count).map(|index| (format!("p{index}"), json!({"type": "string"}))).collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn enforcement(set: &CompiledSet) -> Vec<(&str, Enforcement)> {
    set.tools.iter().map(|tool| (tool.name.as_str(), tool.enforcement)).collect()
}

#[test]
fn each_provider_gets_its_own_entry() {
    let tools = [(
        "kb_search",
        json!({"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}),
    )];
    let wire = |target: &str| set(&tools, target).tools_field().to_string();
    assert_eq!(
        wire("anthropic"),
        r#"[{"name":"kb_search","description":"Does something.","input_schema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}}]"#
    );
    assert_eq!(
        wire("openai-responses"),
        r#"[{"type":"function","name":"kb_search","description":"Does something.","parameters":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},"strict":false}]"#
    );
    assert_eq!(
        wire("openai-chat-strict"),
        r#"[{"type":"function","function":{"name":"kb_search","description":"Does something.","parameters":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false},"strict":true}}]"#
    );
    assert_eq!(
        wire("gemini-live"),
        r#"[{"functionDeclarations":[{"name":"kb_search","description":"Does something.","parameters":{"type":"OBJECT","properties":{"q":{"type":"STRING"}},"required":["q"]}}]}]"#
    );
}

#[test]
fn legal_names_are_kept_and_others_never_collide_with_them() {
    let none = json!({"type": "object", "properties": {}});
    let tools = [
        ("kb search", none.clone()),
        ("kb_search", none.clone()),
        ("kb/search", none.clone()),
        ("поиск", none),
    ];
    let set = set(&tools, "anthropic");
    let names: Vec<&str> = set.tools.iter().map(|tool| tool.wire_name.as_str()).collect();
    assert_eq!(names, ["kb_search_2", "kb_search", "kb_search_3", "field"]);
    assert_eq!(set.by_wire_name("kb_search_3").unwrap().name, "kb/search");
}

#[test]
fn a_duplicate_name_is_refused_and_the_others_are_kept() {
    let none = json!({"type": "object", "properties": {}});
    let set = set(&[("a", none.clone()), ("a", none.clone()), ("b", none)], "mcp");
    assert_eq!(set.tools.len(), 2);
    assert_eq!(set.refused[0].faults[0].keyword, "name");
}

#[test]
fn one_bad_tool_does_not_affect_the_others() {
    let bad = json!({"type": "object", "properties": {"a": {"$ref": "http://example.org/a"}}});
    let good = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    for target in targets() {
        let set = set(&[("bad", bad.clone()), ("good", good.clone())], target.name);
        assert_eq!(set.tools.len(), 1, "{}", target.name);
        assert_eq!(set.refused[0].name, "bad");
        assert_eq!(set.refused[0].target, target.name);
        assert_eq!(set.refused[0].faults[0].pointer, "/properties/a/$ref");
    }
}

#[test]
fn the_costliest_tool_leaves_strict_mode_first() {
    let tools = [("a", optionals(5)), ("b", optionals(15)), ("c", optionals(6))];
    let set = set(&tools, "anthropic-strict");
    let expected =
        [("a", Enforcement::Strict), ("b", Enforcement::Loose), ("c", Enforcement::Strict)];
    assert_eq!(enforcement(&set), expected);
    let loss = &set.tools[1].losses[0];
    assert_eq!(loss.fate, LossKind::Degraded);
    assert!(loss.what.contains("26 optional properties"), "{}", loss.what);
    assert!(fake_providers::rules::refusals("anthropic-strict", &set.tools_field()).is_empty());
}

#[test]
fn of_equally_costly_tools_the_last_name_leaves_first() {
    let names: Vec<String> = (0..22).map(|index| format!("t{index:02}")).collect();
    let none = json!({"type": "object", "properties": {}});
    let tools: Vec<(&str, Value)> =
        names.iter().map(|name| (name.as_str(), none.clone())).collect();
    let set = set(&tools, "anthropic-strict");
    let loose: Vec<&str> = set
        .tools
        .iter()
        .filter(|tool| tool.enforcement == Enforcement::Loose)
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(loose, ["t20", "t21"]);
}

#[test]
fn a_tool_that_wants_no_strict_mode_gets_none() {
    let parameters = optionals(2);
    let source =
        ToolSource { name: "t", description: "", parameters: &parameters, strict: Strictness::Off };
    let set = compile(&[source], target("openai-responses-strict").unwrap());
    assert_eq!(set.tools[0].enforcement, Enforcement::Loose);
    assert_eq!(set.tools[0].wire["strict"], false);
    assert!(set.tools[0].losses.is_empty());
}

#[test]
fn more_tools_than_the_provider_accepts_are_a_note() {
    let names: Vec<String> = (0..130).map(|index| format!("t{index}")).collect();
    let none = json!({"type": "object", "properties": {}});
    let tools: Vec<(&str, Value)> =
        names.iter().map(|name| (name.as_str(), none.clone())).collect();
    let set = set(&tools, "openai-chat");
    assert_eq!(set.notes, ["130 tools are more than the 128 that openai-chat accepts"]);
}
