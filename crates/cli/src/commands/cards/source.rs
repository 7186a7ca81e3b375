//! The text of `cards make`: a file of a known kind, standard input, or a page on the web.

use std::path::{Path, PathBuf};

use cards::{DOCUMENT_BYTES_MAX, Document, DocumentHint, DocumentKind, Language, read_document};
use services::{Network, NetworkAccess, ServiceLimits, fetch_page};

use super::failure;
use crate::exit::Failure;
use crate::wiring::read_input::{Input, read_bytes};

/// A text and the name of its document.
pub(super) struct SourceText {
    pub document: String,
    pub text: String,
    /// What a person should know about how it was read.
    pub note: Option<String>,
}

/// Where a text comes from.
#[derive(Debug, Clone)]
pub(super) enum Source {
    File(PathBuf),
    Page(String),
}

impl From<&str> for Source {
    fn from(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        match lower.starts_with("http://") || lower.starts_with("https://") {
            true => Source::Page(text.to_owned()),
            false => Source::File(PathBuf::from(text)),
        }
    }
}

impl Source {
    /// Reads the text; the language tells old encodings apart.
    pub(super) async fn read(
        &self,
        language: &Language,
        reach: NetworkAccess,
    ) -> Result<SourceText, Failure> {
        match self {
            Source::File(path) => from_file(path, language),
            Source::Page(url) => from_page(url, language, reach).await,
        }
    }
}

fn from_file(path: &Path, language: &Language) -> Result<SourceText, Failure> {
    let input = Input {
        expected: "a text, subtitles, a page or a book",
        bytes_max: DOCUMENT_BYTES_MAX,
        too_large_fix: "split it into parts",
    };
    let bytes = read_bytes(path, &input)?;
    let document = document_of(path);
    let hint = DocumentHint { name: &document, media_type: None, language };
    let read = read_document(&bytes, hint).map_err(failure)?;
    Ok(SourceText { document, note: note(&read), text: read.text })
}

async fn from_page(
    url: &str,
    language: &Language,
    reach: NetworkAccess,
) -> Result<SourceText, Failure> {
    let network = Network::new(reach)?;
    let fetched = fetch_page(&network, url, &ServiceLimits::ORDINARY).await;
    let page = fetched.map_err(|fault| {
        Failure::message(format!("cannot read the page: {}", fault.message), "check the address")
    })?;
    let name = page.url.split(['?', '#']).next().unwrap_or_default();
    let media_type = page.media_type.as_deref();
    let hint = DocumentHint { name, media_type, language };
    let read = read_document(&page.bytes, hint).map_err(failure)?;
    let document = read.title.clone().unwrap_or_else(|| page.url.clone());
    Ok(SourceText {
        document: document.chars().take(DOCUMENT_CHARS_MAX).collect(),
        note: note(&read),
        text: read.text,
    })
}

/// A title may be longer than the name of a document.
const DOCUMENT_CHARS_MAX: usize = 120;

/// The file name, without its folder.
fn document_of(path: &Path) -> String {
    match path.file_name() {
        Some(name) if path != Path::new("-") => name.to_string_lossy().into_owned(),
        Some(_) | None => "standard input".to_owned(),
    }
}

fn note(document: &Document) -> Option<String> {
    let kind = match document.kind {
        DocumentKind::Text => None,
        DocumentKind::Subtitles => Some("subtitles"),
        DocumentKind::Html => Some("a web page"),
        DocumentKind::Epub => Some("a book"),
    };
    let encoding = Some(document.encoding).filter(|encoding| *encoding != "UTF-8");
    match (kind, encoding) {
        (None, None) => None,
        (Some(kind), None) => Some(format!("read as {kind}")),
        (None, Some(encoding)) => Some(format!("read as {encoding}")),
        (Some(kind), Some(encoding)) => Some(format!("read as {kind} in {encoding}")),
    }
}
