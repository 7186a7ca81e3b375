//! Does a value fit its schema? The check before a call is made.
//!
//! In: a schema and a value. Out: the first place that does not fit, or that cannot be
//! checked here. Must hold: what passes also passes the contract's own check; whatever
//! is not understood (a pattern with a look-ahead, a foreign format) is [`Doubt`].

use std::collections::HashSet;
use std::net::{Ipv4Addr, Ipv6Addr};

use jiff::civil::Date;
use regex::RegexBuilder;
use serde_json::{Map, Value};

use crate::arguments::fields::resolve;

/// The dotted name of what does not fit; empty for the whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub at: String,
    pub doubt: Doubt,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    Wrong,
    /// The schema says something that is not checked here.
    Unchecked,
}

const DEPTH_MAX: usize = 24;
const PATTERN_BYTES_MAX: usize = 1 << 18;

/// Keywords that a plain reading of the value cannot judge.
const BEYOND: [&str; 13] = [
    "$dynamicRef",
    "if",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "prefixItems",
    "dependencies",
    "$recursiveRef",
    "contentMediaType",
    "contentEncoding",
];

pub(crate) fn fits(root: &Value, schema: &Value, value: &Value) -> Result<(), Misfit> {
    check(root, schema, value, "", 0)
}

fn check(
    root: &Value,
    schema: &Value,
    value: &Value,
    at: &str,
    depth: usize,
) -> Result<(), Misfit> {
    let misfit = |doubt: Doubt| Err(Misfit { at: at.to_owned(), doubt });
    let map = match schema {
        Value::Bool(true) => return Ok(()),
        Value::Object(map) if depth <= DEPTH_MAX => map,
        Value::Object(_) => return misfit(Doubt::Unchecked),
        Value::Null
        | Value::Bool(false)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_) => {
            return misfit(Doubt::Wrong);
        }
    };
    if let Some(pointer) = map.get("$ref").and_then(Value::as_str) {
        let Some(target) = pointer.strip_prefix('#').and_then(|path| root.pointer(path)) else {
            return misfit(Doubt::Unchecked);
        };
        check(root, resolve(root, target), value, at, depth + 1)?;
    }
    let known = map.get("type").is_none_or(|wanted| has_type(wanted, value))
        && map.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value))
        && map.get("const").is_none_or(|only| only == value);
    if !known {
        return misfit(Doubt::Wrong);
    }
    branches(root, map, value, at, depth)?;
    match value {
        Value::String(text) => text_fits(map, text).map_or_else(misfit, Ok)?,
        Value::Number(number) => {
            if !number_fits(map, number.as_f64().unwrap_or(f64::NAN)) {
                return misfit(Doubt::Wrong);
            }
        }
        Value::Array(items) => list_fits(root, map, items, at, depth)?,
        Value::Object(object) => object_fits(root, map, object, at, depth)?,
        Value::Null | Value::Bool(_) => {}
    }
    if BEYOND.iter().any(|key| map.contains_key(*key)) { misfit(Doubt::Unchecked) } else { Ok(()) }
}

fn has_type(wanted: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    };
    match wanted {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

fn branches(
    root: &Value,
    map: &Map<String, Value>,
    value: &Value,
    at: &str,
    depth: usize,
) -> Result<(), Misfit> {
    let parts = |key: &str| map.get(key).and_then(Value::as_array).map(Vec::as_slice);
    for part in parts("allOf").unwrap_or_default() {
        check(root, part, value, at, depth + 1)?;
    }
    let fitting = |parts: &[Value]| {
        parts.iter().filter(|part| check(root, part, value, at, depth + 1).is_ok()).count()
    };
    let any = parts("anyOf").is_none_or(|parts| fitting(parts) > 0);
    let one = parts("oneOf").is_none_or(|parts| fitting(parts) == 1);
    let wrong = map.get("not").map(|not| check(root, not, value, at, depth + 1));
    let not = match wrong {
        None => true,
        Some(Err(Misfit { doubt: Doubt::Wrong, .. })) => true,
        Some(Ok(()) | Err(Misfit { doubt: Doubt::Unchecked, .. })) => false,
    };
    match any && one && not {
        true => Ok(()),
        false => Err(Misfit { at: at.to_owned(), doubt: Doubt::Wrong }),
    }
}

fn number_fits(map: &Map<String, Value>, number: f64) -> bool {
    let bound = |key: &str| map.get(key).and_then(Value::as_f64);
    let step = |step: f64| step > 0.0 && (number / step).fract() == 0.0;
    number.is_finite()
        && bound("minimum").is_none_or(|min| number >= min)
        && bound("maximum").is_none_or(|max| number <= max)
        && bound("exclusiveMinimum").is_none_or(|min| number > min)
        && bound("exclusiveMaximum").is_none_or(|max| number < max)
        && bound("multipleOf").is_none_or(step)
}

fn text_fits(map: &Map<String, Value>, text: &str) -> Result<(), Doubt> {
    let length = text.chars().count() as u64;
    let bound = |key: &str| map.get(key).and_then(Value::as_u64);
    if bound("minLength").is_some_and(|min| length < min)
        || bound("maxLength").is_some_and(|max| length > max)
    {
        return Err(Doubt::Wrong);
    }
    if let Some(pattern) = map.get("pattern").and_then(Value::as_str) {
        match matches(pattern, text) {
            Some(true) => {}
            Some(false) => return Err(Doubt::Wrong),
            None => return Err(Doubt::Unchecked),
        }
    }
    match map.get("format").and_then(Value::as_str).map(|format| has_format(format, text)) {
        None | Some(Some(true)) => Ok(()),
        Some(Some(false)) => Err(Doubt::Wrong),
        Some(None) => Err(Doubt::Unchecked),
    }
}

/// Whether a pattern is found in a text; none if the pattern is beyond this check.
fn matches(pattern: &str, text: &str) -> Option<bool> {
    // `\d` and `\w` mean ASCII in the patterns of JSON Schema.
    let pattern = pattern.replace(r"\d", "[0-9]").replace(r"\w", "[A-Za-z0-9_]");
    let built = RegexBuilder::new(&pattern).size_limit(PATTERN_BYTES_MAX).build().ok()?;
    Some(built.is_match(text))
}

/// Whether a text has a format; none for formats that are not known here.
fn has_format(format: &str, text: &str) -> Option<bool> {
    Some(match format {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => {
            text.split_once(['T', 't']).is_some_and(|(date, time)| is_date(date) && is_time(time))
        }
        "duration" => is_duration(text),
        "email" => is_email(text),
        "uri" => is_uri(text),
        "uuid" => is_uuid(text),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "hostname" => is_hostname(text),
        _ => return None,
    })
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<Date>().is_ok()
}

/// `17:00:00+02:00`; a leap second is left to others.
fn is_time(text: &str) -> bool {
    let two = |at: usize, max: u8| {
        let digits = text.get(at..at + 2).filter(|two| two.bytes().all(|b| b.is_ascii_digit()));
        digits.and_then(|two| two.parse::<u8>().ok()).is_some_and(|number| number <= max)
    };
    let mark = |at: usize, c: u8| text.as_bytes().get(at) == Some(&c);
    let clock = two(0, 23) && mark(2, b':') && two(3, 59) && mark(5, b':') && two(6, 59);
    let mut rest = text.get(8..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix('.') {
        let digits =
            fraction.len() - fraction.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            return false;
        }
        rest = fraction.get(digits..).unwrap_or_default();
    }
    let offset_at = text.len() - rest.len();
    let offset = rest.len() == 6
        && (mark(offset_at, b'+') || mark(offset_at, b'-'))
        && two(offset_at + 1, 23)
        && mark(offset_at + 3, b':')
        && two(offset_at + 4, 59);
    clock && (matches!(rest, "Z" | "z") || offset)
}

/// The durations this crate writes, and the other plain ones of ISO 8601.
fn is_duration(text: &str) -> bool {
    matches(r"^P(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)$", text)
        == Some(true)
        && !text.ends_with(['P', 'T'])
}

/// Stricter than the format: what everybody takes for an address.
pub(crate) fn is_email(text: &str) -> bool {
    let local = |part: &str| {
        let atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-.".contains(c);
        (1..=64).contains(&part.len())
            && part.chars().all(atom)
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.contains("..")
    };
    text.split_once('@')
        .is_some_and(|(name, host)| local(name) && host.contains('.') && is_hostname(host))
}

fn is_hostname(text: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let named = text
        .rsplit('.')
        .next()
        .is_some_and(|last| last.starts_with(|c: char| c.is_ascii_alphabetic()));
    (1..=253).contains(&text.len()) && named && text.split('.').all(label) && !text.contains("--")
}

pub(crate) fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = host.split_once(':').unwrap_or((host, "80"));
    let tail = rest.get(host.len()..).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/?=&+,;@!$'()*:#".contains(c);
    matches!(scheme, "http" | "https" | "ftp" | "ws" | "wss" | "file")
        && is_hostname(host)
        && port.parse::<u16>().is_ok()
        && tail.matches('#').count() <= 1
        && tail.chars().all(plain)
}

pub(crate) fn is_uuid(text: &str) -> bool {
    let lengths: Vec<usize> = text.split('-').map(str::len).collect();
    lengths == [8, 4, 4, 4, 12] && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

fn list_fits(
    root: &Value,
    map: &Map<String, Value>,
    items: &[Value],
    at: &str,
    depth: usize,
) -> Result<(), Misfit> {
    let bound = |key: &str| map.get(key).and_then(Value::as_u64);
    let length = items.len() as u64;
    let unique = || {
        let texts: HashSet<String> = items.iter().map(Value::to_string).collect();
        texts.len() == items.len()
    };
    let good = bound("minItems").is_none_or(|min| length >= min)
        && bound("maxItems").is_none_or(|max| length <= max)
        && (map.get("uniqueItems") != Some(&Value::Bool(true)) || unique());
    if !good {
        return Err(Misfit { at: at.to_owned(), doubt: Doubt::Wrong });
    }
    match map.get("items") {
        Some(schema) => items.iter().try_for_each(|item| check(root, schema, item, at, depth + 1)),
        None => Ok(()),
    }
}

fn object_fits(
    root: &Value,
    map: &Map<String, Value>,
    object: &Map<String, Value>,
    at: &str,
    depth: usize,
) -> Result<(), Misfit> {
    let below = |name: &str| if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
    let properties = map.get("properties").and_then(Value::as_object);
    // A default fills what is required and missing, as the contract says.
    let filled = |name: &str| properties.and_then(|all| all.get(name)?.get("default")).is_some();
    for name in texts(map.get("required")) {
        if !object.contains_key(name) && !filled(name) {
            return Err(Misfit { at: below(name), doubt: Doubt::Wrong });
        }
    }
    for (name, value) in object {
        let patterns = map.get("patternProperties").and_then(Value::as_object);
        let mut named = false;
        if let Some(property) = properties.and_then(|properties| properties.get(name)) {
            check(root, property, value, &below(name), depth + 1)?;
            named = true;
        }
        for (pattern, property) in patterns.into_iter().flatten() {
            if matches(pattern, name) != Some(false) {
                check(root, property, value, &below(name), depth + 1)?;
                named = true;
            }
        }
        match map.get("additionalProperties") {
            Some(other) if !named => check(root, other, value, &below(name), depth + 1)?,
            Some(_) | None => {}
        }
    }
    let bound = |key: &str| map.get(key).and_then(Value::as_u64);
    let size = object.len() as u64;
    let depends = map.get("dependentRequired").and_then(Value::as_object);
    let depends = depends.into_iter().flatten().filter(|(name, _)| object.contains_key(*name));
    for (_, wanted) in depends {
        if let Some(missing) = texts(Some(wanted)).find(|wanted| !object.contains_key(*wanted)) {
            return Err(Misfit { at: below(missing), doubt: Doubt::Wrong });
        }
    }
    let sized = bound("minProperties").is_none_or(|min| size >= min)
        && bound("maxProperties").is_none_or(|max| size <= max)
        && !map.contains_key("propertyNames");
    if sized { Ok(()) } else { Err(Misfit { at: at.to_owned(), doubt: Doubt::Unchecked }) }
}

fn texts(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}
