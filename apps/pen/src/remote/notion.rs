//! Notion: pages are read as Markdown, and posts are written as pages.
//!
//! In: an address or an id, a text. Out: a [`Page`], a [`Written`], or a [`NotionFault`]
//! with the place, the fault and the fix. Must hold: one operation has one time limit, including
//! waits and retries; a page is never created twice; the token is in one header only.
//!
//! Start at [`Client`]. The modules are in the order in which an operation uses them.

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
mod notice;
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
pub use notice::{Notice, Unfit};
pub use service::NotionService;
pub use settings::{READ_TOOL, Settings, WRITE_TOOL};

/// The API version.
pub const VERSION: &str = "2026-03-11";

/// A client for one workspace, with one token.
#[derive(Clone)]
pub struct Client {
    base_url: String,
    token: Secret,
    line: HttpClient,
    limits: Limits,
}

/// Limits of one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// All requests and waits of one read or write.
    pub total_time_max: Duration,
    /// One request. Short enough to leave time to look for the page after a lost answer.
    pub try_time_max: Duration,
    /// Retries per request.
    pub retries_max: u32,
    pub reply_bytes_max: usize,
    /// Of a page that is read.
    pub blocks_max: usize,
    pub depth_max: usize,
    pub text_bytes_max: usize,
}

impl Limits {
    /// The defaults, close to those of Notion's own client.
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

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub id: Id,
    pub title: String,
    /// Markdown.
    pub text: String,
    /// Was the text cut by a limit?
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
    /// Values of database columns, converted to the type of the column. A page under another
    /// page has no columns; they are left out.
    pub properties: Vec<(String, String)>,
}

/// Where a page goes, by id or address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    Page(String),
    /// A database, or one of its data sources.
    Database(String),
}

/// The text of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// Written as it is: paragraphs, and headings where a line begins with `# `. A hashtag
    /// stays one, and so do blank lines, which Notion's Markdown would drop.
    Post(String),
    /// Parsed by Notion, or, where it cannot, converted to blocks here.
    Markdown(String),
}

/// A page that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub id: Id,
    pub url: String,
    /// Notices: a missing column, one data source chosen of many.
    pub notices: Vec<Notice>,
}

impl Client {
    /// `base_url` as in `https://api.notion.com`; the HTTP client is shared.
    pub fn new(base_url: &str, token: Secret, line: HttpClient, limits: Limits) -> Self {
        Self { base_url: base_url.trim_end_matches('/').to_owned(), token, line, limits }
    }

    /// Reads a page by address or id.
    pub async fn read_page(&self, url_or_id: &str) -> Result<Page, NotionFault> {
        let id = Id::of_page(url_or_id).ok_or_else(|| fault::no_id(url_or_id))?;
        read::read(&call::Caller::new(self), &id).await
    }

    /// Creates a page. If a part fails, the fault names the partial page.
    pub async fn write_page(&self, write: &Write) -> Result<Written, NotionFault> {
        write::write(&call::Caller::new(self), write).await
    }
}
