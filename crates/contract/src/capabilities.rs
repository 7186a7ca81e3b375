//! What a handler may reach: hosts, keys, secrets, folders, attached files; nothing unless named.
//!
//! Each entry is parsed into its own type, so that the code that enforces it does not parse
//! text again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Everything a tool may reach. Empty means: arguments in, result out, nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Capabilities {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub net: Vec<HostPattern>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kv: Vec<KeyPrefix>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretName>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileRoot>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<AttachmentAccess>,
}

impl Capabilities {
    /// The keys of `capabilities` in `schema.json`.
    pub const NAMES: [&str; 5] = ["net", "kv", "secrets", "files", "attachments"];

    /// How many entries one list may have.
    pub const ENTRIES_MAX: usize = 64;

    pub fn is_empty(&self) -> bool {
        let Capabilities { net, kv, secrets, files, attachments } = self;
        let reaches_files = !files.is_empty() || !attachments.is_empty();
        net.is_empty() && kv.is_empty() && secrets.is_empty() && !reaches_files
    }
}

/// Why an entry of `capabilities` is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCapability {
    #[error("`{0}` is not a valid host; write `api.example.com`, `*.example.com` or `host:8443`")]
    Host(String),
    #[error("`{0}` would allow every host; list the hosts that the handler calls")]
    EveryHost(String),
    #[error(
        "`{0}` is not a valid key prefix; write 1 to 128 characters without spaces, as in `notes/`"
    )]
    Key(String),
    #[error("`{0}` is not a valid secret name; write capitals, digits and _, as in `NOTION_TOKEN`")]
    Secret(String),
    #[error("`{0}` leaves the project; write a folder below it, as in `kb` or `data/calendar`")]
    Folder(String),
    #[error("`{0}` is not a way to reach attached files; write `read`")]
    Attachments(String),
}

macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $check:path) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Box<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = BadCapability;
            fn from_str(text: &str) -> Result<Self, BadCapability> {
                $check(text).map(|()| $name(text.into()))
            }
        }

        crate::serde_as_text!($name);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

checked_text! {
    /// A host the handler may call: a name, `*.` and a name, or an address; `:port` may follow.
    HostPattern, check_host
}
checked_text! {
    /// The beginning of every key the handler may read or write; `*` alone means every key.
    KeyPrefix, check_key
}
checked_text! {
    /// The name of a secret that the handler may read; never its value.
    SecretName, check_secret
}
checked_text! {
    /// A folder below the project that the handler may read, and write if the tool writes.
    FileRoot, check_folder
}

checked_text! {
    /// What the handler may do with the files that the person attached in the conversation:
    /// `read`.
    AttachmentAccess, check_attachments
}

impl KeyPrefix {
    /// The entry that allows every key: `"kv": ["*"]`.
    pub const EVERY: &str = "*";

    pub fn every() -> Self {
        KeyPrefix(Self::EVERY.into())
    }

    pub fn is_every(&self) -> bool {
        self.as_str() == Self::EVERY
    }

    /// Whether keys with this prefix may be read and written.
    pub fn covers(&self, key: &str) -> bool {
        self.is_every() || key.starts_with(self.as_str())
    }
}

fn check_host(text: &str) -> Result<(), BadCapability> {
    let bad = || BadCapability::Host(text.to_owned());
    if text == "*" || text == "*.*" {
        return Err(BadCapability::EveryHost(text.to_owned()));
    }
    let (host, port) = match (text.strip_prefix('['), text.rsplit_once(':')) {
        (Some(rest), _) => {
            let (address, after) = rest.split_once(']').ok_or_else(bad)?;
            address.parse::<std::net::Ipv6Addr>().map_err(|_| bad())?;
            return match after.strip_prefix(':') {
                Some(port) => port.parse::<u16>().map(|_| ()).map_err(|_| bad()),
                None if after.is_empty() => Ok(()),
                None => Err(bad()),
            };
        }
        (None, Some((host, port))) => (host, Some(port)),
        (None, None) => (text, None),
    };
    if port.is_some_and(|port| !port.parse::<u16>().is_ok_and(|port| port > 0)) {
        return Err(bad());
    }
    let name = host.strip_prefix("*.").unwrap_or(host);
    if host.starts_with("*.") && !name.contains('.') {
        return Err(BadCapability::EveryHost(text.to_owned()));
    }
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    (name.len() <= 253 && name.split('.').all(label)).then_some(()).ok_or_else(bad)
}

fn check_key(text: &str) -> Result<(), BadCapability> {
    let fits = (1..=128).contains(&text.len())
        && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    fits.then_some(()).ok_or_else(|| BadCapability::Key(text.to_owned()))
}

fn check_secret(text: &str) -> Result<(), BadCapability> {
    let fits = (1..=64).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
        && !text.starts_with(|c: char| c.is_ascii_digit());
    fits.then_some(()).ok_or_else(|| BadCapability::Secret(text.to_owned()))
}

fn check_attachments(text: &str) -> Result<(), BadCapability> {
    (text == "read").then_some(()).ok_or_else(|| BadCapability::Attachments(text.to_owned()))
}

fn check_folder(text: &str) -> Result<(), BadCapability> {
    let part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let fits = (1..=256).contains(&text.len())
        && !text.contains(['\\', ':', '\0'])
        && !text.chars().any(char::is_control)
        && text.strip_suffix('/').unwrap_or(text).split('/').all(part);
    fits.then_some(()).ok_or_else(|| BadCapability::Folder(text.to_owned()))
}

#[cfg(test)]
mod tests;
