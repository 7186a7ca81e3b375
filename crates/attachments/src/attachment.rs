//! One stored file.

use std::collections::BTreeSet;

use contract::{Digest, FileRef};
use documents::Kind;
use serde::{Deserialize, Serialize};

const NAME_CHARS_MAX: usize = 200;

/// A file of an owner, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    pub digest: Digest,
    /// The name that it was first added with.
    pub name: String,
    pub kind: Kind,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<StoredText>,
    /// Width and height of a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels: Option<(u32, u32)>,
    /// About how many tokens a model counts for it in a message.
    pub tokens: u64,
    /// Where its bytes are.
    pub(crate) blob: String,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) uses: BTreeSet<String>,
    /// It is kept until then, in milliseconds, even if nothing uses it.
    #[serde(default)]
    pub(crate) draft_until: u64,
}

/// The text of a file, which is stored beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredText {
    pub(crate) blob: String,
    pub bytes: u64,
    /// 1 for a file without pages.
    pub pages: u64,
    /// Whether the file has more text than is stored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

impl Attachment {
    /// The file as a message names it.
    pub fn named(&self, name: &str) -> FileRef {
        let name = clean_name(name);
        FileRef {
            digest: self.digest,
            name: if name.is_empty() { self.name.clone() } else { name },
            media_type: self.kind.media_type().to_owned(),
            bytes: self.bytes,
        }
    }

    /// Whether a message of this conversation has it.
    pub fn is_in_conversation(&self, id: &str) -> bool {
        self.uses.contains(&Use::Conversation(id).key())
    }

    pub(crate) fn is_used(&self, now: u64) -> bool {
        !self.uses.is_empty() || self.draft_until > now
    }
}

/// What uses a file, and keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use<'a> {
    /// A conversation, by its id.
    Conversation(&'a str),
    /// A folder of documents, by its id.
    Folder(&'a str),
}

impl Use<'_> {
    pub(crate) fn key(self) -> String {
        match self {
            Use::Conversation(id) => format!("conversation/{id}"),
            Use::Folder(id) => format!("folder/{id}"),
        }
    }
}

/// The last part of a path, without control characters, of limited length.
pub fn clean_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let shown = last.chars().filter(|c| !c.is_control() && !is_invisible(*c));
    let name: String = shown.take(NAME_CHARS_MAX).collect();
    name.trim().to_owned()
}

/// Characters that reorder or hide a name: `gpj.exe` must not look like `exe.jpg`.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
