//! Keys from the project's `.env` file, for what the environment does not have.
//!
//! In: lines `NAME=value`. Out: values by name, as secrets. Must hold: the file gives keys only; a
//! setting (`GHOSTHAND_…`) or a folder of the user (`HOME`) is never read from it. Tools cannot
//! reach it: files whose names begin with a dot are closed to them.

use std::collections::BTreeMap;
use std::path::Path;

use contract::Secret;

/// The file, in the project folder.
pub(super) const DOT_ENV: &str = ".env";
const BYTES_MAX: u64 = 64 << 10;

/// The values of the file; empty if there is none.
#[derive(Debug, Clone, Default)]
pub(crate) struct DotEnv(BTreeMap<String, Secret>);

impl DotEnv {
    /// Reads the file. What cannot be read is left out, with a warning that names the line.
    pub(super) fn read(path: &Path) -> Self {
        let text = match files::read_text(path, BYTES_MAX) {
            Ok(text) => text,
            Err(fault) => {
                if path.exists() {
                    tracing::warn!(%fault, "`.env` is not read");
                }
                return Self::default();
            }
        };
        let mut values = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            match parse(line) {
                Line::Nothing => {}
                Line::Value(name, _) if name.starts_with("GHOSTHAND_") => {
                    let line = index + 1;
                    tracing::warn!(line, "`.env` gives keys only; set `{name}` in ghosthand.toml");
                }
                Line::Value(name, value) => drop(values.insert(name, Secret::new(value))),
                Line::Unclear => {
                    tracing::warn!(line = index + 1, "`.env` has a line that is not NAME=value");
                }
            }
        }
        Self(values)
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|value| value.expose().to_owned())
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Nothing,
    Value(String, String),
    Unclear,
}

fn parse(line: &str) -> Line {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Line::Nothing;
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let Some((name, value)) = line.split_once('=') else { return Line::Unclear };
    let name = name.trim();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match unquoted(value.trim()) {
        Some(value) if is_name && !value.is_empty() => Line::Value(name.to_owned(), value),
        Some(value) if is_name && value.is_empty() => Line::Nothing,
        Some(_) | None => Line::Unclear,
    }
}

/// The value without its quotes; a comment may follow it. None if a quote is not closed.
fn unquoted(value: &str) -> Option<String> {
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let end = value.find(" #").unwrap_or(value.len());
        return Some(value[..end].trim_end().to_owned());
    };
    let mut text = String::new();
    let mut letters = value[1..].chars();
    while let Some(c) = letters.next() {
        match c {
            c if c == quote => {
                let rest = letters.as_str().trim();
                return (rest.is_empty() || rest.starts_with('#')).then_some(text);
            }
            '\\' if quote == '"' => match letters.next()? {
                'n' => text.push('\n'),
                escaped => text.push(escaped),
            },
            c => text.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Line, parse};

    #[test]
    fn lines_are_read_as_people_write_them() {
        let value = |name: &str, value: &str| Line::Value(name.to_owned(), value.to_owned());
        let check = |line: &str, expected: Line| assert_eq!(parse(line), expected, "{line}");
        check("NOTION_TOKEN=secret_1", value("NOTION_TOKEN", "secret_1"));
        check("  export A_KEY = \"a b\"  # mine", value("A_KEY", "a b"));
        check("A='it\\n'", value("A", "it\\n"));
        check("A=\"one\\ntwo \\\"x\\\"\"", value("A", "one\ntwo \"x\""));
        check("A=b#c", value("A", "b#c"));
        check("A=b # c", value("A", "b"));
        check("A=x=y", value("A", "x=y"));
        for nothing in ["", "# A=b", "A=", "A=\"\""] {
            check(nothing, Line::Nothing);
        }
        for unclear in ["A", "1A=b", "A B=c", "A=\"open", "A='x' y"] {
            check(unclear, Line::Unclear);
        }
    }
}
