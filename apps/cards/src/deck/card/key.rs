//! What makes two cards the same, and how people and older records write it.
//!
//! Must hold: a key names both languages, so that cards of `lv → uk` and `lv → ru` are
//! different cards; a [`CardRef`] may leave the second one out, and becomes a key only
//! together with a language pair.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Unit;
use crate::text::language::{Language, Pair};
use crate::text::manifest::normalise;

/// The identity of a card: the language pair, the unit and the base form, case-insensitively.
/// Printed as `lv:uk:word:māja`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CardKey {
    pub language: Language,
    pub target: Language,
    pub unit: Unit,
    base: String,
}

impl CardKey {
    pub fn new(pair: &Pair, unit: Unit, base_form: &str) -> Self {
        let base = even(base_form);
        Self { language: pair.from.clone(), target: pair.to.clone(), unit, base }
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    pub fn pair(&self) -> Pair {
        Pair { from: self.language.clone(), to: self.target.clone() }
    }

    /// How versions before the target language was part of a key wrote it.
    pub(crate) fn without_target(&self) -> CardRef {
        let Self { language, unit, base, .. } = self.clone();
        CardRef { language, target: None, unit, base }
    }
}

impl fmt::Display for CardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { language, target, unit, base } = self;
        write!(f, "{language}:{target}:{}:{base}", unit.as_str())
    }
}

impl FromStr for CardKey {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let CardRef { language, target, unit, base } = text.parse()?;
        match target {
            Some(target) => Ok(Self { language, target, unit, base }),
            None => Err(format!(
                "`{text}` does not name the language of the meanings; a key looks like \
                 `lv:uk:word:māja`"
            )),
        }
    }
}

contract::serde_as_text!(CardKey);

/// A card as people write it: `lv:uk:word:māja`, or `lv:word:māja` where the language pair is
/// known. Records of earlier versions have the short form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CardRef {
    pub language: Language,
    pub target: Option<Language>,
    pub unit: Unit,
    base: String,
}

impl CardRef {
    /// The key; a target that is left out is that of the pair.
    pub fn resolve(&self, pair: &Pair) -> CardKey {
        let Self { language, target, unit, base } = self.clone();
        CardKey { language, target: target.unwrap_or_else(|| pair.to.clone()), unit, base }
    }

    /// The key, if it names the target language.
    pub(crate) fn whole(&self) -> Option<CardKey> {
        let Self { language, target, unit, base } = self.clone();
        Some(CardKey { language, target: target?, unit, base })
    }
}

impl fmt::Display for CardRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.language)?;
        if let Some(target) = &self.target {
            write!(f, "{target}:")?;
        }
        write!(f, "{}:{}", self.unit.as_str(), self.base)
    }
}

impl FromStr for CardRef {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not a card key; one looks like `lv:word:māja`");
        let (language, rest) = text.split_once(':').ok_or_else(bad)?;
        let (second, after) = rest.split_once(':').ok_or_else(bad)?;
        // Units have four letters and more, language codes two or three.
        let (target, unit, base) = match second.parse::<Unit>() {
            Ok(unit) => (None, unit, after),
            Err(_) => {
                let (unit, base) = after.split_once(':').ok_or_else(bad)?;
                let target = second.parse::<Language>().map_err(|_| bad())?;
                (Some(target), unit.parse()?, base)
            }
        };
        let language = language.parse().map_err(|_| bad())?;
        Ok(Self { language, target, unit, base: even(base) })
    }
}

contract::serde_as_text!(CardRef);

impl From<CardKey> for CardRef {
    fn from(key: CardKey) -> Self {
        let CardKey { language, target, unit, base } = key;
        Self { language, target: Some(target), unit, base }
    }
}

fn even(base_form: &str) -> String {
    normalise(base_form).to_lowercase()
}
