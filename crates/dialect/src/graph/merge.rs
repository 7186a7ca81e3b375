//! Intersects the plain rules of several schemas into one set of facts.

use serde_json::{Map, Number, Value};

use super::build::{Builder, Seed};
use super::facts::{Bound, BoundEdge, Node, NumberFacts};
use crate::schema::equality::{as_integer, same_value};
use crate::schema::json_types::Types;

/// Which parts of a node its schemas have rules for; the others are skipped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Topics(u8);

impl Topics {
    const ARRAY: u8 = 1;
    const OBJECT: u8 = 2;
    const UNION: u8 = 4;
    const RESIDUE: u8 = 8;

    pub(super) fn object(self) -> bool {
        self.0 & Self::OBJECT != 0
    }

    pub(super) fn union(self) -> bool {
        self.0 & Self::UNION != 0
    }
}

impl<'d> Builder<'d> {
    /// Types, values, bounds, items and descriptions; objects and unions come after.
    pub(super) fn merged(&mut self, members: &[Seed<'d>]) -> (Node, Topics) {
        let mut node = Node::default();
        let mut topics = Topics::default();
        for member in members {
            match member.schema {
                Value::Bool(false) => node.types = Types::NONE,
                Value::Object(map) => add_keywords(&mut node, &mut topics, map),
                Value::Bool(true)
                | Value::Null
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_) => {}
            }
        }
        let types = node.types;
        if let Some(values) = &mut node.values {
            values.retain(|value| types.has(Types::of(value)));
            node.types = values.iter().fold(Types::NONE, |all, value| all.or(Types::of(value)));
        }
        if topics.0 & Topics::ARRAY != 0 {
            *node.array = self.array(members);
        }
        if topics.0 & Topics::RESIDUE != 0 {
            self.add_residue(&mut node, members);
        }
        drop_impossible(&mut node);
        (node, topics)
    }
}

/// Reads one schema once, keyword by keyword.
fn add_keywords(node: &mut Node, topics: &mut Topics, map: &Map<String, Value>) {
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("type", _) => node.types = node.types.and(Types::declared(value)),
            ("enum", Value::Array(values)) => meet_values(node, values),
            ("const", _) => meet_values(node, std::slice::from_ref(value)),
            ("description", Value::String(text)) if node.description.is_none() => {
                node.description = Some(text.clone());
            }
            ("default", _) if node.default.is_none() => node.default = Some(value.clone()),
            ("minimum", Value::Number(bound)) => {
                raise(&mut node.number, bound, BoundEdge::Inclusive, "minimum");
            }
            ("exclusiveMinimum", Value::Number(bound)) => {
                raise(&mut node.number, bound, BoundEdge::Exclusive, "exclusiveMinimum");
            }
            ("maximum", Value::Number(bound)) => {
                lower(&mut node.number, bound, BoundEdge::Inclusive, "maximum");
            }
            ("exclusiveMaximum", Value::Number(bound)) => {
                lower(&mut node.number, bound, BoundEdge::Exclusive, "exclusiveMaximum");
            }
            ("multipleOf", Value::Number(number)) if !node.number.multiples.contains(number) => {
                node.number.multiples.push(number.clone());
            }
            ("format", Value::String(name)) if numeric(name) => {
                push_new(&mut node.number.formats, name);
            }
            ("format", Value::String(name)) => push_new(&mut node.string.formats, name),
            ("pattern", Value::String(text)) => push_new(&mut node.string.patterns, text),
            ("minLength", _) => node.string.min_length = node.string.min_length.max(value.as_u64()),
            ("maxLength", _) => {
                node.string.max_length = least(node.string.max_length, value.as_u64());
            }
            ("items" | "prefixItems" | "minItems" | "maxItems" | "unevaluatedItems", _) => {
                topics.0 |= Topics::ARRAY;
            }
            ("anyOf" | "oneOf", _) => topics.0 |= Topics::UNION,
            (
                "not" | "if" | "contains" | "uniqueItems" | "contentEncoding" | "contentMediaType",
                _,
            ) => {
                topics.0 |= Topics::RESIDUE;
            }
            ("dependentRequired" | "dependentSchemas" | "propertyNames", _) => {
                topics.0 |= Topics::RESIDUE | Topics::OBJECT;
            }
            (
                "properties"
                | "required"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "patternProperties"
                | "minProperties"
                | "maxProperties",
                _,
            ) => topics.0 |= Topics::OBJECT,
            _ => {}
        }
    }
}

fn meet_values(node: &mut Node, values: &[Value]) {
    let mut unique: Vec<Value> = Vec::with_capacity(values.len());
    let possible = |value: &Value| match &node.values {
        Some(known) => known.iter().any(|other| same_value(other, value)),
        None => true,
    };
    for value in values.iter().filter(|value| possible(value)) {
        // Long lists of strings are common and rarely have duplicates, so they skip the quadratic search.
        if values.len() > 200 || !unique.iter().any(|known| same_value(known, value)) {
            unique.push(value.clone());
        }
    }
    node.values = Some(unique);
}

fn raise(facts: &mut NumberFacts, value: &Number, edge: BoundEdge, keyword: &'static str) {
    let bound = Bound { value: value.clone(), edge, keyword };
    if facts.minimum.as_ref().is_none_or(|old| above(&bound, old)) {
        facts.minimum = Some(bound);
    }
}

fn lower(facts: &mut NumberFacts, value: &Number, edge: BoundEdge, keyword: &'static str) {
    let bound = Bound { value: value.clone(), edge, keyword };
    if facts.maximum.as_ref().is_none_or(|old| below(&bound, old)) {
        facts.maximum = Some(bound);
    }
}

fn push_new(list: &mut Vec<String>, text: &str) {
    if !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// Formats that only state the width of a number.
pub(crate) fn numeric(format: &str) -> bool {
    matches!(
        format,
        "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "int128"
            | "isize"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uint128"
            | "usize"
            | "float"
            | "double"
            | "decimal"
    )
}

pub(super) fn least(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (one, other) => one.or(other),
    }
}

fn order(left: &Number, right: &Number) -> std::cmp::Ordering {
    match (as_integer(left), as_integer(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        _ => left.as_f64().partial_cmp(&right.as_f64()).unwrap_or(std::cmp::Ordering::Equal),
    }
}

fn above(left: &Bound, right: &Bound) -> bool {
    match order(&left.value, &right.value) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => left.edge == BoundEdge::Exclusive,
        std::cmp::Ordering::Less => false,
    }
}

fn below(left: &Bound, right: &Bound) -> bool {
    match order(&left.value, &right.value) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Equal => left.edge == BoundEdge::Exclusive,
        std::cmp::Ordering::Greater => false,
    }
}

/// Removes the types whose rules contradict each other.
fn drop_impossible(node: &mut Node) {
    if let (Some(minimum), Some(maximum)) = (&node.number.minimum, &node.number.maximum) {
        let crossed = match order(&minimum.value, &maximum.value) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => {
                minimum.edge == BoundEdge::Exclusive || maximum.edge == BoundEdge::Exclusive
            }
            std::cmp::Ordering::Less => false,
        };
        if crossed {
            node.types = node.types.without(Types::NUMBER);
        }
    }
    let crossed =
        |low: Option<u64>, high: Option<u64>| low.zip(high).is_some_and(|(low, high)| low > high);
    if crossed(node.string.min_length, node.string.max_length) {
        node.types = node.types.without(Types::STRING);
    }
    if crossed(node.array.min_items, node.array.max_items) {
        node.types = node.types.without(Types::ARRAY);
    }
    if let Some(values) = &mut node.values {
        let types = node.types;
        values.retain(|value| types.has(Types::of(value)));
    }
}
