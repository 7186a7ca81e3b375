//! What a file is and what it says: its kind by its content, its text with pages.
//!
//! In: the bytes of a file from anybody. Out: a [`Document`]: the kind, and the text for files
//! that have one. Must hold: reading ends after [`ReadLimits::steps_max`] steps, unpacks at most
//! [`ReadLimits::unpacked_bytes_max`] bytes, gives at most [`ReadLimits::text_bytes_max`] bytes
//! of text and never recurses deeper than a constant, whatever the file contains.
//!
//! Start at [`read`].

mod budget;
mod kind;
mod office;
mod pdf;
mod picture;
mod plain;
mod tokens;
mod xml;

pub use budget::ReadLimits;
pub use kind::Kind;
pub use picture::size_of as picture_size;
pub use tokens::{picture_tokens, text_tokens};

use budget::Budget;

/// Separates pages, slides and sheets in a text.
pub const PAGE_BREAK: char = '\u{c}';

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub kind: Kind,
    pub text: Option<Text>,
}

/// The text of a file. Pages are separated by [`PAGE_BREAK`]; a file without pages has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub text: String,
    /// Whether the file has more text than the limits allow.
    pub is_cut: bool,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("the file is empty")]
    Empty,
    #[error("this kind of file cannot be read")]
    Kind,
    #[error("pictures in the format {0} cannot be used")]
    Picture(&'static str),
    #[error("the file is encrypted")]
    Encrypted,
    #[error("the file is damaged: {0}")]
    Damaged(&'static str),
    #[error("the file unpacks to more than {0} bytes")]
    TooLarge(usize),
    #[error("the file is too complicated")]
    TooComplicated,
}

impl Unreadable {
    /// What the person can do.
    pub fn fix(&self) -> &'static str {
        match self {
            Unreadable::Empty => "choose a file with content",
            Unreadable::Kind => {
                "use a PNG, JPEG, GIF or WebP picture, a PDF, an Office document, or a text file"
            }
            Unreadable::Picture(_) => "save it as JPEG or PNG",
            Unreadable::Encrypted => "save it without a password",
            Unreadable::Damaged(_) => "open it in its program and save it again",
            Unreadable::TooLarge(_) | Unreadable::TooComplicated => "use a part of it",
        }
    }
}

/// Reads a file. Its name does not matter.
pub fn read(bytes: &[u8], limits: ReadLimits) -> Result<Document, Unreadable> {
    let mut budget = Budget::new(limits);
    let kind = Kind::of(bytes)?;
    let text = match kind {
        Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Webp => None,
        Kind::Text => Some(plain::text(bytes).ok_or(Unreadable::Kind)?),
        Kind::Pdf => Some(pdf::text(bytes, &mut budget)?),
        Kind::Word => Some(office::word(bytes, &mut budget)?),
        Kind::Sheet => Some(office::sheet(bytes, &mut budget)?),
        Kind::Slides => Some(office::slides(bytes, &mut budget)?),
        Kind::OpenDocument => Some(office::open_document(bytes, &mut budget)?),
    };
    let text = text.map(|text| budget.cut(text));
    Ok(Document { kind, text })
}

#[cfg(test)]
mod tests;
