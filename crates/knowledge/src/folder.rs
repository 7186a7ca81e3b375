//! One folder of documents.

use contract::Digest;
use serde::{Deserialize, Serialize};

/// A folder of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folder {
    pub id: String,
    pub name: String,
    pub scope: FolderScope,
    pub files: Vec<FolderFile>,
}

/// Where a folder is searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FolderScope {
    /// In every conversation of its owner.
    Owner,
    /// In one conversation.
    Conversation(String),
}

/// A document of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FolderFile {
    pub digest: Digest,
    pub name: String,
    pub media_type: String,
    pub bytes: u64,
    pub text_bytes: u64,
    pub pages: u64,
}

impl Folder {
    /// Whether it is searched in this conversation.
    pub fn is_in(&self, conversation: Option<&str>) -> bool {
        match &self.scope {
            FolderScope::Owner => true,
            FolderScope::Conversation(id) => conversation == Some(id.as_str()),
        }
    }
}
