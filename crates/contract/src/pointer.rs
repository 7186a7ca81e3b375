//! JSON pointers (RFC 6901): the location of a value inside a document.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A location inside a JSON document, as a list of segments.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pointer(Vec<String>);

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Self::default()
    }

    /// This location with one more segment.
    pub fn join(&self, step: impl fmt::Display) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.to_string());
        Pointer(steps)
    }

    /// The parent of this location; none for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.split_last().map(|(_, rest)| Pointer(rest.to_vec()))
    }

    pub fn last(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }

    pub fn steps(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The value at this location, if the document has one.
    pub fn find<'a>(&self, document: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(document, |value, step| match value {
            Value::Object(map) => map.get(step),
            Value::Array(items) => items.get(array_index(step)?),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        })
    }
}

/// RFC 6901 allows no leading zeros and no sign.
fn array_index(step: &str) -> Option<usize> {
    let plain = step == "0" || (!step.starts_with('0') && step.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| step.parse().ok()).flatten()
}

/// Why a text is not a JSON pointer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPointer {
    #[error("the pointer `{0}` does not start with `/`; write `/a/b`, or nothing for the whole")]
    Start(String),
    #[error("the pointer `{0}` has a `~` that is neither `~0` (for `~`) nor `~1` (for `/`)")]
    Escape(String),
}

impl FromStr for Pointer {
    type Err = BadPointer;
    fn from_str(text: &str) -> Result<Self, BadPointer> {
        if text.is_empty() {
            return Ok(Pointer::root());
        }
        let rest = text.strip_prefix('/').ok_or_else(|| BadPointer::Start(text.to_owned()))?;
        let step = |step: &str| {
            let stray = step.split('~').skip(1).any(|after| !after.starts_with(['0', '1']));
            match stray {
                true => Err(BadPointer::Escape(text.to_owned())),
                false => Ok(step.replace("~1", "/").replace("~0", "~")),
            }
        };
        rest.split('/').map(step).collect::<Result<_, _>>().map(Pointer)
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.0 {
            f.write_str("/")?;
            f.write_str(&step.replace('~', "~0").replace('/', "~1"))?;
        }
        Ok(())
    }
}

crate::serde_as_text!(Pointer);

#[cfg(test)]
mod tests;
