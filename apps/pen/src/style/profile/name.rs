//! The name of a profile: a slug, and so the name of a file on every machine.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::text::language::Lang;

/// Invariant: `a-z 0-9 -`, 1 to 64 bytes, no dash at an end, no device name of Windows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ProfileName(Box<str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.text(Lang::En))]
pub struct BadProfileName(String);

impl BadProfileName {
    /// The fault in the writer's language.
    pub fn text(&self, lang: Lang) -> String {
        lang.fill("fault.bad_name", &[("name", &self.0.escape_debug())])
    }

    /// The text that is not a name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

const BYTES_MAX: usize = 64;
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

impl ProfileName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_default(&self) -> bool {
        &*self.0 == super::DEFAULT
    }
}

impl Default for ProfileName {
    fn default() -> Self {
        ProfileName(super::DEFAULT.into())
    }
}

impl FromStr for ProfileName {
    type Err = BadProfileName;

    fn from_str(text: &str) -> Result<Self, BadProfileName> {
        let lower = text.to_lowercase();
        let numbered = |port: &str| {
            lower.strip_prefix(port).is_some_and(|rest| matches!(rest.as_bytes(), [b'0'..=b'9']))
        };
        let device = DEVICES.contains(&lower.as_str()) || numbered("com") || numbered("lpt");
        let fits = (1..=BYTES_MAX).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !text.starts_with('-')
            && !text.ends_with('-');
        match fits && !device {
            true => Ok(ProfileName(text.into())),
            false => Err(BadProfileName(text.chars().take(BYTES_MAX).collect())),
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
