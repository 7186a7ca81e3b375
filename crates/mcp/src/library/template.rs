//! Text with placeholders: `{name}` is replaced, `\{name}` yields `{name}`, and any other brace
//! is literal.

use std::collections::BTreeMap;

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template {
    text: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Slot(String),
}

/// The values of placeholders.
pub(crate) type Values = BTreeMap<String, String>;

impl Template {
    pub(crate) fn parse(text: &str) -> Self {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find('{') {
            let (before, from) = rest.split_at(at);
            match slot_at(from) {
                None => {
                    plain.push_str(before);
                    plain.push('{');
                    rest = from.strip_prefix('{').unwrap_or_default();
                }
                Some((name, after)) => {
                    match before.strip_suffix('\\') {
                        Some(before) => plain.push_str(&format!("{before}{{{name}}}")),
                        None => {
                            plain.push_str(before);
                            push_text(&mut parts, &mut plain);
                            parts.push(Part::Slot(name.to_owned()));
                        }
                    }
                    rest = after;
                }
            }
        }
        plain.push_str(rest);
        push_text(&mut parts, &mut plain);
        Self { text: text.to_owned(), parts }
    }

    /// As written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn slots(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Slot(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    pub(crate) fn has_slots(&self) -> bool {
        self.slots().next().is_some()
    }

    /// Whether two placeholders are adjacent, which makes matching ambiguous.
    pub(crate) fn touches(&self) -> bool {
        self.parts.windows(2).any(|pair| matches!(pair, [Part::Slot(_), Part::Slot(_)]))
    }

    /// The text before the first placeholder.
    pub(crate) fn beginning(&self) -> &str {
        match self.parts.first() {
            Some(Part::Text(text)) => text,
            Some(Part::Slot(_)) | None => "",
        }
    }

    /// Fills in the values; a placeholder without a value is empty.
    pub(crate) fn fill(&self, values: &Values) -> String {
        let fill = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Slot(name) => values.get(name).cloned().unwrap_or_default(),
        };
        self.parts.iter().map(fill).collect()
    }

    /// Matches a text and extracts the values. A value extends to the next literal text, has at
    /// least one character and no `/`.
    pub(crate) fn values(&self, text: &str) -> Option<Values> {
        let (mut values, mut rest, mut open) = (Values::new(), text, None);
        let last = self.parts.len().saturating_sub(1);
        for (index, part) in self.parts.iter().enumerate() {
            match part {
                Part::Slot(name) => open = Some(name),
                Part::Text(next) => {
                    let (value, behind) = match index == last {
                        true => (rest.strip_suffix(next.as_str())?, ""),
                        false => rest.split_once(next.as_str())?,
                    };
                    match open.take() {
                        Some(name) => drop(values.insert(name.clone(), value.to_owned())),
                        None if value.is_empty() => {}
                        None => return None,
                    }
                    rest = behind;
                }
            }
        }
        match open {
            Some(name) => drop(values.insert(name.clone(), rest.to_owned())),
            None if rest.is_empty() => {}
            None => return None,
        }
        let good = |value: &String| !value.is_empty() && !value.contains('/');
        values.values().all(good).then_some(values)
    }
}

fn push_text(parts: &mut Vec<Part>, plain: &mut String) {
    if !plain.is_empty() {
        parts.push(Part::Text(std::mem::take(plain)));
    }
}

/// The placeholder at the start of a text, and the rest.
fn slot_at(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('{')?.split_once('}')?;
    is_name(name).then_some((name, after))
}

/// Whether this is a valid placeholder name.
pub(super) fn is_name(name: &str) -> bool {
    const CHARS_MAX: usize = 64;
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= CHARS_MAX
}

#[cfg(test)]
mod tests;
