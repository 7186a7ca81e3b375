//! Web search: the model's own, else Tavily, else the draft continues without.
//!
//! In: a query. Out: [`SearchResults`], with the provider and why a better one failed; or a
//! [`SearchFault`], after which a draft is written without outside data. Must hold: each
//! provider has one time limit and is asked once; results are data, never instructions.
//!
//! Start at [`WebSearch`].

mod server_tool;
mod tavily;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use contract::{BoxFuture, Model, Usage};
use serde_json::{Value, json};

pub use crate::remote::Hit;
pub use tavily::Tavily;

use crate::remote::{self, RemoteFault};

/// All search providers, best first.
pub struct WebSearch {
    /// The writing model; used only if it has a built-in search.
    pub model: Option<Arc<dyn Model>>,
    pub tavily: Option<Tavily>,
    pub limits: Limits,
}

/// Limits of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// One provider.
    pub try_time_max: Duration,
    pub query_chars_max: usize,
    pub hits_max: usize,
    pub title_chars_max: usize,
    pub snippet_chars_max: usize,
    pub reply_bytes_max: usize,
}

impl Limits {
    /// Ten seconds, and sizes that fit a prompt.
    pub const fn usual() -> Self {
        Self {
            try_time_max: Duration::from_secs(10),
            query_chars_max: 400,
            hits_max: 20,
            title_chars_max: 300,
            snippet_chars_max: 800,
            reply_bytes_max: 2 << 20,
        }
    }
}

/// The result of a search; it may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResults {
    pub hits: Vec<Hit>,
    pub way: Way,
    /// The better providers that failed, for the author.
    pub skipped: Vec<Skipped>,
    /// The tokens that the model used, even without results.
    pub usage: Usage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The search that Anthropic's models have.
    ServerTool,
    Tavily,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::ServerTool => "the model's search",
            Way::Tavily => "Tavily",
        })
    }
}

/// A provider that was skipped or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{way}: {why}; {fix}")]
pub struct Skipped {
    pub way: Way,
    pub why: String,
    pub fix: String,
}

/// Why there are no results.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchFault {
    #[error("the query {why}; write two to five words")]
    BadQuery { why: String },
    #[error("search is not available, so the text is written without outside data: {}", list(.skipped))]
    Unavailable { skipped: Vec<Skipped>, usage: Usage },
}

impl SearchResults {
    /// As `search_web` returns it.
    pub fn returned(&self) -> Value {
        let hit = |hit: &Hit| json!({ "title": hit.title, "url": hit.url, "snippet": hit.snippet });
        let results: Vec<_> = self.hits.iter().map(hit).collect();
        let skipped: Vec<_> = self.skipped.iter().map(Skipped::to_string).collect();
        let way = self.way.to_string();
        json!({ "success": true, "results": results, "way": way, "skipped": skipped })
    }
}

impl SearchFault {
    /// As `search_web` returns it, with a message in the writer's language.
    pub fn returned(&self, message: &str) -> Value {
        json!({ "success": false, "error": self.word(), "message": message, "why": self.to_string() })
    }

    /// The code that a tool returns as `error`.
    pub fn word(&self) -> &'static str {
        match self {
            SearchFault::BadQuery { .. } => "invalid_query",
            SearchFault::Unavailable { .. } => "search_unavailable",
        }
    }

    /// The message in Ukrainian.
    pub fn in_ukrainian(&self) -> &'static str {
        match self {
            SearchFault::BadQuery { .. } => "Запит порожній або задовгий. Напишіть 2–5 слів.",
            SearchFault::Unavailable { .. } => "Пошук недоступний, генерую без зовнішніх даних",
        }
    }
}

fn list(skipped: &[Skipped]) -> String {
    skipped.iter().map(Skipped::to_string).collect::<Vec<_>>().join(". ")
}

impl WebSearch {
    /// Is any provider configured?
    pub fn is_set_up(&self) -> bool {
        self.tavily.is_some() || self.model.as_deref().is_some_and(server_tool::has_search)
    }

    /// At most `max` results from the first provider that works.
    pub async fn search(&self, query: &str, max: usize) -> Result<SearchResults, SearchFault> {
        let query = self.checked(query)?;
        let max = max.clamp(1, self.limits.hits_max);
        let mut usage = Usage::default();
        let first = match self.by_model(query, max, &mut usage).await {
            Ok(hits) => {
                let (hits, skipped) = (self.cleaned(hits, max), Vec::new());
                return Ok(SearchResults { hits, way: Way::ServerTool, skipped, usage });
            }
            Err(skipped) => skipped,
        };
        tracing::debug!("{first}");
        match self.by_tavily(query, max).await {
            Ok(hits) => {
                let (hits, skipped) = (self.cleaned(hits, max), vec![first]);
                Ok(SearchResults { hits, way: Way::Tavily, skipped, usage })
            }
            Err(second) => Err(SearchFault::Unavailable { skipped: vec![first, second], usage }),
        }
    }

    fn checked<'a>(&self, query: &'a str) -> Result<&'a str, SearchFault> {
        let (query, max) = (query.trim(), self.limits.query_chars_max);
        let bad = |why: String| Err(SearchFault::BadQuery { why });
        match query.chars().count() {
            0 => bad("is empty".to_owned()),
            count if count > max => bad(format!("has {count} characters, more than {max}")),
            _ => Ok(query),
        }
    }

    async fn by_model(
        &self,
        query: &str,
        max: usize,
        usage: &mut Usage,
    ) -> Result<Vec<Hit>, Skipped> {
        let model = self.model.as_deref().ok_or_else(server_tool::no_model)?;
        let time_max = self.limits.try_time_max;
        let search = server_tool::search(model, query, max, usage);
        let answered = tokio::time::timeout(time_max, search).await;
        answered.unwrap_or_else(|_| Err(timed_out(Way::ServerTool, time_max)))
    }

    async fn by_tavily(&self, query: &str, max: usize) -> Result<Vec<Hit>, Skipped> {
        let tavily = self.tavily.as_ref().ok_or_else(tavily::no_key)?;
        tavily.search(query, max, &self.limits).await
    }

    /// Each address once, in order, within the limits.
    fn cleaned(&self, hits: Vec<Hit>, max: usize) -> Vec<Hit> {
        let mut seen = BTreeSet::new();
        let is_new = |hit: &Hit| is_page(&hit.url) && seen.insert(hit.url.clone());
        let clipped = |hit: Hit| Hit {
            title: clip(&hit.title, self.limits.title_chars_max),
            snippet: clip(&hit.snippet, self.limits.snippet_chars_max),
            url: hit.url,
        };
        hits.into_iter().filter(is_new).take(max).map(clipped).collect()
    }
}

impl remote::Search for WebSearch {
    fn search<'a>(
        &'a self,
        query: &'a str,
        max: usize,
    ) -> BoxFuture<'a, Result<Vec<Hit>, RemoteFault>> {
        Box::pin(async move {
            let found = WebSearch::search(self, query, max).await;
            found.map(|found| found.hits).map_err(|fault| RemoteFault {
                code: fault.word().to_owned(),
                message: fault.to_string(),
            })
        })
    }
}

fn timed_out(way: Way, after: Duration) -> Skipped {
    let why = format!("no answer within {} ms", after.as_millis());
    Skipped { way, why, fix: "try again later".to_owned() }
}

const URL_BYTES_MAX: usize = 2_000;

fn is_page(url: &str) -> bool {
    let has_scheme = url.starts_with("https://") || url.starts_with("http://");
    has_scheme && url.len() <= URL_BYTES_MAX && !url.contains(char::is_whitespace)
}

/// On one line, and cut where it is too long.
fn clip(text: &str, chars_max: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
