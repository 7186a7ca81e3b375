//! Differences between two versions of the arguments, property by property.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Says, words};

/// How deep objects in arguments are compared by name.
const DEPTH_MAX: usize = 16;

/// Compares `parameters` of two contracts.
pub(super) fn arguments(old: &Value, new: &Value, says: &mut Says<'_>) {
    let none = Value::Null;
    let of = |contract: &'_ Value| contract.get("parameters").unwrap_or(&none).clone();
    object(&of(old), &of(new), "", 0, says);
}

fn object(old: &Value, new: &Value, path: &str, depth: usize, says: &mut Says<'_>) {
    let tool = says.tool.to_owned();
    let properties = |schema: &Value| schema.get("properties").cloned().unwrap_or_default();
    let (old_properties, new_properties) = (properties(old), properties(new));
    let (was_required, is_required) = (words(old, "required"), words(new, "required"));
    for name in names(&old_properties, &new_properties) {
        let shown = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (old_properties.get(&name), new_properties.get(&name)) {
            (None, Some(_)) if is_required.contains(&name) => {
                says.breaks(format!("`{tool}`: the required argument `{shown}` is new"));
            }
            (None, Some(_)) => says.changes(format!("`{tool}`: the argument `{shown}` is new")),
            (Some(_), None) => says.breaks(format!("`{tool}`: the argument `{shown}` is gone")),
            (Some(was), Some(is)) => {
                match (was_required.contains(&name), is_required.contains(&name)) {
                    (false, true) => {
                        says.breaks(format!("`{tool}`: the argument `{shown}` became required"));
                    }
                    (true, false) => {
                        says.changes(format!("`{tool}`: the argument `{shown}` became optional"));
                    }
                    _ => {}
                }
                if was != is {
                    property(was, is, &shown, depth, says);
                }
            }
            (None, None) => {}
        }
    }
    let rest = |schema: &Value| without(schema, &["properties", "required"]);
    if rest(old) != rest(new) {
        keywords(&rest(old), &rest(new), path, says);
    }
}

fn property(old: &Value, new: &Value, path: &str, depth: usize, says: &mut Says<'_>) {
    let nested = |schema: &Value| schema.get("properties").is_some();
    if nested(old) && nested(new) && depth < DEPTH_MAX {
        object(old, new, path, depth + 1, says);
    } else {
        keywords(old, new, path, says);
    }
}

/// Compares two schemas keyword by keyword.
fn keywords(old: &Value, new: &Value, path: &str, says: &mut Says<'_>) {
    let tool = says.tool.to_owned();
    let place = match path {
        "" => format!("`{tool}`: the arguments"),
        path => format!("`{tool}`: the argument `{path}`"),
    };
    for keyword in names(old, new) {
        let (was, is) = (old.get(&keyword), new.get(&keyword));
        if was == is {
            continue;
        }
        match (keyword.as_str(), was, is) {
            ("description" | "title" | "$comment" | "examples", ..) => {
                says.changes(format!("{place}: the {keyword} changed"));
            }
            ("enum", Some(Value::Array(was)), Some(Value::Array(is))) => {
                for value in is.iter().filter(|value| !was.contains(value)) {
                    says.changes(format!("{place} may now be `{}`", plain(value)));
                }
                for value in was.iter().filter(|value| !is.contains(value)) {
                    says.breaks(format!("{place} may no longer be `{}`", plain(value)));
                }
            }
            ("additionalProperties", _, is) if is != Some(&Value::Bool(false)) => {
                says.widens(format!("{place} may now include unknown names"));
            }
            (_, Some(was), Some(is)) if is_short(was) && is_short(is) => {
                let moved = moved(&keyword, was, is);
                let sentence = format!(
                    "{place}: `{keyword}` {} from {} to {}",
                    moved.verb(),
                    plain(was),
                    plain(is)
                );
                moved.say(sentence, says);
            }
            (_, None, Some(is)) if is_short(is) => {
                says.breaks(format!("{place}: `{keyword}` is now {}", plain(is)));
            }
            (_, Some(was), None) if is_short(was) => {
                says.changes(format!("{place}: `{keyword}` (it was {}) is gone", plain(was)));
            }
            _ => says.changes(format!("{place}: `{keyword}` changed")),
        }
    }
}

/// The direction in which a limit changed.
enum Moved {
    Raised,
    Lowered,
    Changed,
}

impl Moved {
    fn verb(&self) -> &'static str {
        match self {
            Moved::Raised => "raised",
            Moved::Lowered => "lowered",
            Moved::Changed => "changed",
        }
    }

    fn say(&self, sentence: String, says: &mut Says<'_>) {
        let looser = match self {
            Moved::Raised => sentence.contains("`max") || sentence.contains("`exclusiveMax"),
            Moved::Lowered => sentence.contains("`min") || sentence.contains("`exclusiveMin"),
            Moved::Changed => false,
        };
        if looser { says.widens(sentence) } else { says.breaks(sentence) }
    }
}

fn moved(keyword: &str, was: &Value, is: &Value) -> Moved {
    let bound = ["min", "max", "exclusive"].iter().any(|start| keyword.starts_with(start));
    match (was.as_f64(), is.as_f64()) {
        (Some(was), Some(is)) if bound && is > was => Moved::Raised,
        (Some(_), Some(_)) if bound => Moved::Lowered,
        _ => Moved::Changed,
    }
}

fn names(old: &Value, new: &Value) -> BTreeSet<String> {
    let keys = |value: &Value| {
        value.as_object().into_iter().flat_map(|map| map.keys().cloned()).collect::<Vec<_>>()
    };
    keys(old).into_iter().chain(keys(new)).collect()
}

fn without(schema: &Value, keys: &[&str]) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(map) = &mut schema {
        keys.iter().for_each(|key| drop(map.shift_remove(*key)));
    }
    schema
}

fn is_short(value: &Value) -> bool {
    !value.is_object() && value.to_string().len() <= 60
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
