//! Reads values of a rule file as the expected kind, or reports a fault.

use std::borrow::Cow;
use std::str::FromStr;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::{Faults, Span};

/// A value with its place.
pub(super) type TomlEntry<'a> = Spanned<DeValue<'a>>;

pub(super) fn text<'a>(
    value: &'a TomlEntry<'_>,
    key: &str,
    faults: &mut Faults<'_>,
) -> Option<&'a str> {
    match value.get_ref().as_str() {
        Some(text) if !text.trim().is_empty() => Some(text),
        _ => {
            faults.wrong_kind(&value.span(), key, "a text in quotes that is not blank");
            None
        }
    }
}

/// One text, or a list of them.
pub(super) fn texts<'a>(
    value: &'a TomlEntry<'_>,
    key: &str,
    faults: &mut Faults<'_>,
) -> Vec<(Span, &'a str)> {
    let one = |value: &'a TomlEntry<'_>, faults: &mut Faults<'_>| {
        text(value, key, faults).map(|text| (value.span(), text))
    };
    match value.get_ref().as_array() {
        Some(items) if items.is_empty() => {
            faults.empty_list(&value.span(), key);
            Vec::new()
        }
        Some(items) => items.iter().filter_map(|item| one(item, faults)).collect(),
        None => one(value, faults).into_iter().collect(),
    }
}

pub(super) fn word<'a>(
    value: &'a TomlEntry<'_>,
    key: &str,
    known: &[&str],
    faults: &mut Faults<'_>,
) -> Option<&'a str> {
    let word = text(value, key, faults)?;
    if !known.contains(&word) {
        faults.unknown_word(&value.span(), key, word, known);
        return None;
    }
    Some(word)
}

pub(super) fn one<T: FromStr>(
    value: &TomlEntry<'_>,
    key: &str,
    known: &[&str],
    faults: &mut Faults<'_>,
) -> Option<T> {
    word(value, key, known, faults)?.parse().ok()
}

pub(super) fn words<T: FromStr>(
    value: &TomlEntry<'_>,
    key: &str,
    known: &[&str],
    faults: &mut Faults<'_>,
) -> Vec<T> {
    let mut found = Vec::new();
    for (span, word) in texts(value, key, faults) {
        match word.parse() {
            Ok(word) => found.push(word),
            Err(_) => faults.unknown_word(&span, key, word, known),
        }
    }
    found
}

/// The tables of a list, each with its place.
pub(super) fn tables<'a, 'b>(
    value: &'a TomlEntry<'b>,
    key: &str,
    faults: &mut Faults<'_>,
) -> Vec<(Span, &'a DeTable<'b>)> {
    let mut found = Vec::new();
    let Some(items) = value.get_ref().as_array() else {
        faults.wrong_kind(&value.span(), key, "a list of tables");
        return found;
    };
    for item in items.iter() {
        match item.get_ref().as_table() {
            Some(table) => found.push((item.span(), table)),
            None => faults.wrong_kind(&item.span(), key, "a list of tables"),
        }
    }
    found
}

/// A TOML value as JSON. Dates become texts, as they are in JSON.
pub(super) fn json(value: &TomlEntry<'_>, faults: &mut Faults<'_>) -> Option<Value> {
    let number = match value.get_ref() {
        DeValue::String(text) => return Some(Value::String(text.to_string())),
        DeValue::Boolean(flag) => return Some(Value::Bool(*flag)),
        DeValue::Datetime(time) => return Some(Value::String(time.to_string())),
        DeValue::Array(items) => return items.iter().map(|item| json(item, faults)).collect(),
        DeValue::Table(table) => {
            let field = |(key, value): (&Spanned<_>, &TomlEntry<'_>)| {
                let key: &Cow<'_, str> = key.get_ref();
                json(value, faults).map(|value| (key.to_string(), value))
            };
            return table.iter().map(field).collect::<Option<Map<_, _>>>().map(Value::Object);
        }
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(Number::from)
        }
        DeValue::Float(float) => float.as_str().parse().ok().and_then(Number::from_f64),
    };
    if number.is_none() {
        faults.wrong_kind(&value.span(), "the value", "a number that JSON can carry");
    }
    number.map(Value::Number)
}
