//! A style profile: how an author writes, as a file that people and programs change.
//!
//! In: the text of `NAME.json`. Out: [`Profile`]: the text and its parsed fields. Must hold:
//! what is not changed keeps its bytes: key order, spaces, unknown fields.

mod change;
mod check;
mod document;
mod fault;
mod name;
mod replace;

use serde::Serialize;
use serde_json::{Map, Value};

pub use change::{Changed, RefusedChange};
pub use check::check;
pub use document::Document;
pub use fault::{FieldFault, Problem};
pub use name::{BadProfileName, ProfileName};

use crate::posts::length::Platform;
use crate::text::language::Lang;

/// The default profile.
pub const DEFAULT: &str = "default";

/// Whose voice it is. Only a personal profile learns from feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Personal,
    Reference,
}

/// Why a text is not a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileFault {
    #[error("invalid JSON: {0}")]
    Json(String),
    #[error("{}", listed(.0, Lang::En))]
    Fields(Vec<FieldFault>),
}

impl ProfileFault {
    /// The fault in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        match self {
            ProfileFault::Json(why) => lang.fill("fault.json", &[("why", why)]),
            ProfileFault::Fields(fields) => listed(fields, lang),
        }
    }
}

fn listed(fields: &[FieldFault], lang: Lang) -> String {
    fields.iter().map(|field| field.text(lang)).collect::<Vec<_>>().join("; ")
}

/// A checked profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    document: Document,
}

/// The rules of a profile for one platform.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlatformRules {
    pub max_length: Option<usize>,
    pub structure: String,
    pub tone_override: Option<String>,
    pub formatting: String,
    pub hashtags: Option<String>,
    pub notes: Option<String>,
}

/// An example post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub id: String,
    pub platform: String,
    pub text: String,
    pub why_good: String,
}

impl Profile {
    /// Parses a profile; reports every broken field.
    pub fn parse(text: &str) -> Result<Self, ProfileFault> {
        let document = Document::parse(text).map_err(ProfileFault::Json)?;
        Self::of(document)
    }

    pub(crate) fn of(document: Document) -> Result<Self, ProfileFault> {
        let faults = check(document.value());
        match faults.is_empty() {
            true => Ok(Self { document }),
            false => Err(ProfileFault::Fields(faults)),
        }
    }

    /// A new profile from its fields, pretty-printed.
    pub fn from_value(value: &Value) -> Result<Self, ProfileFault> {
        Self::of(Document::of(value))
    }

    /// The file, byte for byte.
    pub fn text(&self) -> &str {
        self.document.text()
    }

    pub fn value(&self) -> &Value {
        self.document.value()
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    pub fn name(&self) -> &str {
        self.string("/profile_name")
    }

    pub fn kind(&self) -> Kind {
        if self.string("/profile_type") == "personal" { Kind::Personal } else { Kind::Reference }
    }

    pub fn version(&self) -> u64 {
        self.value().get("version").and_then(Value::as_u64).unwrap_or_default()
    }

    pub fn language(&self) -> &str {
        self.string("/language")
    }

    /// A described trait, as in `tone`; empty if there is none.
    pub fn voice(&self, field: &str) -> &str {
        self.string(&format!("/voice/{field}"))
    }

    /// A list of traits, as in `hooks`.
    pub fn voices(&self, field: &str) -> Vec<&str> {
        let list = self.value().pointer(&format!("/voice/{field}")).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    pub fn platforms(&self) -> Vec<Platform> {
        let named = self.value().get("platforms").and_then(Value::as_object);
        named.into_iter().flat_map(Map::keys).filter_map(|name| name.parse().ok()).collect()
    }

    pub fn platform(&self, platform: Platform) -> Option<PlatformRules> {
        let rules = self.value().get("platforms")?.get(platform.as_str())?;
        let text = |name: &str| rules.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(PlatformRules {
            max_length: rules.get("max_length").and_then(Value::as_f64).map(|max| max as usize),
            structure: text("structure").unwrap_or_default(),
            tone_override: text("tone_override"),
            formatting: text("formatting").unwrap_or_default(),
            hashtags: text("hashtags"),
            notes: text("notes"),
        })
    }

    pub fn examples(&self) -> Vec<Example> {
        let list = self.value().get("examples").and_then(Value::as_array);
        let example = |value: &Value| {
            let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default();
            Example {
                id: text("id").to_owned(),
                platform: text("platform").to_owned(),
                text: text("text").to_owned(),
                why_good: text("why_good").to_owned(),
            }
        };
        list.into_iter().flatten().map(example).collect()
    }

    /// What was measured, if the profile has it.
    pub fn measured(&self) -> Option<&Value> {
        self.value().get("measured")
    }

    fn string(&self, pointer: &str) -> &str {
        self.value().pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
