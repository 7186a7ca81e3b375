//! Ollama: tools are decoded into two Go structs. What has no field there is dropped silently;
//! what has the wrong type fails to decode. Nothing else is refused, except a tool without a
//! name.

use serde_json::Value;

use crate::rules::{
    refusal::Report,
    walk::escape,
    wire::{self, WireTool},
};

const ROOT_FIELDS: &[&str] = &["type", "$defs", "items", "required", "properties"];
const PROPERTY_FIELDS: &[&str] =
    &["anyOf", "type", "items", "description", "enum", "properties", "required"];

pub(crate) fn check_tools(report: &mut Report, tools: &Value) {
    for entry in entries(report, tools) {
        if let Some(schema) = entry.enter_schema(report, "parameters") {
            for node in nodes(schema) {
                check_node(report, &node);
            }
        }
    }
}

/// What is decoded and then dropped.
pub(crate) fn list_dropped(report: &mut Report, tools: &Value) {
    for entry in entries(&mut Report::default(), tools) {
        let Some(schema) = entry.enter_schema(report, "parameters") else { continue };
        for node in nodes(schema) {
            let known = node.struct_name.fields();
            for keyword in node.value.as_object().into_iter().flat_map(|map| map.keys()) {
                if !known.contains(&keyword.as_str()) {
                    let at = format!("{}/{}", node.pointer, escape(keyword));
                    report.refuse(&at, "dropped", format!("`{keyword}` has no field and is lost"));
                }
            }
        }
    }
}

fn entries<'a>(report: &mut Report, tools: &'a Value) -> Vec<WireTool<'a>> {
    let items = wire::items(report, tools, "");
    let inner = items.into_iter().filter_map(|(at, item)| Some((at, item.get("function")?)));
    inner.map(|(at, body)| wire::entry(report, body, &format!("{at}/function"))).collect()
}

/// `format` is a schema or the word `json`.
pub(crate) fn check_output(report: &mut Report, format: &Value) {
    if !format.is_object() && format != "json" {
        report.refuse("", "output-shape", "`format` must be a schema object or \"json\"");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Struct {
    Root,
    Property,
}

impl Struct {
    fn fields(self) -> &'static [&'static str] {
        match self {
            Struct::Root => ROOT_FIELDS,
            Struct::Property => PROPERTY_FIELDS,
        }
    }
}

/// One value that is decoded into a struct.
struct Node<'a> {
    pointer: String,
    value: &'a Value,
    struct_name: Struct,
}

/// Everything that is decoded into a struct; `items` and `$defs` are kept unchanged.
fn nodes(schema: &Value) -> Vec<Node<'_>> {
    let mut nodes = vec![Node { pointer: String::new(), value: schema, struct_name: Struct::Root }];
    let mut next = 0;
    while let Some(node) = nodes.get(next) {
        let (value, pointer, holder) = (node.value, node.pointer.clone(), node.struct_name);
        next += 1;
        let mut push = |at: String, value| {
            nodes.push(Node { pointer: at, value, struct_name: Struct::Property });
        };
        for (name, child) in
            value.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            push(format!("{pointer}/properties/{}", escape(name)), child);
        }
        if holder == Struct::Property {
            let branches = value.get("anyOf").and_then(Value::as_array);
            for (index, child) in branches.into_iter().flatten().enumerate() {
                push(format!("{pointer}/anyOf/{index}"), child);
            }
        }
    }
    nodes
}

/// Go decodes `null` into anything; every other value must have the field's type.
fn check_node(report: &mut Report, node: &Node<'_>) {
    if !node.value.is_object() && !node.value.is_null() {
        let message = format!("cannot decode {} into a schema struct", node.value);
        report.refuse(&node.pointer, "decode", message);
    }
    for &field in node.struct_name.fields() {
        let Some(value) = node.value.get(field).filter(|value| !value.is_null()) else { continue };
        let (fits, expected) = match (field, node.struct_name) {
            ("description", _) => (value.is_string(), "a string"),
            ("type", Struct::Root) => (value.is_string(), "a string at the root"),
            ("type", Struct::Property) => {
                (value.is_string() || is_text_list(value), "a string or a list of strings")
            }
            ("required", _) => (is_text_list(value), "a list of strings"),
            ("enum" | "anyOf", _) => (value.is_array(), "a list"),
            ("properties", _) => (value.is_object(), "an object"),
            _ => continue,
        };
        if !fits {
            let message = format!("cannot decode `{field}`: it must be {expected}");
            report.refuse(&format!("{}/{field}", node.pointer), "decode", message);
        }
    }
}

fn is_text_list(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(|entry| entry.is_string()))
}
