//! Notion on this machine: a workspace that answers as the real one was recorded to.
//!
//! In: pages, databases and what shall go wrong. Out: answers over a real socket, in the
//! shapes of `corpus/notion-exchanges.jsonl`; what Notion's limits forbid is refused as
//! Notion refuses it. Must hold: what a test reads back is what requests put there.

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

/// The only token that opens the door.
pub const TOKEN: &str = "ntn_test_0123456789abcdef";

/// A running workspace; it ends when this is dropped.
pub struct FakeNotion {
    web: Web,
    /// Locked for one request, or for one look of the test, never across a wait.
    workspace: Arc<Mutex<Workspace>>,
}

/// What goes wrong with one request.
#[derive(Debug, Clone)]
pub enum Trip {
    /// It is refused with this status and code.
    Says { status: u16, code: &'static str, retry_after: Option<u32> },
    /// It never arrives, and the connection breaks.
    RequestLost,
    /// It is done, and the connection breaks.
    AnswerLost,
    /// It is done, and a gateway says this status.
    DoneButSays { status: u16 },
    /// It is not done, and nothing is said until the door opens.
    Silent(Gate),
    /// It is done, and nothing is said until the door opens.
    DoneButSilent(Gate),
}

/// What came to stand on a page.
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

    /// From now on no address and no field of Markdown is known.
    pub fn without_markdown(&self) {
        lock(&self.workspace).knows_markdown = false;
    }

    /// The next request that begins so, as in `POST /v1/pages`, goes wrong. In order.
    pub fn trip(&self, on: &str, trip: Trip) {
        lock(&self.workspace).trips.push((on.to_owned(), trip));
    }

    /// What goes wrong and has not yet.
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
