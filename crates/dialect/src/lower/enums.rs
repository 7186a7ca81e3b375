//! Lowers `enum` and `const`.

use serde_json::{Map, Value, json};

use super::{Lowered, Lowerer};
use crate::graph::Node;
use crate::loss::LossKind;
use crate::plan::Step;
use crate::schema::equality::as_integer;
use crate::schema::json_types::Types;
use crate::target::{NullValue, Spelling, ValueKinds};

/// How much of a long list is repeated in a description.
const LIST_CHARS_MAX: usize = 6_000;
/// A larger bound is not exact everywhere.
const EXACT_MAX: i128 = 1 << 53;

impl Lowerer<'_> {
    pub(crate) fn listed(&mut self, node: &Node, values: &[Value]) -> Lowered {
        let mut lowered = self.listed_values(node.pointer(), values);
        self.validator_only(node, &mut lowered);
        for rule in self.all_rules(node) {
            self.noted(&mut lowered, node.pointer(), rule.keyword, rule.note());
        }
        lowered
    }

    pub(crate) fn listed_values(&mut self, pointer: &str, values: &[Value]) -> Lowered {
        let nullable = values.contains(&Value::Null);
        let rest: Vec<&Value> = values.iter().filter(|value| !value.is_null()).collect();
        let mut lowered = if rest.is_empty() {
            return self.only_null(pointer);
        } else if rest.len() > self.rules.values_max {
            self.widened(pointer, &rest)
        } else if rest.iter().all(|value| self.takes_value(value)) {
            Lowered::new(value_list(&rest), Step::Same)
        } else {
            self.bounded(&rest).unwrap_or_else(|| self.labelled(pointer, &rest))
        };
        if nullable {
            let branch = self.rules.null_value == NullValue::Branch;
            if branch || !lowered.schema.contains_key("enum") || !lowered.step.is_same() {
                self.allow_null(&mut lowered);
            } else {
                lowered.schema = value_list(&values.iter().collect::<Vec<_>>());
            }
        }
        lowered
    }

    /// A value that is always null; a wire without that type has a string for it.
    pub(crate) fn only_null(&mut self, pointer: &str) -> Lowered {
        if self.rules.spelling == Spelling::Proto {
            return self.labelled(pointer, &[&Value::Null]);
        }
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("null"));
        Lowered::new(schema, Step::Same)
    }

    fn takes_value(&self, value: &Value) -> bool {
        match self.rules.values {
            ValueKinds::All => true,
            ValueKinds::Scalars => !Types::of(value).has(Types::OBJECT.or(Types::ARRAY)),
            ValueKinds::TextsAndNumbers => is_text(value) || value.is_number(),
            ValueKinds::Texts => is_text(value),
        }
    }

    /// Consecutive integers are an interval, and both booleans are a type.
    fn bounded(&self, values: &[&Value]) -> Option<Lowered> {
        let mut schema = Map::new();
        if values.iter().all(|value| value.is_boolean()) && values.len() == 2 {
            schema.insert("type".to_owned(), json!("boolean"));
            return Some(Lowered::new(schema, Step::Same));
        }
        if !self.takes_keyword("minimum") || !self.takes_keyword("maximum") {
            return None;
        }
        let mut numbers = Vec::with_capacity(values.len());
        for value in values {
            numbers.push(as_integer(value.as_number()?)?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let (first, last) = (*numbers.first()?, *numbers.last()?);
        let whole = last - first + 1 == numbers.len() as i128;
        if !whole || first.abs() > EXACT_MAX || last.abs() > EXACT_MAX {
            return None;
        }
        schema.insert("type".to_owned(), json!("integer"));
        schema.insert("minimum".to_owned(), json!(i64::try_from(first).ok()?));
        schema.insert("maximum".to_owned(), json!(i64::try_from(last).ok()?));
        Some(Lowered::new(schema, Step::Same))
    }

    /// Each value is sent as its own string.
    fn labelled(&mut self, pointer: &str, values: &[&Value]) -> Lowered {
        let plain = |value: &&Value| match value {
            Value::String(text) if !text.is_empty() => text.clone(),
            Value::String(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => value.to_string(),
        };
        let mut labels: Vec<String> = values.iter().map(plain).collect();
        let mut sorted = labels.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() < labels.len() {
            labels = values.iter().map(ToString::to_string).collect();
        }
        let what = "the listed values are sent as strings and decoded";
        self.lose(LossKind::Reencoded, pointer, "enum", what);
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("enum".to_owned(), json!(labels));
        let pairs = labels.into_iter().zip(values.iter().map(|value| (*value).clone()));
        Lowered::new(schema, Step::Labels(pairs.collect()))
    }

    /// More values than the provider's grammar supports: their type, with the list in the description.
    fn widened(&mut self, pointer: &str, values: &[&Value]) -> Lowered {
        let types = values.iter().fold(Types::NONE, |types, value| types.or(Types::of(value)));
        let scalar = !types.has(Types::OBJECT.or(Types::ARRAY));
        let one = scalar && (types.kinds().len() == 1 || self.rules.spelling != Spelling::Proto);
        let mut lowered = if one {
            let mut schema = Map::new();
            schema.insert("type".to_owned(), types.keyword());
            Lowered::new(schema, Step::Same)
        } else {
            self.json_text()
        };
        let mut list = String::new();
        for (index, value) in values.iter().enumerate() {
            let text = value.to_string();
            if list.len() + text.len() > LIST_CHARS_MAX {
                list.push_str(&format!(", and {} more", values.len() - index));
                break;
            }
            if index > 0 {
                list.push_str(", ");
            }
            list.push_str(&text);
        }
        self.noted(&mut lowered, pointer, "enum", format!("one of {list}"));
        lowered
    }
}

/// A non-empty string, for targets that cannot list empty ones.
fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn value_list(values: &[&Value]) -> Map<String, Value> {
    let types = values.iter().fold(Types::NONE, |types, value| types.or(Types::of(value)));
    let mut schema = Map::new();
    schema.insert("type".to_owned(), types.keyword());
    schema.insert("enum".to_owned(), values.iter().map(|value| (*value).clone()).collect());
    schema
}
