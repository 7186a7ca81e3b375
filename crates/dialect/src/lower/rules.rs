//! The simple rules of a node, as keywords and as notes.

use serde_json::{Number, Value, json};

use crate::graph::{Bound, Node};
use crate::lower::Lowerer;
use crate::schema::equality::as_integer;
use crate::schema::json_types::Types;

pub(crate) struct Rule {
    pub(crate) keyword: &'static str,
    pub(crate) value: Value,
}

impl Rule {
    fn new(keyword: &'static str, value: impl Into<Value>) -> Self {
        Self { keyword, value: value.into() }
    }

    /// The rule in words, if it cannot be a keyword.
    pub(crate) fn note(&self) -> String {
        let value = self.value.as_str().map_or_else(|| self.value.to_string(), str::to_owned);
        match self.keyword {
            "format" => format!("format {value}"),
            "pattern" => format!("matches {value}"),
            "minLength" => format!("at least {value} characters"),
            "maxLength" => format!("at most {value} characters"),
            "minItems" => format!("at least {value} items"),
            "maxItems" => format!("at most {value} items"),
            "minProperties" => format!("at least {value} properties"),
            "maxProperties" => format!("at most {value} properties"),
            "minimum" => format!("at least {value}"),
            "maximum" => format!("at most {value}"),
            "exclusiveMinimum" => format!("more than {value}"),
            "exclusiveMaximum" => format!("less than {value}"),
            "multipleOf" => format!("a multiple of {value}"),
            keyword => format!("{keyword} {value}"),
        }
    }
}

impl Lowerer<'_> {
    /// Every simple rule of a node, if none of them can be a keyword.
    pub(crate) fn all_rules(&self, node: &Node) -> Vec<Rule> {
        let mut rules = Vec::new();
        if node.types.has(Types::NUMBER) {
            rules.extend(number_rules(node, node.types.and(Types::NUMBER)));
        }
        if node.types.has(Types::STRING) {
            rules.extend(text_rules(node));
        }
        if node.types.has(Types::ARRAY) {
            rules.extend(item_rules(node.array.min_items, node.array.max_items));
        }
        if node.types.has(Types::OBJECT) {
            rules.extend(property_rules(node));
        }
        rules
    }
}

pub(crate) fn text_rules(node: &Node) -> Vec<Rule> {
    let facts = &node.string;
    let mut rules = Vec::new();
    for format in &facts.formats {
        rules.push(Rule::new("format", format.as_str()));
    }
    for pattern in &facts.patterns {
        rules.push(Rule::new("pattern", pattern.as_str()));
    }
    if let Some(limit) = facts.min_length.filter(|limit| *limit > 0) {
        rules.push(Rule::new("minLength", limit));
    }
    if let Some(limit) = facts.max_length {
        rules.push(Rule::new("maxLength", limit));
    }
    rules
}

pub(crate) fn item_rules(least: Option<u64>, most: Option<u64>) -> Vec<Rule> {
    let mut rules = Vec::new();
    if let Some(limit) = least.filter(|limit| *limit > 0) {
        rules.push(Rule::new("minItems", limit));
    }
    if let Some(limit) = most {
        rules.push(Rule::new("maxItems", limit));
    }
    rules
}

pub(crate) fn property_rules(node: &Node) -> Vec<Rule> {
    let mut rules = Vec::new();
    if let Some(limit) = node.object.min_properties.filter(|limit| *limit > 0) {
        rules.push(Rule::new("minProperties", limit));
    }
    if let Some(limit) = node.object.max_properties {
        rules.push(Rule::new("maxProperties", limit));
    }
    rules
}

pub(crate) fn number_rules(node: &Node, kind: Types) -> Vec<Rule> {
    let facts = &node.number;
    let mut rules = Vec::new();
    for bound in [&facts.minimum, &facts.maximum].into_iter().flatten() {
        rules.push(Rule::new(bound.keyword, bound.value.clone()));
    }
    for multiple in &facts.multiples {
        // Every integer is a multiple of 1, so `multipleOf: 1` has no effect.
        if kind != Types::INTEGER || as_integer(multiple) != Some(1) {
            rules.push(Rule::new("multipleOf", multiple.clone()));
        }
    }
    rules
}

/// The inclusive equivalent of an exclusive bound of an integer.
pub(crate) fn inclusive(bound: &Bound) -> Option<Number> {
    let upward = bound.keyword.ends_with("Minimum");
    let value = match as_integer(&bound.value) {
        Some(value) if upward => value.checked_add(1)?,
        Some(value) => value.checked_sub(1)?,
        None => {
            let value = bound.value.as_f64()?;
            let value = if upward { value.ceil() } else { value.floor() };
            if value.abs() > 9e15 {
                return None;
            }
            value as i128
        }
    };
    let json = i64::try_from(value).map(|value| json!(value));
    match json.or_else(|_| u64::try_from(value).map(|value| json!(value))) {
        Ok(Value::Number(number)) => Some(number),
        Ok(_) | Err(_) => None,
    }
}
