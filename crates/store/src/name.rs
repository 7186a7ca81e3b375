//! Names in the store, parsed once at the edge.
//!
//! Any text without control characters is a name; an engine that supports fewer characters
//! escapes the rest. Must hold: `from_str` is the only constructor.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Why a text is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    #[error("{what} is empty; use 1 to {max} bytes")]
    Empty { what: &'static str, max: usize },
    #[error("{what} has {len} bytes; at most {max} are allowed")]
    Length { what: &'static str, len: usize, max: usize },
    #[error("{what} contains the control character {found:?}")]
    Control { what: &'static str, found: char },
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident $what:literal $min:literal $max:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            pub const BYTES_MAX: usize = $max;

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadName;
            fn from_str(text: &str) -> Result<Self, BadName> {
                check(text, $what, $min, $max)?;
                Ok(Self(text.into()))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = BadName;
            fn try_from(text: String) -> Result<Self, BadName> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0.as_ref().to_owned()
            }
        }
    )+};
}

names! {
    /// The key of a value: 1 to 512 bytes. Keys are ordered by their bytes.
    Key "the key" 1 512;
    /// The beginning of some keys or log names; empty for all of them.
    Prefix "the prefix" 0 512;
    /// The name of a log.
    LogName "the log name" 1 512;
    /// The name of a queue.
    QueueName "the queue name" 1 512;
    /// Identifies repeated appends to one log, or pushes to one queue.
    DedupKey "the dedup key" 1 512;
}

impl Prefix {
    /// The prefix of everything.
    pub fn all() -> Self {
        Self("".into())
    }

    /// The first text after all texts with this prefix; `None` if there is none.
    pub fn end(&self) -> Option<String> {
        let mut chars: Vec<char> = self.0.chars().collect();
        while let Some(last) = chars.pop() {
            let next = match last {
                '\u{d7ff}' => Some('\u{e000}'),
                last => char::from_u32(u32::from(last) + 1),
            };
            if let Some(next) = next {
                chars.push(next);
                return Some(chars.into_iter().collect());
            }
        }
        None
    }
}

fn check(text: &str, what: &'static str, min: usize, max: usize) -> Result<(), BadName> {
    if text.len() < min {
        return Err(BadName::Empty { what, max });
    }
    if text.len() > max {
        return Err(BadName::Length { what, len: text.len(), max });
    }
    match text.chars().find(|c| c.is_control()) {
        Some(found) => Err(BadName::Control { what, found }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
