//! A tool's name, parsed once at the edge.
//!
//! In: text. Out: a [`ToolId`] that every provider accepts once the dialect has replaced `.`.
//! Must hold: names from outside are parsed by `from_str` only.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A tool's canonical name: `a-z 0-9 _`, starting with a letter, 1 to 64 bytes.
/// A tool of a module is `module.name`; each part follows the same rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolId(Box<str>);

impl ToolId {
    pub const BYTES_MAX: usize = 64;

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A placeholder for a name that is not a valid tool id.
    pub(crate) fn unknown() -> Self {
        Self("unknown".into())
    }

    /// The id of a directory of this name: dashes become underscores.
    pub fn from_directory(name: &str) -> Result<Self, BadToolId> {
        name.replace('-', "_").parse()
    }
}

/// Why a text is not a tool id. The message suggests a valid one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadToolId {
    #[error("`{name}` contains `{found}`; use only a-z, 0-9 and _, as in `{}`", suggest_id(name))]
    Stray { name: Box<str>, found: char },
    #[error("`{name}` starts with `{found}`; start with a letter, as in `{}`", suggest_id(name))]
    Start { name: Box<str>, found: char },
    #[error("the name is empty; give it 1 to 64 characters, as in `kb_search`")]
    Empty,
    #[error("the name has {len} characters; at most 64 fit every provider")]
    Length { len: usize },
}

impl FromStr for ToolId {
    type Err = BadToolId;

    fn from_str(text: &str) -> Result<Self, BadToolId> {
        if text.is_empty() {
            return Err(BadToolId::Empty);
        }
        if let Some(found) = text.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '_' | '.'))
        {
            return Err(BadToolId::Stray { name: text.into(), found });
        }
        for part in text.split('.') {
            match part.chars().next() {
                Some('a'..='z') => {}
                Some(found) => return Err(BadToolId::Start { name: text.into(), found }),
                None => return Err(BadToolId::Stray { name: text.into(), found: '.' }),
            }
        }
        match text.len() {
            len if len <= Self::BYTES_MAX => Ok(ToolId(text.into())),
            len => Err(BadToolId::Length { len }),
        }
    }
}

/// The nearest valid id, which the message suggests.
fn suggest_id(name: &str) -> String {
    let mut id = String::new();
    for c in name.chars() {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9') => id.push(c),
            _ if id.ends_with('_') || id.is_empty() => {}
            _ => id.push('_'),
        }
    }
    let id = id.trim_matches('_').trim_start_matches(|c: char| !c.is_ascii_lowercase());
    match id.get(..id.len().min(ToolId::BYTES_MAX)) {
        Some(id) if !id.is_empty() => id.trim_end_matches('_').to_owned(),
        _ => "kb_search".to_owned(),
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

crate::serde_as_text!(ToolId);

impl std::borrow::Borrow<str> for ToolId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests;
