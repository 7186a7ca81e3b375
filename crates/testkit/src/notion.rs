//! A fake Notion: a workspace that answers as recordings of the real one.
//!
//! In: pages, databases and faults to inject. Out: answers over a real socket, in the format of
//! `corpus/notion-exchanges.jsonl`; requests beyond Notion's limits are refused as Notion does.
//! Must hold: what a test reads back is what requests wrote.

mod answer;
mod check;
mod recorded;
mod workspace;

#[cfg(test)]
mod tests;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

pub use recorded::{Recording, recordings, replay};

use crate::Gate;
use crate::web::Web;
use fake_providers::RecordedRequest;
use workspace::Workspace;

/// The only valid token.
pub const TOKEN: &str = "ntn_test_0123456789abcdef";

/// A running workspace; it ends when this is dropped.
pub struct FakeNotion {
    web: Web,
    /// Locked for one request, or for one look of the test, never across an await.
    workspace: Arc<Mutex<Workspace>>,
}

/// A fault to inject into one request.
#[derive(Debug, Clone)]
pub enum Trip {
    /// It is refused with this status and code.
    Says { status: u16, code: &'static str, retry_after: Option<u32> },
    /// It never arrives, and the connection breaks.
    RequestLost,
    /// It is done, and the connection breaks.
    AnswerLost,
    /// It is done, and a gateway answers this status.
    DoneButSays { status: u16 },
    /// It is not done, and there is no answer until the gate opens.
    Silent(Gate),
    /// It is done, and there is no answer until the gate opens.
    DoneButSilent(Gate),
}

/// A page that requests have written.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    pub id: String,
    pub parent: Value,
    pub properties: Value,
    /// The blocks of the first level, as they were sent.
    pub blocks: Vec<Value>,
}

impl Made {
    /// The text of each block.
    pub fn texts(&self) -> Vec<String> {
        self.blocks.iter().map(workspace::text_of).collect()
    }
}

impl FakeNotion {
    pub async fn start() -> io::Result<Self> {
        let workspace = Arc::new(Mutex::new(Workspace::default()));
        let held = Arc::clone(&workspace);
        let web = Web::start(move |request| answer::answer(&mut lock(&held), request)).await?;
        Ok(Self { web, workspace })
    }

    pub fn base_url(&self) -> String {
        self.web.base_url()
    }

    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.web.requests()
    }

    /// The requests as `METHOD path`, with ids shortened to `:id`.
    pub fn asked(&self) -> Vec<String> {
        self.requests().iter().map(answer::shown).collect()
    }

    /// A page of the workspace; blocks have their own under `children`.
    pub fn page(&self, title: &str, blocks: &Value) -> String {
        lock(&self.workspace).add_page(title, blocks)
    }

    /// A database with sources of these names and columns; the ids of it and of them.
    pub fn database(&self, sources: &[(&str, Value)]) -> (String, Vec<String>) {
        lock(&self.workspace).add_database(sources)
    }

    /// Notion's own Markdown of a page, and whether Notion has cut it.
    pub fn markdown(&self, page: &str, text: &str, truncated: bool) {
        lock(&self.workspace).markdown.insert(page.to_owned(), (text.to_owned(), truncated));
    }

    /// Disables all Markdown endpoints and fields.
    pub fn without_markdown(&self) {
        lock(&self.workspace).knows_markdown = false;
    }

    /// Injects a fault into the next request with this prefix, as in `POST /v1/pages`. In order.
    pub fn trip(&self, on: &str, trip: Trip) {
        lock(&self.workspace).trips.push((on.to_owned(), trip));
    }

    /// Injected faults that have not happened yet.
    pub fn trips_left(&self) -> usize {
        lock(&self.workspace).trips.len()
    }

    /// All pages that requests made, in order.
    pub fn made(&self) -> Vec<Made> {
        lock(&self.workspace).made()
    }
}

fn lock(workspace: &Mutex<Workspace>) -> MutexGuard<'_, Workspace> {
    workspace.lock().unwrap_or_else(PoisonError::into_inner)
}
