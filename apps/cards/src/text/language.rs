//! The languages of a text and of its translation: parameters, never constants.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A language by its code: `lv`, `uk`, `pt-br`.
///
/// Invariant: `from_str` is the only way in: `a-z`, then perhaps `-` and `a-z 0-9`, 2 to 12
/// bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Language(Box<str>);

/// A text that is not a language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a language code; give two or three letters, as in `lv` or `uk`")]
pub struct BadLanguage(String);

impl FromStr for Language {
    type Err = BadLanguage;
    fn from_str(text: &str) -> Result<Self, BadLanguage> {
        let code = text.trim().to_ascii_lowercase();
        let (base, rest) = code.split_once('-').unwrap_or((&code, "x"));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let fits = (2..=3).contains(&base.len())
            && base.chars().all(|c| c.is_ascii_lowercase())
            && (1..=8).contains(&rest.len())
            && rest.chars().all(plain);
        if fits { Ok(Language(code.into())) } else { Err(BadLanguage(text.to_owned())) }
    }
}

impl Language {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its English name; the code itself where no name is known.
    pub fn name(&self) -> &str {
        let base = self.0.split('-').next().unwrap_or(&self.0);
        let known = NAMES.iter().find(|(code, _)| *code == base);
        known.map_or(&*self.0, |(_, name)| name)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

contract::serde_as_text!(Language);

/// From which language to which.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    pub from: Language,
    pub to: Language,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} → {}", self.from, self.to)
    }
}

const NAMES: [(&str, &str); 32] = [
    ("ar", "Arabic"),
    ("be", "Belarusian"),
    ("bg", "Bulgarian"),
    ("cs", "Czech"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("es", "Spanish"),
    ("et", "Estonian"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("ga", "Irish"),
    ("he", "Hebrew"),
    ("hr", "Croatian"),
    ("hu", "Hungarian"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("ka", "Georgian"),
    ("ko", "Korean"),
    ("lt", "Lithuanian"),
    ("lv", "Latvian"),
    ("nl", "Dutch"),
    ("no", "Norwegian"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sv", "Swedish"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("zh", "Chinese"),
];

#[cfg(test)]
mod tests;
