//! The services that tools reach over the network, as the tools see them.
//!
//! The program provides the available services; a tool without its service says so.

pub mod notion;
pub mod search;

use std::sync::Arc;
use std::time::Duration;

use contract::BoxFuture;
use serde::Serialize;

/// The time limit of a search; the draft continues without it. Two providers, ten seconds each.
pub const SEARCH_TIME_MAX: Duration = Duration::from_secs(21);
/// The time limit of reading or writing a page; the client stops after fifteen seconds.
pub const NOTION_TIME_MAX: Duration = Duration::from_secs(16);
/// How many results a search gives.
pub const RESULTS_MAX: usize = 5;

/// A page of notes, as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub title: String,
    pub text: String,
    pub last_edited: Option<String>,
    /// Is `text` cut?
    pub truncated: bool,
}

/// A page to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    pub title: String,
    pub text: String,
    pub platform: String,
    pub topic: String,
    pub profile: String,
    /// `2026-02-08`
    pub created: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Written {
    pub notion_url: String,
    pub page_id: String,
    /// Notices about what was written differently.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// One page that a search found; the snippet may be empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hit {
    pub title: String,
    pub url: String,
    pub snippet: String,
}

/// Why a service failed. Contains no secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RemoteFault {
    /// An error code, as in `page_not_found`.
    pub code: String,
    pub message: String,
}

pub trait Notion: Send + Sync {
    /// Reads a page by its id or address.
    fn read_page<'a>(&'a self, page: &'a str) -> BoxFuture<'a, Result<Page, RemoteFault>>;
    /// Makes a page in the writer's database.
    fn write_page<'a>(&'a self, page: &'a NewPage) -> BoxFuture<'a, Result<Written, RemoteFault>>;
    /// Is there a database to write to?
    fn can_write(&self) -> bool;
}

pub trait Search: Send + Sync {
    /// The best results; implementations have their own fallback.
    fn search<'a>(
        &'a self,
        query: &'a str,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, RemoteFault>>;
}

/// The available services.
#[derive(Clone, Default)]
pub struct RemoteServices {
    pub notion: Option<Arc<dyn Notion>>,
    pub search: Option<Arc<dyn Search>>,
}
