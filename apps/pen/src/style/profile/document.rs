//! JSON that is changed in place: untouched parts keep their bytes.
//!
//! The text is always valid JSON, so that places in it are found by a plain scan.

use std::ops::Range;

use serde_json::Value;

/// A JSON text and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    text: String,
    value: Value,
}

const INDENT: &str = "  ";

impl Document {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(bare).map_err(|fault| fault.to_string())?;
        Ok(Self { text: bare.to_owned(), value })
    }

    pub(crate) fn of(value: &Value) -> Self {
        Self { text: format!("{}\n", spelled(value, 0)), value: value.clone() }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Sets the value at a path; creates missing objects on the way.
    pub(crate) fn set(&mut self, path: &[&str], value: &Value) {
        let Some((last, parents)) = path.split_last() else { return };
        if let Some(span) = find(&self.text, path) {
            let depth = depth_at(&self.text, span.start);
            self.replace(span, &spelled(value, depth));
        } else if find(&self.text, parents).is_some_and(|span| self.text[span].starts_with('{')) {
            self.insert(parents, last, value);
        } else {
            let inner = Value::Object([((*last).to_owned(), value.clone())].into_iter().collect());
            self.set(parents, &inner);
        }
    }

    /// Appends a value to a list; creates a missing list.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) {
        match find(&self.text, path) {
            Some(span) if self.text[span.clone()].starts_with('[') => {
                let is_empty = self.text[span.start + 1..span.end - 1].trim().is_empty();
                self.append(span, is_empty, "", value);
            }
            Some(_) | None => self.set(path, &Value::Array(vec![value.clone()])),
        }
    }

    fn insert(&mut self, parents: &[&str], key: &str, value: &Value) {
        let Some(span) = find(&self.text, parents) else { return };
        let is_empty = self.text[span.start + 1..span.end - 1].trim().is_empty();
        self.append(span, is_empty, &format!("{}: ", quoted(key)), value);
    }

    /// Writes one more entry before the bracket that ends `span`.
    fn append(&mut self, span: Range<usize>, is_empty: bool, key: &str, value: &Value) {
        let depth = depth_at(&self.text, span.start) + 1;
        let entry = format!("\n{}{key}{}", INDENT.repeat(depth), spelled(value, depth));
        let inside = &self.text[span.start + 1..span.end - 1];
        let end = span.start + 1 + inside.trim_end().len();
        let comma = if is_empty { "" } else { "," };
        let close = format!("{comma}{entry}\n{}", INDENT.repeat(depth - 1));
        self.replace(end..span.end - 1, &close);
    }

    fn replace(&mut self, span: Range<usize>, with: &str) {
        self.text.replace_range(span, with);
        // The text was JSON, and a JSON value replaced another.
        if let Ok(value) = serde_json::from_str(&self.text) {
            self.value = value;
        }
    }
}

/// The indentation of the line on which a value begins.
fn depth_at(text: &str, at: usize) -> usize {
    let line = text[..at].rsplit('\n').next().unwrap_or_default();
    let spaces = line.len() - line.trim_start_matches(' ').len();
    spaces / INDENT.len()
}

/// A value with two spaces per level, as profiles are written, without escaped letters.
fn spelled(value: &Value, depth: usize) -> String {
    let pretty = serde_json::to_string_pretty(value).unwrap_or_default();
    pretty.replace('\n', &format!("\n{}", INDENT.repeat(depth)))
}

fn quoted(key: &str) -> String {
    Value::String(key.to_owned()).to_string()
}

/// The span of the value at a path.
fn find(text: &str, path: &[&str]) -> Option<Range<usize>> {
    let mut at = skip_space(text, 0);
    for wanted in path {
        at = entry(text, at, wanted)?;
    }
    Some(at..skip_value(text, at))
}

/// Where the value of a key begins in the object at `at`.
fn entry(text: &str, at: usize, wanted: &str) -> Option<usize> {
    if !text[at..].starts_with('{') {
        return None;
    }
    let mut at = skip_space(text, at + 1);
    while !text[at..].starts_with('}') {
        let key_end = skip_value(text, at);
        let key: String = serde_json::from_str(&text[at..key_end]).ok()?;
        let colon = skip_space(text, key_end);
        let value = skip_space(text, colon + 1);
        if key == wanted {
            return Some(value);
        }
        at = skip_space(text, skip_value(text, value));
        if text[at..].starts_with(',') {
            at = skip_space(text, at + 1);
        }
    }
    None
}

fn skip_space(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + (rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len())
}

/// The end of the value that begins at `at`.
fn skip_value(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (index, byte) in bytes.iter().enumerate().skip(at) {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b'"') => {
                in_string = false;
                if depth == 0 {
                    return index + 1;
                }
            }
            (true, _) => {}
            (false, b'"') => in_string = true,
            (false, b'{' | b'[') => depth += 1,
            (false, b'}' | b']') if depth == 0 => return index,
            (false, b'}' | b']') => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            (false, b',' | b' ' | b'\t' | b'\r' | b'\n' | b':') if depth == 0 => return index,
            (false, _) => {}
        }
    }
    bytes.len()
}
