//! A card: one word or phrase, its meaning, and the sentences it occurs in.

pub(crate) mod read;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::language::Language;

/// Is it one word, or several that belong together?
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    #[default]
    Word,
    Phrase,
}

impl Unit {
    pub fn as_str(self) -> &'static str {
        match self {
            Unit::Word => "word",
            Unit::Phrase => "phrase",
        }
    }
}

impl FromStr for Unit {
    type Err = String;
    /// Case-insensitive: structured output does not guarantee the case.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "word" => Ok(Unit::Word),
            "phrase" => Ok(Unit::Phrase),
            _ => Err(format!("`{text}` is neither `word` nor `phrase`")),
        }
    }
}

/// The identity of a card: the language, the unit and the base form, case-insensitively.
/// Printed as `lv:word:māja`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CardKey {
    pub language: Language,
    pub unit: Unit,
    base: String,
}

impl CardKey {
    pub fn new(language: &Language, unit: Unit, base_form: &str) -> Self {
        let base = crate::text::manifest::normalise(base_form).to_lowercase();
        Self { language: language.clone(), unit, base }
    }

    pub fn base(&self) -> &str {
        &self.base
    }
}

impl fmt::Display for CardKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.language, self.unit.as_str(), self.base)
    }
}

impl FromStr for CardKey {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(3, ':');
        let (Some(language), Some(unit), Some(base)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err(format!("`{text}` is not a card key; one looks like `lv:word:māja`"));
        };
        let language: Language = language.parse().map_err(|bad| format!("{bad}"))?;
        Ok(Self::new(&language, unit.parse()?, base))
    }
}

impl TryFrom<String> for CardKey {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<CardKey> for String {
    fn from(key: CardKey) -> String {
        key.to_string()
    }
}

/// One card, as it is stored, shown and exported.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Card {
    pub language: Language,
    pub target: Language,
    pub unit: Unit,
    pub base_form: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_translation: Option<String>,
    #[serde(default)]
    pub forms: Vec<Form>,
    #[serde(default)]
    pub contexts: Vec<Context>,
    #[serde(default = "yes")]
    pub visible: bool,
}

pub(crate) fn yes() -> bool {
    true
}

impl Card {
    pub fn key(&self) -> CardKey {
        CardKey::new(&self.language, self.unit, &self.base_form)
    }

    /// The meaning to show: the translation, or those of the forms.
    pub fn meaning(&self) -> String {
        let forms = || {
            let said: Vec<_> = self.forms.iter().map(|form| form.translation.as_str()).collect();
            said.join(", ")
        };
        self.base_translation.clone().filter(|text| !text.is_empty()).unwrap_or_else(forms)
    }
}

/// A form of the word in a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Form {
    pub form: String,
    #[serde(default)]
    pub translation: String,
    /// Its grammatical form: `accusative plural`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A sentence that the word occurs in.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Context {
    /// Links the card to its sentence; absent for sentences without a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sid: Option<String>,
    /// The sentence's number in its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sig: Option<String>,
    pub text: String,
    pub translation: String,
    #[serde(default)]
    pub forms: Vec<Form>,
}

#[cfg(test)]
mod tests;
