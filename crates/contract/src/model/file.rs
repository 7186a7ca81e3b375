//! Files of a message: what the log names, and what a model gets of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::Digest;

/// A file of a message. Its bytes are stored elsewhere, by digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    pub digest: Digest,
    pub name: String,
    /// By its content: `image/png`, `text/plain`, `application/pdf`.
    pub media_type: String,
    pub bytes: u64,
}

/// A file in a request to a model. The content is not part of the serialised form, because the
/// digest stands for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilePart {
    #[serde(flatten)]
    pub file: FileRef,
    #[serde(skip)]
    pub content: FileContent,
}

/// What is in a file, as a model gets it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FileContent {
    #[default]
    NotLoaded,
    /// The file is not stored any more.
    Missing,
    Picture {
        base64: Arc<str>,
    },
    Text {
        /// The first bytes of the text, as many as a message may have.
        text: Arc<str>,
        /// All of the text that is stored.
        whole_bytes: u64,
        /// Whether the file has even more text than that.
        is_cut: bool,
    },
}

/// Whether a model sees pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    Sees,
    Blind,
}

impl FilePart {
    /// The Base64 of a picture, if the content is one.
    pub fn picture(&self) -> Option<&str> {
        match &self.content {
            FileContent::Picture { base64 } => Some(base64),
            FileContent::NotLoaded | FileContent::Missing | FileContent::Text { .. } => None,
        }
    }

    /// The file in words; none for a picture that the model sees.
    pub fn in_words(&self, sight: Sight) -> Option<String> {
        let name = self.file.name.replace('"', "'");
        match (&self.content, sight) {
            (FileContent::Picture { .. }, Sight::Sees) => None,
            (FileContent::Picture { .. }, Sight::Blind) => Some(format!(
                "[The user attached the picture \"{name}\", but you cannot see pictures. Tell \
                 the user so.]"
            )),
            (FileContent::Missing, _) => {
                Some(format!("[The user attached the file \"{name}\", which is gone now.]"))
            }
            (FileContent::NotLoaded, _) => {
                Some(format!("[The user attached the file \"{name}\".]"))
            }
            (FileContent::Text { text, whole_bytes, is_cut }, _) => {
                let shown = u64::try_from(text.len()).unwrap_or(u64::MAX);
                let note = match (shown < *whole_bytes, is_cut) {
                    (false, false) => String::new(),
                    (true, false) => format!(
                        "\n[This is the beginning of the file: {shown} of {whole_bytes} bytes.]"
                    ),
                    (_, true) => format!(
                        "\n[This is the beginning of the file: {shown} bytes; the file has more \
                         than {whole_bytes}.]"
                    ),
                };
                Some(format!("<file name=\"{name}\">\n{text}{note}\n</file>"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
