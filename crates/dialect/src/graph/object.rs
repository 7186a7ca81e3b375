//! Merges the rules of several schemas for the keys of one object.
//!
//! Must hold: a schema that closes its object forbids the keys that it does not name,
//! even if a schema beside it names them. Keys that only a condition names are fields
//! too, otherwise a closed wire object could not carry them.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::build::{Builder, Seed, Skip, skip};
use super::facts::{Edge, Field, Node, Presence, Rest, UnionKind};
use super::merge::least;

impl<'d> Builder<'d> {
    pub(super) fn add_object(&mut self, node: &mut Node, members: &[Seed<'d>], skips: &[Skip]) {
        let maps: Vec<(&Seed<'d>, &'d Map<String, Value>)> =
            members.iter().filter_map(|seed| Some((seed, seed.map()?))).collect();
        let mut names = Vec::new();
        let mut known = HashSet::new();
        let mut required: Vec<&'d str> = Vec::new();
        for (_, map) in &maps {
            let limit = |key: &str| map.get(key).and_then(Value::as_u64);
            let object = &mut node.object;
            object.min_properties = object.min_properties.max(limit("minProperties"));
            object.max_properties = least(object.max_properties, limit("maxProperties"));
            for name in map.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if known.insert(name.0.as_str()) {
                    names.push(name.0.as_str());
                }
            }
            let list = map.get("required").and_then(Value::as_array).into_iter().flatten();
            required.extend(list.filter_map(Value::as_str));
        }
        let declared = maps.iter().any(|(_, map)| map.contains_key("properties"));
        names.extend(required.iter().filter(|name| known.insert(name)));
        let required: HashSet<&str> = required.into_iter().collect();
        for name in names {
            let seeds = field_seeds(name, &maps);
            let edge = self.edge(seeds);
            let presence =
                if required.contains(name) { Presence::Required } else { Presence::Optional };
            node.object.fields.push(Field { name: name.to_owned(), edge, presence });
        }
        self.add_rest(node, &maps);
        if !declared
            && !node.object.fields.is_empty()
            && matches!(node.object.rest, Rest::Unspecified)
        {
            // Required keys without any properties: the object is free.
            node.object.rest = Rest::Open(self.any());
        }
        if !node.object.fields.is_empty() && !matches!(node.object.rest, Rest::Open(_)) {
            self.add_mentions(node, &maps, skips, &mut known);
        }
    }

    fn add_rest(&mut self, node: &mut Node, maps: &[(&Seed<'d>, &'d Map<String, Value>)]) {
        let mut seeds = Vec::new();
        let mut open = false;
        let mut closed = false;
        for (seed, map) in maps {
            for (pattern, schema) in
                map.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
            {
                let edge = self.edge(vec![seed.inner(schema, &["patternProperties", pattern])]);
                node.object.patterns.push((pattern.clone(), edge));
                open |= !map.contains_key("additionalProperties");
            }
            match map.get("additionalProperties") {
                Some(Value::Bool(false)) => closed = true,
                Some(Value::Bool(true)) => open = true,
                Some(schema @ Value::Object(_)) => {
                    open = true;
                    seeds.push(seed.inner(schema, &["additionalProperties"]));
                }
                _ => {}
            }
            match map.get("unevaluatedProperties") {
                Some(Value::Bool(false)) if !map.contains_key("additionalProperties") => {
                    closed = true;
                }
                Some(Value::Bool(true) | Value::Object(_)) => open = true,
                _ => {}
            }
        }
        node.object.rest = if closed {
            Rest::Closed
        } else if open {
            // Further rules for unnamed keys are ignored here.
            Rest::Open(self.edge(if node.object.patterns.is_empty() { seeds } else { Vec::new() }))
        } else {
            Rest::Unspecified
        };
    }

    /// Keys that appear only under `then`, `else`, `dependentSchemas` and the like.
    fn add_mentions(
        &mut self,
        node: &mut Node,
        maps: &[(&Seed<'d>, &'d Map<String, Value>)],
        skips: &[Skip],
        known: &mut HashSet<&'d str>,
    ) {
        let explicit = |map: &Map<String, Value>| {
            map.get("additionalProperties") == Some(&Value::Bool(false))
                && !map.contains_key("patternProperties")
        };
        if maps.iter().any(|(_, map)| explicit(map)) {
            return;
        }
        let mut found: Vec<(&'d str, Vec<Seed<'d>>)> = Vec::new();
        for (seed, map) in maps {
            mentions(self, seed, map, skips, 0, &mut found);
        }
        for (name, seeds) in found {
            if !known.insert(name) {
                continue;
            }
            let edge = match seeds.as_slice() {
                // A pattern may allow another value for the key if the condition fails.
                [_] if node.object.patterns.is_empty() => self.edge(seeds),
                _ => self.any(),
            };
            node.object.fields.push(Field {
                name: name.to_owned(),
                edge,
                presence: Presence::Optional,
            });
        }
    }

    pub(super) fn any(&mut self) -> Edge {
        self.edge(Vec::new())
    }
}

/// Every schema that a named field must fit.
fn field_seeds<'d>(name: &str, maps: &[(&Seed<'d>, &'d Map<String, Value>)]) -> Vec<Seed<'d>> {
    let mut seeds = Vec::new();
    for (seed, map) in maps {
        if let Some(schema) = map.get("properties").and_then(|properties| properties.get(name)) {
            seeds.push(seed.inner(schema, &["properties", name]));
        } else if let Some(schema) = map.get("additionalProperties") {
            // A pattern may allow the key, and patterns are not run here.
            if !map.contains_key("patternProperties") {
                seeds.push(seed.inner(schema, &["additionalProperties"]));
            }
        }
    }
    seeds
}

/// How deep nested conditions are searched for the keys that they name.
const MENTION_DEPTH_MAX: usize = 8;

fn mentions<'d>(
    builder: &Builder<'d>,
    seed: &Seed<'d>,
    map: &'d Map<String, Value>,
    skips: &[Skip],
    depth: usize,
    found: &mut Vec<(&'d str, Vec<Seed<'d>>)>,
) {
    if depth > MENTION_DEPTH_MAX {
        return;
    }
    let mut note = |name: &'d str, seed: Option<Seed<'d>>| {
        match found.iter_mut().find(|(known, _)| *known == name) {
            // Named twice, or without a schema: only the name is known.
            Some((_, seeds)) => seeds.extend(seed),
            None => found.push((name, seed.into_iter().collect())),
        }
    };
    if depth > 0 {
        for (name, schema) in map.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            note(name, Some(seed.inner(schema, &["properties", name])));
        }
        for name in map.get("required").and_then(Value::as_array).into_iter().flatten() {
            if let Some(name) = name.as_str() {
                let declared = map.get("properties").is_some_and(|map| map.get(name).is_some());
                if !declared {
                    note(name, None);
                }
            }
        }
    }
    for (name, list) in
        map.get("dependentRequired").and_then(Value::as_object).into_iter().flatten()
    {
        note(name, None);
        for name in list.as_array().into_iter().flatten().filter_map(Value::as_str) {
            note(name, None);
        }
    }
    for inner in same_value_schemas(builder, seed, map, skips, depth) {
        if let Some(map) = inner.map() {
            mentions(builder, &inner, map, skips, depth + 1, found);
        }
    }
}

/// The conditional parts of a schema; the top-level `$ref` and `allOf` are already members.
fn same_value_schemas<'d>(
    builder: &Builder<'d>,
    seed: &Seed<'d>,
    map: &'d Map<String, Value>,
    skips: &[Skip],
    depth: usize,
) -> Vec<Seed<'d>> {
    let mut inner = Vec::new();
    for keyword in ["if", "then", "else"] {
        if let Some(schema) = map.get(keyword) {
            inner.push(seed.inner(schema, &[keyword]));
        }
    }
    let entries = map.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
    for (name, schema) in entries {
        inner.push(seed.inner(schema, &["dependentSchemas", name]));
    }
    let mut lists = Vec::new();
    for kind in [UnionKind::AnyOf, UnionKind::OneOf] {
        // A union that was split is represented by its branch, which is a member.
        if !skips.contains(&skip(seed, kind)) {
            lists.push(kind.keyword());
        }
    }
    if depth > 0 {
        lists.push("allOf");
    }
    for keyword in lists {
        let list = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
        for (index, schema) in list.enumerate() {
            inner.push(seed.inner(schema, &[keyword, &index.to_string()]));
        }
    }
    if depth > 0 {
        let target = map.get("$ref").and_then(Value::as_str);
        inner.extend(target.and_then(|target| builder.target(target)));
    }
    inner
}
