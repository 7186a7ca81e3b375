//! Notion: pages are read as Markdown, and posts are written as pages.
//!
//! In: an address or an id, a text. Out: a [`Page`], a [`Written`], or a [`NotionFault`]
//! with the place, the fault and the fix. Must hold: one operation has one time limit, waits
//! and tries together; a page is never made twice; the token is in one header and nowhere else.
//!
//! Start at [`Client`]. The modules stand in the order in which an operation meets them.

mod fault;
mod id;
mod settings;

mod call;

mod notion_markdown;
mod read;
mod tree;

pub mod markdown;

mod blocks;
mod duplicates;
mod parent;
mod properties;
mod write;

mod output;
mod service;

use std::time::Duration;

use contract::Secret;
use models::HttpClient;

pub use fault::{Kind, NotionFault, Partial};
pub use id::Id;
pub use service::NotionService;
pub use settings::{READ_TOOL, Settings, WRITE_TOOL};

/// The version of the interface that is spoken.
pub const VERSION: &str = "2026-03-11";

/// One workspace, opened with one token.
#[derive(Clone)]
pub struct Client {
    base_url: String,
    token: Secret,
    line: HttpClient,
    limits: Limits,
}

/// Ceilings of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// All requests and waits of one read or write.
    pub total_time_max: Duration,
    /// One request. Short enough that a lost answer leaves time to look what became of it.
    pub try_time_max: Duration,
    /// Tries after the first, per request.
    pub retries_max: u32,
    pub reply_bytes_max: usize,
    /// Of a page that is read.
    pub blocks_max: usize,
    pub depth_max: usize,
    pub text_bytes_max: usize,
}

impl Limits {
    /// What the seed allows, and what Notion's own client does.
    pub const fn usual() -> Self {
        Self {
            total_time_max: Duration::from_secs(15),
            try_time_max: Duration::from_secs(6),
            retries_max: 2,
            reply_bytes_max: 8 << 20,
            blocks_max: 5_000,
            depth_max: 12,
            text_bytes_max: 400_000,
        }
    }
}

/// A page as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub id: Id,
    pub title: String,
    /// Markdown.
    pub text: String,
    /// A limit cut the text.
    pub truncated: bool,
    pub url: String,
    /// As Notion writes it, `2026-02-07T10:00:00.000Z`.
    pub last_edited: String,
}

/// A page to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    pub parent: Parent,
    pub title: String,
    pub text: Text,
    /// Columns of the database with what goes in; each is spelled as its column's type
    /// wants it. Under a page there are no columns, and they are left out.
    pub properties: Vec<(String, String)>,
}

/// Where a page goes, by id or address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    Page(String),
    /// A database, or one of its data sources.
    Database(String),
}

/// What stands on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// Written as it is: paragraphs, and headings where a line begins with `# `. A hashtag
    /// stays one, and so do blank lines, which Notion's Markdown would drop.
    Post(String),
    /// Read by Notion, or, where it does not, laid out in blocks here.
    Markdown(String),
}

/// A page that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub id: Id,
    pub url: String,
    /// What the writer should know: a column that is not there, one source taken of many.
    pub notices: Vec<String>,
}

impl Client {
    /// `base_url` as in `https://api.notion.com`, over a line that others use too.
    pub fn new(base_url: &str, token: Secret, line: HttpClient, limits: Limits) -> Self {
        Self { base_url: base_url.trim_end_matches('/').to_owned(), token, line, limits }
    }

    /// The page at an address or of an id.
    pub async fn read_page(&self, url_or_id: &str) -> Result<Page, NotionFault> {
        let id = Id::of_page(url_or_id).ok_or_else(|| fault::no_id(url_or_id))?;
        read::read(&call::Caller::new(self), &id).await
    }

    /// Makes a page. When a part of it fails, the fault knows the page that is there.
    pub async fn write_page(&self, write: &Write) -> Result<Written, NotionFault> {
        write::write(&call::Caller::new(self), write).await
    }
}
