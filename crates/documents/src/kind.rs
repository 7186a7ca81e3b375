//! The kind of a file, by its content.

use serde::{Deserialize, Serialize};

use crate::{Unreadable, office, plain};

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
    /// Text in any encoding: prose, code, CSV, JSON, Markdown.
    Text,
    Pdf,
    /// `.docx`
    Word,
    /// `.xlsx`
    Sheet,
    /// `.pptx`
    Slides,
    /// `.odt`, `.ods` and `.odp`
    OpenDocument,
}

impl Kind {
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, Unreadable> {
        match bytes {
            [] => Err(Unreadable::Empty),
            [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, ..] => Ok(Kind::Png),
            [0xFF, 0xD8, 0xFF, ..] => Ok(Kind::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Ok(Kind::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Ok(Kind::Webp),
            [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => Err(match brand {
                [b'a', b'v', b'i', ..] => Unreadable::Picture("AVIF"),
                [b'h', b'e', ..] | [b'm', b'i', b'f', b'1', ..] => Unreadable::Picture("HEIC"),
                _ => Unreadable::Kind,
            }),
            [b'P', b'K', 3, 4, ..] => office::kind(bytes),
            // Programs write a few bytes before the header.
            _ if bytes.get(..1024).unwrap_or(bytes).windows(5).any(|five| five == b"%PDF-") => {
                Ok(Kind::Pdf)
            }
            _ if plain::is_text(bytes) => Ok(Kind::Text),
            _ => Err(Unreadable::Kind),
        }
    }

    pub fn is_picture(self) -> bool {
        match self {
            Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Webp => true,
            Kind::Text
            | Kind::Pdf
            | Kind::Word
            | Kind::Sheet
            | Kind::Slides
            | Kind::OpenDocument => false,
        }
    }

    pub fn media_type(self) -> &'static str {
        match self {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
            Kind::Gif => "image/gif",
            Kind::Webp => "image/webp",
            Kind::Text => "text/plain",
            Kind::Pdf => "application/pdf",
            Kind::Word => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Kind::Sheet => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Kind::Slides => {
                "application/vnd.openxmlformats-officedocument.presentationml.presentation"
            }
            Kind::OpenDocument => "application/vnd.oasis.opendocument",
        }
    }
}
