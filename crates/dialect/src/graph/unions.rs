//! Splits unions: the value is one of several nodes, each with the rules around the union
//! merged in.
//!
//! Must hold: every value that the union allows fits one of the branches. A union that only
//! states required keys is not split; it stays a rule for the validator.

use serde_json::{Map, Value};

use super::build::{Builder, Seed, Skip, skip};
use super::facts::{Alternatives, Edge, Node, UnionKind, ValidatorOnlyRule};
use crate::schema::subschemas::{describes, push_segment};

impl<'d> Builder<'d> {
    pub(super) fn add_unions(
        &mut self,
        node: &mut Node,
        seeds: &[Seed<'d>],
        members: &[Seed<'d>],
        skips: &[Skip],
    ) {
        for member in members {
            let Some(map) = member.map() else { continue };
            for kind in [UnionKind::AnyOf, UnionKind::OneOf] {
                let list = map.get(kind.keyword()).and_then(Value::as_array);
                let Some(list) = list.filter(|_| !skips.contains(&skip(member, kind))) else {
                    continue;
                };
                if kind == UnionKind::AnyOf && list.iter().any(says_nothing) {
                    continue;
                }
                let mut pointer = member.at.to_string();
                push_segment(&mut pointer, kind.keyword());
                let keys_only = !node.object.fields.is_empty() && list.iter().all(only_keys);
                if keys_only {
                    let note = keys_note(kind, list);
                    node.validator_only.push(ValidatorOnlyRule {
                        keyword: kind.keyword(),
                        pointer,
                        note,
                    });
                } else if node.alternatives.is_none() {
                    let branches = self.branches(kind, list, member, seeds, skips);
                    node.alternatives = Some(Alternatives { kind, branches, pointer });
                }
            }
        }
    }

    fn branches(
        &mut self,
        kind: UnionKind,
        list: &'d [Value],
        member: &Seed<'d>,
        seeds: &[Seed<'d>],
        skips: &[Skip],
    ) -> Vec<Edge> {
        let lone = |seed: &&Seed<'d>| {
            std::ptr::eq(seed.schema, member.schema)
                && seed.map().is_some_and(|map| only_union(map, kind))
        };
        let (others, skips): (Vec<Seed<'d>>, Vec<Skip>) = if seeds.iter().any(|seed| lone(&seed)) {
            (seeds.iter().filter(|seed| !lone(seed)).cloned().collect(), skips.to_vec())
        } else {
            let mut skips = skips.to_vec();
            skips.push(skip(member, kind));
            (seeds.to_vec(), skips)
        };
        let mut edges = Vec::with_capacity(list.len());
        for (index, branch) in list.iter().enumerate() {
            let mut seeds = vec![member.inner(branch, &[kind.keyword(), &index.to_string()])];
            seeds.extend(others.iter().cloned());
            let edge = self.branch(seeds, skips.clone());
            edges.push(edge);
        }
        edges
    }
}

fn only_union(map: &Map<String, Value>, kind: UnionKind) -> bool {
    map.keys().all(|key| key == kind.keyword() || key == "$defs" || describes(key))
}

fn says_nothing(schema: &Value) -> bool {
    match schema {
        Value::Bool(holds) => *holds,
        Value::Object(map) => map.keys().all(|key| describes(key)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

/// Whether a branch only states required keys.
fn only_keys(schema: &Value) -> bool {
    let Value::Object(map) = schema else { return false };
    map.iter().all(|(keyword, value)| match keyword.as_str() {
        "required" => true,
        "type" => value == "object",
        "not" => only_keys(value),
        "anyOf" | "oneOf" | "allOf" => {
            value.as_array().is_some_and(|list| list.iter().all(only_keys))
        }
        "properties" => value.as_object().is_some_and(|map| map.values().all(says_nothing)),
        other => describes(other),
    })
}

fn keys_note(kind: UnionKind, list: &[Value]) -> String {
    let sets: Vec<String> = list.iter().map(keys_of).collect();
    let count = match kind {
        UnionKind::AnyOf => "at least one",
        UnionKind::OneOf => "exactly one",
    };
    format!("{count} of: {}", sets.join(" | "))
}

fn keys_of(schema: &Value) -> String {
    let required = schema.get("required").and_then(Value::as_array);
    let names: Vec<String> = required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|name| format!("`{name}`"))
        .collect();
    match (names.is_empty(), schema.get("not")) {
        (_, Some(inner)) => {
            format!("{} without {}", names.join(", "), keys_of(inner)).trim().to_owned()
        }
        (true, None) => "none of them".to_owned(),
        (false, None) => names.join(" with "),
    }
}
