//! A JSON text, checked once at the edge and kept byte for byte.
//!
//! Must hold: the text is valid JSON on one line, without white space between tokens, and
//! nested no deeper than [`Json::DEPTH_MAX`], so that every reader can parse it. Numbers keep
//! their spelling, objects their order.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON value as text. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Json(Arc<str>);

/// Why a value cannot be stored as JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadJson {
    #[error("no JSON: {0}")]
    Syntax(String),
    #[error("nested deeper than {}", Json::DEPTH_MAX)]
    TooDeep,
}

impl Json {
    /// What common parsers accept, minus room for an envelope around it.
    pub const DEPTH_MAX: usize = 100;

    /// Serialises a value.
    pub fn of(value: &(impl Serialize + ?Sized)) -> Result<Self, BadJson> {
        let text =
            serde_json::to_string(value).map_err(|error| BadJson::Syntax(error.to_string()))?;
        compact(&text).map(|text| Json(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Deserialises the value.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, BadJson> {
        serde_json::from_str(&self.0).map_err(|error| BadJson::Syntax(error.to_string()))
    }

    /// Text that is known to be valid: what an engine has stored, or composed of other `Json`s.
    pub fn trusted(text: String) -> Self {
        Json(text.into())
    }
}

impl FromStr for Json {
    type Err = BadJson;
    fn from_str(text: &str) -> Result<Self, BadJson> {
        let compacted = compact(text)?;
        // Only a full parse finds every fault, a lone surrogate for example.
        serde_json::from_str::<Value>(text).map_err(|error| BadJson::Syntax(error.to_string()))?;
        Ok(Json(compacted.into()))
    }
}

/// Removes white space between tokens and measures the depth. Invalid JSON stays invalid, or
/// is rejected by the parse that follows.
fn compact(text: &str) -> Result<String, BadJson> {
    let mut out = String::with_capacity(text.len());
    let (mut depth, mut in_string, mut escaped, mut kept_from) = (0usize, false, false, 0);
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' if depth == Json::DEPTH_MAX => return Err(BadJson::TooDeep),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b' ' | b'\n' | b'\r' | b'\t' => {
                out.push_str(&text[kept_from..index]);
                kept_from = index + 1;
            }
            _ => {}
        }
    }
    out.push_str(&text[kept_from..]);
    Ok(out)
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        raw.get().parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
