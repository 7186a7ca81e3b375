//! Every text that a writer sees, in both languages, from `data/strings.toml`.
//!
//! A key is `section.name`; `{name}` in a text is a place for a value. Must hold: both languages
//! have every key with the same places, and every key is used; `strings/tests.rs` checks it.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::language::Lang;

/// One text in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub uk: String,
    pub en: String,
}

type Sections = HashMap<String, HashMap<String, Text>>;

/// The file is compiled in; a test reads it.
pub(crate) static TABLE: LazyLock<HashMap<String, Text>> = LazyLock::new(|| {
    let sections: Sections =
        toml::from_str(include_str!("../data/strings.toml")).unwrap_or_default();
    let keyed = sections.into_iter().flat_map(|(section, texts)| {
        texts.into_iter().map(move |(name, text)| (format!("{section}.{name}"), text))
    });
    keyed.collect()
});

impl Lang {
    /// The text of a key.
    pub fn say(self, key: &str) -> &'static str {
        match (TABLE.get(key), self) {
            (Some(text), Lang::Uk) => &text.uk,
            (Some(text), Lang::En) => &text.en,
            (None, _) => "",
        }
    }

    /// The text of a key with values in its places.
    pub fn fill(self, key: &str, values: &[(&str, &dyn Display)]) -> String {
        let mut rest = self.say(key);
        let mut text = String::with_capacity(rest.len() + 32);
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                rest = after;
                break;
            };
            match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => text.push_str(&value.to_string()),
                None => text.push_str(name),
            }
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

#[cfg(test)]
mod tests;
