//! Fills the placeholders `{{user}}`, `{{char}}`, `[[user]]` and `[[char]]` in one pass.

use std::collections::BTreeMap;

use serde_json::Value;

/// The values of the placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceholderNames {
    pub user: String,
    pub char: String,
}

impl PlaceholderNames {
    /// Whether the text may contain a placeholder.
    pub fn may_be_in(text: &str) -> bool {
        text.contains("{{") || text.contains("[[")
    }

    /// The text with every known placeholder replaced. Unknown ones stay, and placeholders in a
    /// name are not replaced.
    pub fn fill(&self, text: &str) -> String {
        let known = BTreeMap::from([
            ("{{user}}", &self.user),
            ("{{char}}", &self.char),
            ("[[user]]", &self.user),
            ("[[char]]", &self.char),
        ]);
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '[']) {
            let (before, after) = rest.split_at(at);
            filled.push_str(before);
            match known.iter().find(|(mark, _)| after.starts_with(**mark)) {
                Some((mark, name)) => {
                    filled.push_str(name);
                    rest = after.get(mark.len()..).unwrap_or_default();
                }
                None => {
                    filled.push_str(after.get(..1).unwrap_or_default());
                    rest = after.get(1..).unwrap_or_default();
                }
            }
        }
        filled.push_str(rest);
        filled
    }

    /// The same for every text in a value.
    pub fn fill_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(&text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.fill_value(item)).collect())
            }
            Value::Object(fields) => Value::Object(
                fields.into_iter().map(|(name, value)| (name, self.fill_value(value))).collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PlaceholderNames;

    /// GD-16: all four forms; unknown ones stay, and nothing is replaced twice.
    #[test]
    fn gd_16_placeholders_are_filled_once() {
        let names = PlaceholderNames { user: "{{char}}".into(), char: "Ada".into() };
        let check = |text: &str, expected: &str| assert_eq!(names.fill(text), expected, "{text}");
        check("Hello {{user}}, I am {{char}}.", "Hello {{char}}, I am Ada.");
        check("[[user]] and [[char]]", "{{char}} and Ada");
        check("{{other}} [[x]] {user} {{user} {", "{{other}} [[x]] {user} {{user} {");
        check("{{{char}}}", "{Ada}");
        check("їжак {{char}} 🦔", "їжак Ada 🦔");
    }
}
