//! Rules for the full stops of one language, read from `data/languages`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::text::language::Language;

type Words = BTreeSet<String>;

/// The lists of one language; `lv.toml` explains each.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    pub never: Words,
    pub may_end: Words,
    pub ambiguous: Words,
    pub starters: Words,
    pub with_number: Words,
    pub after_number: Words,
    pub months: Words,
    pub names: Words,
    pub ordinal_nouns: Words,
    pub before_ordinal: Words,
    pub not_initials: Words,
    pub initials: Words,
    #[serde(default)]
    pub says: Words,
}

const FILES: [(&str, &str); 8] = [
    ("lv", include_str!("../../../data/languages/lv.toml")),
    ("en", include_str!("../../../data/languages/en.toml")),
    ("uk", include_str!("../../../data/languages/uk.toml")),
    ("ru", include_str!("../../../data/languages/ru.toml")),
    ("de", include_str!("../../../data/languages/de.toml")),
    ("es", include_str!("../../../data/languages/es.toml")),
    ("ar", include_str!("../../../data/languages/ar.toml")),
    ("ja", include_str!("../../../data/languages/ja.toml")),
];

static KNOWN: LazyLock<Vec<(&str, Rules)>> = LazyLock::new(|| {
    // A file that cannot be read is found by the test below, not by a user.
    let read = |(code, text): (&'static str, &str)| Some((code, toml::from_str(text).ok()?));
    FILES.into_iter().filter_map(read).collect()
});

/// For languages without lists.
static NONE: LazyLock<Rules> = LazyLock::new(Rules::default);

impl Rules {
    /// The lists of a language; empty ones where there is no file.
    pub(crate) fn of(language: &Language) -> (&'static Rules, bool) {
        let base = language.as_str().split('-').next().unwrap_or_default();
        match KNOWN.iter().find(|(code, _)| *code == base) {
            Some((_, rules)) => (rules, true),
            None => (&NONE, false),
        }
    }
}

/// Does the word begin with one of these?
pub(crate) fn begins(words: &Words, word: &str) -> bool {
    words.iter().any(|beginning| word.starts_with(beginning.as_str()))
}

#[cfg(test)]
mod tests;
