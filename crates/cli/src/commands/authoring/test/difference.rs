//! The differences between an expected and an actual value, one line per place.

use contract::Pointer;
use serde_json::Value;

/// Which keys of an object are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// Only the expected ones.
    Given,
    /// All: an extra key is a difference too.
    All,
}

/// One line per difference; empty if there is none.
pub(super) fn differences(expected: &Value, found: &Value, keys: Keys) -> Vec<String> {
    let mut lines = Vec::new();
    compare(&Pointer::default(), expected, found, keys, &mut lines);
    lines
}

fn compare(at: &Pointer, expected: &Value, found: &Value, keys: Keys, lines: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(wanted), Value::Object(had)) => {
            for (key, expected) in wanted {
                match had.get(key) {
                    Some(found) => compare(&at.join(key), expected, found, keys, lines),
                    None => lines.push(format!("{} is missing", place(&at.join(key)))),
                }
            }
            let more = had.iter().filter(|(key, _)| !wanted.contains_key(*key));
            for (key, found) in more.filter(|_| keys == Keys::All) {
                let (at, found) = (at.join(key), clip(&found.to_string()));
                lines.push(format!("{} was not expected: {found}", place(&at)));
            }
        }
        (Value::Array(wanted), Value::Array(had)) if wanted.len() == had.len() => {
            for (index, (expected, found)) in wanted.iter().zip(had).enumerate() {
                compare(&at.join(index), expected, found, keys, lines);
            }
        }
        (Value::String(wanted), Value::String(had)) if wanted != had => {
            lines.extend(texts(&place(at), wanted, had));
        }
        (expected, found) if !is_same(expected, found) => {
            lines.push(format!("{} is {}", place(at), clip(&found.to_string())));
            lines.push(format!("  expected {}", clip(&expected.to_string())));
        }
        _ => {}
    }
}

/// Two texts that differ, shown from shortly before the first difference.
pub(super) fn texts(place: &str, expected: &str, found: &str) -> [String; 2] {
    const BEFORE: usize = 20;
    let same = expected.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
    let from = if same > 2 * BEFORE { same - BEFORE } else { 0 };
    let shown = |text: &str| {
        let part: String = text.chars().skip(from).collect();
        let cut = if from > 0 { "…" } else { "" };
        format!("{cut}{}", clip(&Value::String(part).to_string()))
    };
    [format!("{place} is {}", shown(found)), format!("  expected {}", shown(expected))]
}

/// JSON has one number type, so 1 equals 1.0.
fn is_same(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (expected, found) => expected == found,
    }
}

fn place(at: &Pointer) -> String {
    match at.to_string() {
        root if root.is_empty() => "it".to_owned(),
        pointer => format!("`{pointer}`"),
    }
}

fn clip(text: &str) -> String {
    const CHARS_MAX: usize = 120;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
