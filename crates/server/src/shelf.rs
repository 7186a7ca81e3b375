//! The owners' conversations: a line each, so that a list needs no logs.

use engine::Desk;
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Entry, Expected, Expiry, Json, Key, PageRequest, Prefix};

use crate::fault::{Answer, Fault};
use crate::tokens::random_name;

/// What the list says of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConversationLine")]
pub(crate) struct Line {
    pub id: String,
    pub title: String,
    pub turns: u64,
    pub updated_at: u64,
    /// Was a turn begun whose end this line does not know of?
    #[serde(default)]
    pub open: bool,
}

const TITLE_CHARS_MAX: usize = 80;

/// The lines, in the store.
pub(crate) struct Shelf {
    desk: Desk,
}

impl Shelf {
    pub(crate) fn new(desk: Desk) -> Self {
        Self { desk }
    }

    /// A line for a new conversation.
    pub(crate) async fn add(&self, owner: &str, title: Option<&str>) -> Answer<Line> {
        let id = random_name().map_err(|fault| Fault::ours(&fault))?;
        let title = title.map(clipped).unwrap_or_default();
        let line = Line { id, title, turns: 0, updated_at: self.desk.now().0, open: false };
        self.put(owner, &line).await?;
        Ok(line)
    }

    /// The owner's line of this conversation; what is not the owner's is not there.
    pub(crate) async fn line(&self, owner: &str, id: &str) -> Answer<Line> {
        match self.desk.store().kv().get(&key(owner, id)?).await? {
            Some(entry) => entry.value.to().map_err(|bad| Fault::ours(&bad)),
            None => Err(Fault::not_found("there is no such conversation")),
        }
    }

    /// The owner's conversation of this id.
    pub(crate) async fn id(&self, owner: &str, id: &str) -> Answer<ConversationId> {
        Ok(ConversationId(self.line(owner, id).await?.id))
    }

    /// All lines of an owner, newest first.
    pub(crate) async fn list(&self, owner: &str) -> Answer<Vec<Line>> {
        let mut lines = self.under(&format!("pad/{owner}/talk/")).await?;
        lines.sort_by_key(|(_, line)| std::cmp::Reverse(line.updated_at));
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    }

    /// The conversations whose turns a server left open, with their owners.
    pub(crate) async fn left_open(&self) -> Answer<Vec<(String, Line)>> {
        let mut lines = self.under("pad/").await?;
        lines.retain(|(_, line)| line.open);
        Ok(lines)
    }

    async fn under(&self, prefix: &str) -> Answer<Vec<(String, Line)>> {
        let prefix: Prefix = prefix.parse()?;
        let mut lines = Vec::new();
        let mut page = PageRequest::first(500);
        loop {
            let found = self.desk.store().kv().list(&prefix, page).await?;
            lines.extend(found.items.iter().filter_map(read));
            match found.next {
                Some(next) => page = PageRequest::after(next, 500),
                None => return Ok(lines),
            }
        }
    }

    /// A turn begins: the line moves up, and gets a title if it has none.
    pub(crate) async fn began(&self, owner: &str, line: Line, turn: u64, text: &str) -> Answer<()> {
        let title = if line.title.is_empty() { clipped(text) } else { line.title };
        let updated_at = self.desk.now().0;
        self.put(owner, &Line { title, turns: turn, updated_at, open: true, ..line }).await
    }

    /// A turn has its end, or waits for a person.
    pub(crate) async fn rested(&self, owner: &str, id: &str) -> Answer<()> {
        let line = self.line(owner, id).await?;
        self.put(owner, &Line { open: false, updated_at: self.desk.now().0, ..line }).await
    }

    pub(crate) async fn remove(&self, owner: &str, id: &str) -> Answer<()> {
        self.desk.store().kv().delete(&key(owner, id)?, Expected::Any).await?;
        Ok(())
    }

    async fn put(&self, owner: &str, line: &Line) -> Answer<()> {
        let (key, json) = (key(owner, &line.id)?, Json::of(line)?);
        self.desk.store().kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        Ok(())
    }
}

/// An owner's name has no `/`, so nobody's keys begin like another's.
fn key(owner: &str, id: &str) -> Answer<Key> {
    Ok(format!("pad/{owner}/talk/{id}").parse()?)
}

fn read(entry: &Entry) -> Option<(String, Line)> {
    let mut parts = entry.key.as_str().split('/');
    let (owner, kind) = (parts.nth(1)?, parts.next()?);
    (kind == "talk").then(|| entry.value.to().ok())?.map(|line| (owner.to_owned(), line))
}

fn clipped(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    line.chars().take(TITLE_CHARS_MAX).collect()
}
