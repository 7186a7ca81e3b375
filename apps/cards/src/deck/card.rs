//! A card: one word or phrase, its meaning, and the sentences it occurs in.

mod key;
pub(crate) mod read;

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::key::{CardKey, CardRef};
use crate::text::language::{Language, Pair};

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
        CardKey::new(&self.pair(), self.unit, &self.base_form)
    }

    pub fn pair(&self) -> Pair {
        Pair { from: self.language.clone(), to: self.target.clone() }
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
    /// The name of its text, where it is another one than that of the card's run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    #[serde(default)]
    pub forms: Vec<Form>,
}

#[cfg(test)]
mod tests;
