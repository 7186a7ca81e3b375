//! Reads the text of a file or of a page on the web, for a person to look at before it is used.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cards::{Document, DocumentHint, DocumentKind, read_document};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::{Caller, Fault, JsonBody};

use crate::request::language;
use crate::{CardsState, HandlerResult};

/// Reads a page on the web; the program decides which addresses may be read.
pub type PageFetcher = Arc<dyn Fn(String) -> FetchFuture + Send + Sync>;

/// A page, or why it was not read.
pub type FetchFuture = Pin<Box<dyn Future<Output = Result<WebPage, String>> + Send>>;

/// A page as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebPage {
    /// The address after all redirects.
    pub url: String,
    pub media_type: Option<String>,
    pub bytes: Vec<u8>,
}

/// A file to read: a text, subtitles, a page or a book.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileToRead {
    name: String,
    /// The bytes of the file.
    base64: String,
    /// The language of the text; it tells old encodings apart.
    #[schemars(extend("pattern" = "^[a-z]{2,3}$"))]
    language: String,
}

/// The text of a file or a page.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadText {
    text: String,
    /// The title that the document gives itself, or the name of the file.
    name: String,
    /// text, subtitles, html or epub
    kind: &'static str,
    encoding: &'static str,
}

pub(crate) async fn file(
    Extension(_caller): Extension<Caller>,
    JsonBody(FileToRead { name, base64, language: code }): JsonBody<FileToRead>,
) -> HandlerResult<Json<ReadText>> {
    let language = language(&code)?;
    let bytes = STANDARD.decode(base64.as_bytes()).map_err(|error| {
        Fault::bad_request(
            format!("`base64` is not Base64: {error}"),
            "encode the bytes of the file",
        )
    })?;
    let read = read_off_thread(bytes, name.clone(), None, language).await?;
    Ok(Json(read_text(read, name)))
}

/// A page on the web.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PageToRead {
    #[schemars(extend("pattern" = "^https?://"))]
    url: String,
    #[schemars(extend("pattern" = "^[a-z]{2,3}$"))]
    language: String,
}

pub(crate) async fn page(
    State(state): State<CardsState>,
    Extension(_caller): Extension<Caller>,
    JsonBody(PageToRead { url, language: code }): JsonBody<PageToRead>,
) -> HandlerResult<Json<ReadText>> {
    let language = language(&code)?;
    let Some(fetch) = &state.fetch else {
        return Err(Fault::bad_request("this server reads no pages", "paste the text").into());
    };
    let page = fetch(url).await.map_err(|why| {
        let fix = "check the address, or paste the text";
        Fault::bad_request(format!("cannot read the page: {why}"), fix)
    })?;
    let path = page.url.split(['?', '#']).next().unwrap_or_default().to_owned();
    let read = read_off_thread(page.bytes, path, page.media_type, language).await?;
    Ok(Json(read_text(read, page.url)))
}

/// A book takes a while to unpack.
async fn read_off_thread(
    bytes: Vec<u8>,
    name: String,
    media_type: Option<String>,
    language: cards::Language,
) -> HandlerResult<Document> {
    let read = tokio::task::spawn_blocking(move || {
        let media_type = media_type.as_deref();
        read_document(&bytes, DocumentHint { name: &name, media_type, language: &language })
    });
    Ok(read.await.map_err(|error| Fault::ours(&error))??)
}

fn read_text(document: Document, name: String) -> ReadText {
    let Document { text, title, kind, encoding } = document;
    let kind = match kind {
        DocumentKind::Text => "text",
        DocumentKind::Subtitles => "subtitles",
        DocumentKind::Html => "html",
        DocumentKind::Epub => "epub",
    };
    ReadText { text, name: title.unwrap_or(name), kind, encoding }
}
