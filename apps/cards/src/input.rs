//! Files and pages as plain text: what people have instead of a text file.
//!
//! In: bytes, a name, perhaps a media type, the language of the text. Out: a [`Document`].
//! Must hold: what is not text of a known kind is refused with a reason, never read as letters
//! that nobody wrote; everything has a limit, also what an archive unpacks to.

mod encoding;
mod epub;
mod html;
mod subtitles;

use crate::fault::CardsFault;
use crate::library::TEXT_BYTES_MAX;
use crate::text::language::Language;

/// A text that was read from a file or a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub text: String,
    /// The title that the file gives itself.
    pub title: Option<String>,
    pub kind: DocumentKind,
    /// The encoding in which it was written.
    pub encoding: &'static str,
}

/// The kinds of files that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    Text,
    /// SubRip or WebVTT.
    Subtitles,
    Html,
    Epub,
}

/// The largest file that is read; a book with pictures has less.
pub const DOCUMENT_BYTES_MAX: usize = 64 << 20;

/// What is known about a file besides its bytes.
#[derive(Debug, Clone, Copy)]
pub struct DocumentHint<'a> {
    /// Its name or the path of its address.
    pub name: &'a str,
    /// What a server says, as in `text/html; charset=windows-1257`.
    pub media_type: Option<&'a str>,
    /// Several encodings give letters; those of the language are the right ones.
    pub language: &'a Language,
}

/// Reads a file or a page.
pub fn read_document(bytes: &[u8], hint: DocumentHint<'_>) -> Result<Document, CardsFault> {
    if bytes.len() > DOCUMENT_BYTES_MAX {
        let what = format!("the file has more than {} MB", DOCUMENT_BYTES_MAX >> 20);
        return Err(CardsFault::Input(what));
    }
    if let Some(what) = foreign(bytes) {
        return Err(CardsFault::Input(what.to_owned()));
    }
    let zip = bytes.starts_with(b"PK\x03\x04");
    if zip && (hint.name.to_ascii_lowercase().ends_with(".epub") || epub::is_epub(bytes)) {
        let (text, title) = epub::read(bytes).map_err(CardsFault::Input)?;
        return checked(Document { text, title, kind: DocumentKind::Epub, encoding: "UTF-8" });
    }
    if zip {
        let what = "this archive is not an EPUB; unpack it, or save the document as text";
        return Err(CardsFault::Input(what.to_owned()));
    }
    let (text, encoding) = encoding::decode(bytes, hint).map_err(CardsFault::Input)?;
    let kind = kind_of(&text, hint);
    let (text, title) = match kind {
        DocumentKind::Html => html::read(&text),
        DocumentKind::Subtitles => (subtitles::read(&text), None),
        DocumentKind::Text | DocumentKind::Epub => (text, None),
    };
    checked(Document { text, title, kind, encoding })
}

fn checked(document: Document) -> Result<Document, CardsFault> {
    if document.text.trim().is_empty() {
        return Err(CardsFault::Input("the file has no text".to_owned()));
    }
    match document.text.len() > TEXT_BYTES_MAX {
        true => {
            Err(CardsFault::Input(format!("the text has more than {} MB", TEXT_BYTES_MAX >> 20)))
        }
        false => Ok(document),
    }
}

/// Kinds of files that people have and that are not read.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    const SIGNS: [(&[u8], &str); 7] = [
        (b"%PDF", "this is a PDF; save it as text or HTML first"),
        (b"\xd0\xcf\x11\xe0", "this is an old Word document; save it as text first"),
        (b"{\\rtf", "this is RTF; save it as text first"),
        (b"\x89PNG", "this is a picture; give its text"),
        (b"\xff\xd8\xff", "this is a picture; give its text"),
        (b"GIF8", "this is a picture; give its text"),
        (b"\x1f\x8b", "this is compressed; unpack it first"),
    ];
    SIGNS.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|(_, what)| *what)
}

/// What the server says counts, then the name, then what the text begins with.
fn kind_of(text: &str, hint: DocumentHint<'_>) -> DocumentKind {
    let media_type = hint.media_type.and_then(|media| media.split(';').next()).unwrap_or_default();
    match media_type.trim().to_ascii_lowercase().as_str() {
        "text/html" | "application/xhtml+xml" => return DocumentKind::Html,
        "text/vtt" | "application/x-subrip" => return DocumentKind::Subtitles,
        _ => {}
    }
    let ending = hint.name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let head: String = text.trim_start().chars().take(64).collect::<String>().to_ascii_lowercase();
    match ending.as_deref() {
        Some("html" | "htm" | "xhtml") => DocumentKind::Html,
        Some("srt" | "vtt") => DocumentKind::Subtitles,
        _ if head.starts_with("<!doctype html") || head.starts_with("<html") => DocumentKind::Html,
        _ if subtitles::is_subtitles(text) => DocumentKind::Subtitles,
        _ => DocumentKind::Text,
    }
}

#[cfg(test)]
mod tests;
