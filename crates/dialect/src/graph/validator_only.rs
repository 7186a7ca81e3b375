//! Collects the rules that only a full validator checks, each with a note for the model.

use serde_json::{Map, Value};

use super::build::{Builder, Seed};
use super::facts::{Node, ValidatorOnlyRule};
use crate::schema::json_types::Types;
use crate::schema::subschemas::push_segment;

/// A rule longer than this is not quoted in a description.
const QUOTE_CHARS_MAX: usize = 160;

impl<'d> Builder<'d> {
    pub(super) fn add_residue(&mut self, node: &mut Node, members: &[Seed<'d>]) {
        for member in members {
            let Some(map) = member.map() else { continue };
            let types = node.types;
            let mut add = |keyword: &'static str, note: String| {
                let mut pointer = member.at.to_string();
                push_segment(&mut pointer, keyword);
                node.validator_only.push(ValidatorOnlyRule { keyword, pointer, note });
            };
            if let Some(schema) = map.get("not") {
                add("not", format!("must not fit {}", quoted(schema)));
            }
            if map.contains_key("if") && (map.contains_key("then") || map.contains_key("else")) {
                add("if", condition(map));
            }
            if types.has(Types::ARRAY) {
                array_rules(map, &mut add);
            }
            if types.has(Types::OBJECT) {
                object_rules(map, &mut add);
            }
            if types.has(Types::STRING) {
                for keyword in ["contentEncoding", "contentMediaType"] {
                    if let Some(value) = map.get(keyword).and_then(Value::as_str) {
                        add(keyword, format!("{keyword} {value}"));
                    }
                }
            }
            if let Some(Value::Object(names)) = map.get("propertyNames") {
                let pattern = names.get("pattern").and_then(Value::as_str);
                node.object.key_pattern = pattern.map(str::to_owned);
                let list = names.get("enum").and_then(Value::as_array);
                node.object.key_values = list
                    .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect());
            }
        }
    }
}

fn array_rules(map: &Map<String, Value>, add: &mut impl FnMut(&'static str, String)) {
    if map.get("uniqueItems") == Some(&Value::Bool(true)) {
        add("uniqueItems", "no item twice".to_owned());
    }
    if let Some(schema) = map.get("contains") {
        let least = map.get("minContains").and_then(Value::as_u64).unwrap_or(1);
        let most = map.get("maxContains").and_then(Value::as_u64);
        let most = most.map_or(String::new(), |most| format!(" and at most {most}"));
        add("contains", format!("at least {least}{most} items fit {}", quoted(schema)));
    }
}

fn object_rules(map: &Map<String, Value>, add: &mut impl FnMut(&'static str, String)) {
    if let Some(Value::Object(entries)) = map.get("dependentRequired") {
        let rules = entries.iter().map(|(name, list)| {
            let others = list.as_array().into_iter().flatten().filter_map(Value::as_str);
            let others: Vec<String> = others.map(|other| format!("`{other}`")).collect();
            format!("`{name}` needs {}", others.join(", "))
        });
        add("dependentRequired", rules.collect::<Vec<_>>().join("; "));
    }
    if let Some(Value::Object(entries)) = map.get("dependentSchemas") {
        let rules =
            entries.iter().map(|(name, schema)| format!("with `{name}` fits {}", quoted(schema)));
        add("dependentSchemas", clipped(rules.collect::<Vec<_>>().join("; ")));
    }
    if let Some(schema) = map.get("propertyNames").filter(|schema| !schema.is_boolean()) {
        add("propertyNames", format!("each key fits {}", quoted(schema)));
    }
}

fn condition(map: &Map<String, Value>) -> String {
    let part = |keyword: &str| map.get(keyword).map_or("anything".to_owned(), quoted);
    let mut text = format!("if it fits {} it must fit {}", part("if"), part("then"));
    if map.contains_key("else") {
        text = format!("{text}, otherwise {}", part("else"));
    }
    clipped(text)
}

fn quoted(schema: &Value) -> String {
    clipped(schema.to_string())
}

fn clipped(text: String) -> String {
    if text.chars().count() <= QUOTE_CHARS_MAX {
        return text;
    }
    "a further rule that is checked when the tool is called".to_owned()
}
