//! What a rule requires of one argument: a location, and tests for the value there.
//!
//! Must hold: a list passes if one of its items does, so that a second recipient cannot
//! hide behind the first. With `not`, one value that fails is enough, and so is none.

use std::cmp::Ordering;
use std::str::FromStr;

use contract::{Pointer, canonical};
use serde_json::{Number, Value};
use toml::de::DeTable;

use super::Glob;
use super::fault::{Faults, Span};
use super::toml_value::{TomlEntry, json, text};

/// One entry of `arguments`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArgumentMatcher {
    /// A JSON pointer; the step `*` stands for every item of a list or object.
    pub(super) at: Pointer,
    /// All must hold.
    pub(super) tests: Vec<Test>,
    pub(super) sense: Sense,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    /// Some value at the location passes.
    Passes,
    /// Some value at the location fails, or there is none.
    Fails,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    Equals(Value),
    OneOf(Vec<Value>),
    Matches(Glob),
    StartsWith(String),
    EndsWith(String),
    Contains(String),
    Above(Number),
    Below(Number),
}

impl Test {
    /// The keys of a rule file that are tests.
    pub(super) const KEYS: [&str; 8] =
        ["equals", "one_of", "matches", "starts_with", "ends_with", "contains", "above", "below"];

    fn passes(&self, value: &Value) -> bool {
        let text = |passes: &dyn Fn(&str) -> bool| value.as_str().is_some_and(passes);
        let number = |wanted: Ordering, limit: &Number| {
            value.as_number().and_then(|number| compare(number, limit)) == Some(wanted)
        };
        match self {
            Test::Equals(expected) => equal(value, expected),
            Test::OneOf(options) => options.iter().any(|option| equal(value, option)),
            Test::Matches(pattern) => text(&|text| pattern.fits(text)),
            Test::StartsWith(start) => text(&|text| text.starts_with(start)),
            Test::EndsWith(end) => text(&|text| text.ends_with(end)),
            Test::Contains(part) => text(&|text| text.contains(part)),
            Test::Above(limit) => number(Ordering::Greater, limit),
            Test::Below(limit) => number(Ordering::Less, limit),
        }
    }

    /// Whether the value is compared as a whole, even if it is a list.
    fn takes_lists(&self) -> bool {
        match self {
            Test::Equals(expected) => expected.is_array(),
            Test::OneOf(options) => options.iter().any(Value::is_array),
            Test::Matches(_)
            | Test::StartsWith(_)
            | Test::EndsWith(_)
            | Test::Contains(_)
            | Test::Above(_)
            | Test::Below(_) => false,
        }
    }
}

impl ArgumentMatcher {
    pub(super) fn fits(&self, args: &Value) -> bool {
        let steps: Vec<&str> = self.at.steps().collect();
        let mut values = Vec::new();
        collect(args, &steps, &mut values);
        if !self.tests.iter().any(Test::takes_lists) {
            values = values.into_iter().flat_map(items).collect();
        }
        let passes = |value: &Value| self.tests.iter().all(|test| test.passes(value));
        match self.sense {
            Sense::Passes => values.into_iter().any(passes),
            Sense::Fails => values.is_empty() || !values.into_iter().all(passes),
        }
    }
}

/// Every value at the location.
fn collect<'a>(value: &'a Value, steps: &[&str], found: &mut Vec<&'a Value>) {
    match (steps, value) {
        ([], value) => found.push(value),
        (["*", rest @ ..], Value::Array(items)) => {
            items.iter().for_each(|item| collect(item, rest, found));
        }
        (["*", rest @ ..], Value::Object(fields)) => {
            fields.values().for_each(|field| collect(field, rest, found));
        }
        ([step, rest @ ..], value) => {
            if let Some(inner) = Pointer::root().join(step).find(value) {
                collect(inner, rest, found);
            }
        }
    }
}

/// The items of a list, or the value itself.
fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            vec![value]
        }
    }
}

/// Equal as JSON, with `1` and `1.0` the same number.
fn equal(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Number(number), Value::Number(other)) => {
            compare(number, other) == Some(Ordering::Equal)
        }
        (value, expected) => canonical(value) == canonical(expected),
    }
}

/// Compares exactly where both are whole numbers.
fn compare(number: &Number, other: &Number) -> Option<Ordering> {
    let whole = |number: &Number| {
        number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
    };
    match (whole(number), whole(other)) {
        (Some(number), Some(other)) => Some(number.cmp(&other)),
        _ => number.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Reads one entry of `arguments`.
pub(super) fn read_argument(
    (span, table): (Span, &DeTable<'_>),
    faults: &mut Faults<'_>,
) -> Option<ArgumentMatcher> {
    let (mut at, mut tests, mut sense) = (None, Vec::new(), Sense::Passes);
    let known: Vec<&str> = ["at", "not"].into_iter().chain(Test::KEYS).collect();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "at" => match text(value, "at", faults).map(Pointer::from_str) {
                Some(Ok(pointer)) => at = Some(pointer),
                Some(Err(fault)) => faults.bad_pointer(&value.span(), &fault.to_string()),
                None => {}
            },
            "not" => match value.get_ref().as_bool() {
                Some(true) => sense = Sense::Fails,
                Some(false) => {}
                None => faults.wrong_kind(&value.span(), "not", "`true` or `false`"),
            },
            name if Test::KEYS.contains(&name) => tests.extend(read_test(name, value, faults)),
            other => faults.unknown_key(&key.span(), other, &known),
        }
    }
    if !table.iter().any(|(key, _)| key.get_ref() == "at") {
        faults.missing_key(&span, "at", "at = \"/to\"");
    }
    if !table.iter().any(|(key, _)| Test::KEYS.contains(&key.get_ref().as_ref())) {
        faults.no_test(&span, &Test::KEYS);
    }
    Some(ArgumentMatcher { at: at?, tests, sense })
}

fn read_test(key: &str, value: &TomlEntry<'_>, faults: &mut Faults<'_>) -> Option<Test> {
    let owned = |text: &str| text.to_owned();
    let mut number = || match json(value, faults) {
        Some(Value::Number(number)) => Some(number),
        _ => {
            faults.wrong_kind(&value.span(), key, "a number");
            None
        }
    };
    match key {
        "above" => number().map(Test::Above),
        "below" => number().map(Test::Below),
        "equals" => json(value, faults).map(Test::Equals),
        "one_of" => match json(value, faults) {
            Some(Value::Array(options)) if !options.is_empty() => Some(Test::OneOf(options)),
            _ => {
                faults.wrong_kind(&value.span(), key, "a list with at least one value");
                None
            }
        },
        "matches" => text(value, key, faults).map(Glob::new).map(Test::Matches),
        "starts_with" => text(value, key, faults).map(owned).map(Test::StartsWith),
        "ends_with" => text(value, key, faults).map(owned).map(Test::EndsWith),
        _ => text(value, key, faults).map(owned).map(Test::Contains),
    }
}
