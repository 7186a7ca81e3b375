//! Text for people: cut to a length, with invisible characters escaped.

use serde_json::Value;

/// Cuts at a character boundary and marks the cut.
pub(crate) fn clip(text: &str, characters_max: usize) -> String {
    match text.char_indices().nth(characters_max) {
        Some((end, _)) => {
            let all = text.chars().count();
            format!("{} [cut: {characters_max} of {all} characters shown]", &text[..end])
        }
        None => text.to_owned(),
    }
}

/// The text on one line, with invisible characters escaped. Otherwise a direction mark or a
/// line break could make one request look like another.
pub(crate) fn visible(text: &str, characters_max: usize) -> String {
    let mut out = String::new();
    for c in clip(text, characters_max).chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if hides(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Control characters, direction marks and zero-width characters.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// A JSON value on one visible line.
pub(crate) fn visible_json(value: &Value, characters_max: usize) -> String {
    match value {
        Value::String(text) => visible(text, characters_max),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            visible(&value.to_string(), characters_max)
        }
    }
}

/// Words in backticks, separated by commas.
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// `1 call`, `2 calls`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
