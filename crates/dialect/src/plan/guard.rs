//! Distinguishes the branches of a union by cheap checks, without a validator.
//!
//! Must hold: a value that fits a branch always passes its guard. Two guards that are
//! `disjoint` never pass the same value.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::graph::{Graph, NodeId, Presence, Rest};
use crate::schema::equality::same_value;
use crate::schema::json_types::Types;

/// With more values than this, a field does not distinguish branches cheaply.
const VALUES_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Guard {
    pub(crate) types: Types,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) values: Option<Vec<Value>>,
    /// Keys an object must have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) required: Vec<String>,
    /// Fields that allow only a few values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixed: Vec<(String, Vec<Value>)>,
    /// The only keys an object may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<Vec<String>>,
}

impl Guard {
    pub(crate) fn of_types(types: Types) -> Self {
        Self { types, values: None, required: Vec::new(), fixed: Vec::new(), keys: None }
    }

    /// The guard for values of a contract node.
    pub(crate) fn of_node(graph: &Graph, id: NodeId) -> Self {
        let node = graph.node(id);
        let mut guard = Self::of_types(node.types);
        if node.alternatives.is_some() {
            return guard;
        }
        guard.values = node.values.clone().filter(|values| values.len() <= VALUES_MAX);
        if !node.types.has(Types::OBJECT) {
            return guard;
        }
        for field in &node.object.fields {
            if field.presence == Presence::Required {
                guard.required.push(field.name.clone());
            }
            if let Some(values) = few_values(graph, field.edge.to) {
                guard.fixed.push((field.name.clone(), values));
            }
        }
        if matches!(node.object.rest, Rest::Closed) && node.object.patterns.is_empty() {
            let names = node.object.fields.iter().map(|field| field.name.clone());
            guard.keys = Some(names.collect());
        }
        guard
    }

    /// The types that a wire schema allows.
    pub(crate) fn wire_types<'s>(
        schema: &'s Map<String, Value>,
        resolve: &impl Fn(&str) -> Option<&'s Map<String, Value>>,
    ) -> Types {
        let plain = !schema.contains_key("$ref") && !schema.contains_key("anyOf");
        match schema.get("type") {
            Some(types) if plain && !schema.contains_key("enum") => Types::declared(types),
            _ => Self::of_wire(schema, resolve).types,
        }
    }

    /// The guard for values of a wire schema. `resolve` finds a shared wire schema.
    pub(crate) fn of_wire<'s>(
        schema: &'s Map<String, Value>,
        resolve: &impl Fn(&str) -> Option<&'s Map<String, Value>>,
    ) -> Self {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return match resolve(reference) {
                Some(target) if !target.contains_key("$ref") => Self::of_wire(target, resolve),
                Some(_) | None => Self::of_types(Types::ANY),
            };
        }
        if let Some(Value::Array(branches)) = schema.get("anyOf") {
            let types = branches.iter().fold(Types::NONE, |types, branch| {
                let inner = branch.as_object().map(|branch| Self::of_wire(branch, resolve).types);
                types.or(inner.unwrap_or(Types::ANY))
            });
            return Self::of_types(types);
        }
        let values = schema.get("enum").and_then(Value::as_array);
        let declared = schema.get("type").map_or(Types::ANY, Types::declared);
        let listed = values.map_or(Types::ANY, |values| {
            values.iter().fold(Types::NONE, |types, value| types.or(Types::of(value)))
        });
        let mut guard = Self::of_types(declared.and(listed));
        guard.values = values.filter(|values| values.len() <= VALUES_MAX).cloned();
        guard.add_wire_object(schema);
        guard
    }

    fn add_wire_object(&mut self, schema: &Map<String, Value>) {
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        self.required = required.filter_map(Value::as_str).map(str::to_owned).collect();
        let Some(Value::Object(properties)) = schema.get("properties") else { return };
        for (name, property) in properties {
            if let Some(Value::Array(values)) = property.get("enum")
                && values.len() <= VALUES_MAX
            {
                self.fixed.push((name.clone(), values.clone()));
            }
        }
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            self.keys = Some(properties.keys().cloned().collect());
        }
    }

    pub(crate) fn admits(&self, value: &Value) -> bool {
        if !self.looks_like(value) {
            return false;
        }
        let Value::Object(map) = value else { return true };
        self.required.iter().all(|key| map.contains_key(key))
            && self.keys.as_ref().is_none_or(|keys| map.keys().all(|key| keys.contains(key)))
    }

    /// The looser part of [`Guard::admits`]: type and fixed values, but not keys.
    pub(crate) fn looks_like(&self, value: &Value) -> bool {
        if !self.types.has(Types::of(value)) {
            return false;
        }
        if let Some(values) = &self.values {
            return values.iter().any(|known| same_value(known, value));
        }
        let Value::Object(map) = value else { return true };
        self.fixed.iter().all(|(key, values)| match map.get(key) {
            Some(value) => values.iter().any(|known| same_value(known, value)),
            None => true,
        })
    }

    pub(crate) fn disjoint(&self, other: &Guard) -> bool {
        let shared = self.types.and(other.types);
        if shared.is_empty() {
            return true;
        }
        if let Some(values) = &self.values {
            return !values.iter().any(|value| other.admits(value));
        }
        if let Some(values) = &other.values {
            return !values.iter().any(|value| self.admits(value));
        }
        shared == Types::OBJECT && (self.keeps_out(other) || other.keeps_out(self))
    }

    /// Whether the other guard refuses what this one requires of an object.
    fn keeps_out(&self, other: &Guard) -> bool {
        let unknown = |key: &String| other.keys.as_ref().is_some_and(|keys| !keys.contains(key));
        self.required.iter().any(|key| unknown(key) || self.clashes(other, key))
    }

    fn clashes(&self, other: &Guard, key: &str) -> bool {
        let fixed = |guard: &Guard| {
            guard.fixed.iter().find(|(name, _)| name == key).map(|(_, values)| values.clone())
        };
        match (fixed(self), fixed(other)) {
            (Some(ours), Some(theirs)) => {
                !ours.iter().any(|value| theirs.iter().any(|known| same_value(known, value)))
            }
            (Some(_) | None, _) => false,
        }
    }
}

/// Whether no two guards of a list pass the same value.
pub(crate) fn all_disjoint(guards: &[Guard]) -> bool {
    guards
        .iter()
        .enumerate()
        .all(|(index, guard)| guards.iter().skip(index + 1).all(|other| guard.disjoint(other)))
}

fn few_values(graph: &Graph, id: NodeId) -> Option<Vec<Value>> {
    let values = graph.node(id).values.clone()?;
    (values.len() <= VALUES_MAX).then_some(values)
}
