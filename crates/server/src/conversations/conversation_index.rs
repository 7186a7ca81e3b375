//! The index of conversations: a summary of each, so that lists read no logs, and its text, so
//! that a search reads none either.

use std::collections::BTreeMap;

use contract::Digest;
use conversation::{Conversation, Conversations};
use policy::ConversationId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{BadName, Expected, Expiry, Json, Key, Kv, KvEntry, Pages, Prefix, StoreFault};

use crate::auth::tokens::random_name;
use crate::conversations::organisation::Organisation;
use crate::conversations::search::words;
use crate::fault::{Fault, HandlerResult};

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ConversationLine")]
pub(crate) struct ConversationSummary {
    pub id: String,
    pub title: String,
    pub turns: u64,
    pub updated_at: u64,
    /// Whether a turn was begun whose end is not recorded here.
    #[serde(default)]
    pub open: bool,
    /// The id that an AG-UI client uses for the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    #[serde(flatten)]
    pub organisation: Organisation,
    /// It is in no list and no search, and is deleted when its person leaves it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub temporary: bool,
    /// The server that deletes it, if it is temporary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<String>,
}

/// Whether a conversation stays when its person leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stay {
    Kept,
    Temporary,
}

const TITLE_CHARS_MAX: usize = 60;

/// The summaries, in the store.
pub(crate) struct ConversationIndex {
    conversations: Conversations,
    /// The name of this server.
    node: String,
}

impl ConversationIndex {
    pub(crate) fn new(conversations: Conversations, node: &str) -> Self {
        Self { conversations, node: node.to_owned() }
    }

    /// Whether this server deletes a temporary conversation.
    pub(crate) fn is_served_here(&self, line: &ConversationSummary) -> bool {
        line.served_by.as_ref().is_none_or(|node| *node == self.node)
    }

    /// From now on this server deletes the temporary conversation.
    pub(crate) async fn serve_here(&self, owner: &str, id: &str) -> HandlerResult<()> {
        self.edit(owner, id, |line| line.served_by = Some(self.node.clone())).await
    }

    /// Adds the summary of a new conversation.
    pub(crate) async fn add(
        &self,
        owner: &str,
        title: Option<&str>,
        stay: Stay,
    ) -> HandlerResult<ConversationSummary> {
        let id = random_name().map_err(|fault| Fault::ours(&fault))?;
        let title = title.map(clipped).unwrap_or_default();
        let updated_at = self.conversations.engine().now().0;
        let line = ConversationSummary {
            id,
            title,
            turns: 0,
            updated_at,
            open: false,
            thread: None,
            organisation: Organisation::default(),
            temporary: stay == Stay::Temporary,
            served_by: (stay == Stay::Temporary).then(|| self.node.clone()),
        };
        self.put(owner, &line, Expected::Absent).await?;
        Ok(line)
    }

    /// The owner's conversation; those of other owners are not found.
    pub(crate) async fn line(&self, owner: &str, id: &str) -> HandlerResult<ConversationSummary> {
        match self.kv().get(&key(owner, id)?).await? {
            Some(entry) => entry.value.to().map_err(|bad| Fault::ours(&bad)),
            None => Err(Fault::no_conversation()),
        }
    }

    pub(crate) async fn has(&self, owner: &str, id: &ConversationId) -> HandlerResult<bool> {
        Ok(self.kv().get(&key(owner, &id.0)?).await?.is_some())
    }

    /// Checks that the owner has this conversation.
    pub(crate) async fn id(&self, owner: &str, id: &str) -> HandlerResult<ConversationId> {
        Ok(ConversationId(self.line(owner, id).await?.id))
    }

    /// All conversations of an owner but temporary ones, newest first.
    pub(crate) async fn list(&self, owner: &str) -> HandlerResult<Vec<ConversationSummary>> {
        let mut lines = self.under(&format!("pad/{owner}/talk/")).await?;
        lines.retain(|(_, line)| !line.temporary);
        lines.sort_by_key(|(_, line)| std::cmp::Reverse(line.updated_at));
        Ok(lines.into_iter().map(|(_, line)| line).collect())
    }

    /// How many conversations an owner has.
    pub(crate) async fn count(&self, owner: &str) -> HandlerResult<usize> {
        let prefix: Prefix = format!("pad/{owner}/talk/").parse()?;
        let mut count = 0;
        let mut pages = Pages::of(1_000);
        while let Some(request) = pages.request() {
            count += pages.items(self.kv().keys(&prefix, request).await?).len();
        }
        Ok(count)
    }

    /// Conversations whose turns a server left open, with their owners.
    pub(crate) async fn left_open(&self) -> HandlerResult<Vec<(String, ConversationSummary)>> {
        let mut lines = self.under("pad/").await?;
        lines.retain(|(_, line)| line.open);
        Ok(lines)
    }

    /// The temporary conversations of all owners, with their owners.
    pub(crate) async fn temporary(&self) -> HandlerResult<Vec<(String, ConversationSummary)>> {
        let mut lines = self.under("pad/").await?;
        lines.retain(|(_, line)| line.temporary);
        Ok(lines)
    }

    async fn under(&self, prefix: &str) -> HandlerResult<Vec<(String, ConversationSummary)>> {
        let prefix: Prefix = prefix.parse()?;
        let mut lines = Vec::new();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            let entries = pages.items(self.kv().list(&prefix, request).await?);
            lines.extend(entries.iter().filter_map(read));
        }
        Ok(lines)
    }

    pub(super) fn kv(&self) -> &dyn Kv {
        self.conversations.engine().store().kv()
    }

    /// A turn is about to begin: after a crash, the next server checks whether it has. Returns
    /// whether one was open before.
    pub(crate) async fn will_begin(&self, owner: &str, id: &ConversationId) -> HandlerResult<bool> {
        let mut was_open = false;
        let open =
            |line: &mut ConversationSummary| was_open = std::mem::replace(&mut line.open, true);
        self.change(owner, &id.0, open).await?;
        Ok(was_open)
    }

    /// A turn begins: after a crash, the next server resumes it.
    pub(crate) async fn mark_open(&self, owner: &str, id: &ConversationId) -> HandlerResult<()> {
        self.note(owner, id, Some(true)).await
    }

    /// A turn has ended, or waits for a person.
    pub(crate) async fn mark_closed(&self, owner: &str, id: &ConversationId) -> HandlerResult<()> {
        self.note(owner, id, Some(false)).await
    }

    /// Updates the summary after a change.
    pub(crate) async fn changed(&self, owner: &str, id: &ConversationId) -> HandlerResult<()> {
        self.note(owner, id, None).await
    }

    async fn note(
        &self,
        owner: &str,
        id: &ConversationId,
        open: Option<bool>,
    ) -> HandlerResult<()> {
        let conversation = self.conversations.get(id).await?;
        let messages = conversation.messages();
        let mut is_temporary = false;
        self.change(owner, &id.0, |line| {
            is_temporary = line.temporary;
            if line.title.is_empty() {
                line.title = messages.first().map(|first| clipped(first)).unwrap_or_default();
            }
            line.turns = messages.len() as u64;
            line.open = open.unwrap_or(line.open);
        })
        .await?;
        match is_temporary {
            true => Ok(()),
            false => self.keep_words(owner, &id.0, &conversation).await,
        }
    }

    pub(crate) async fn rename(&self, owner: &str, id: &str, title: &str) -> HandlerResult<()> {
        self.change(owner, id, |line| line.title = clipped(title)).await
    }

    /// Records the id that an AG-UI client uses.
    pub(crate) async fn bind(&self, owner: &str, id: &str, thread: &str) -> HandlerResult<()> {
        let (key, json) = (thread_key(owner, thread)?, Json::of(&id)?);
        self.kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        self.change(owner, id, |line| line.thread = Some(thread.to_owned())).await
    }

    /// The owner's conversation with this client id.
    pub(crate) async fn bound(&self, owner: &str, thread: &str) -> HandlerResult<Option<String>> {
        let found = self.kv().get(&thread_key(owner, thread)?).await?;
        Ok(found.and_then(|entry| entry.value.to().ok()))
    }

    pub(crate) async fn remove(&self, owner: &str, id: &str) -> HandlerResult<()> {
        let line = self.line(owner, id).await?;
        let kv = self.conversations.engine().store().kv();
        if let Some(thread) = line.thread {
            kv.delete(&thread_key(owner, &thread)?, Expected::Any).await?;
        }
        kv.delete(&words_key(owner, id)?, Expected::Any).await?;
        kv.delete(&key(owner, id)?, Expected::Any).await?;
        Ok(())
    }

    /// The text of each of an owner's conversations.
    pub(crate) async fn words(&self, owner: &str) -> HandlerResult<BTreeMap<String, String>> {
        let home = format!("pad-words/{owner}/");
        let prefix: Prefix = home.parse()?;
        let mut all = BTreeMap::new();
        let mut pages = Pages::of(500);
        while let Some(request) = pages.request() {
            let entries = pages.items(self.kv().list(&prefix, request).await?);
            all.extend(entries.iter().filter_map(|entry| {
                let id = entry.key.as_str().strip_prefix(&home)?.to_owned();
                Some((id, entry.value.to().ok()?))
            }));
        }
        Ok(all)
    }

    async fn keep_words(
        &self,
        owner: &str,
        id: &str,
        conversation: &Conversation,
    ) -> HandlerResult<()> {
        let (key, json) = (words_key(owner, id)?, Json::of(&words(conversation))?);
        self.kv().set(&key, json, Expected::Any, Expiry::Never).await?;
        Ok(())
    }

    /// Changes a summary because something happened in the conversation.
    async fn change(
        &self,
        owner: &str,
        id: &str,
        mut change: impl FnMut(&mut ConversationSummary),
    ) -> HandlerResult<()> {
        let now = self.conversations.engine().now().0;
        self.edit(owner, id, |line| {
            change(line);
            line.updated_at = now;
        })
        .await
    }

    /// Changes a summary, without undoing concurrent changes.
    pub(super) async fn edit(
        &self,
        owner: &str,
        id: &str,
        mut change: impl FnMut(&mut ConversationSummary),
    ) -> HandlerResult<()> {
        loop {
            let found = self.kv().get(&key(owner, id)?).await?;
            let entry = found.ok_or_else(Fault::no_conversation)?;
            let mut line: ConversationSummary =
                entry.value.to().map_err(|bad| Fault::ours(&bad))?;
            change(&mut line);
            match self.put(owner, &line, Expected::Revision(entry.revision)).await {
                Err(StoreFault::Conflict { .. }) => {}
                other => return Ok(other?),
            }
        }
    }

    async fn put(
        &self,
        owner: &str,
        line: &ConversationSummary,
        expected: Expected,
    ) -> Result<(), StoreFault> {
        let (key, json) = (key(owner, &line.id)?, Json::of(line)?);
        self.kv().set(&key, json, expected, Expiry::Never).await.map(|_| ())
    }
}

/// Owner names contain no `/`, so no owner's prefix is a prefix of another's.
fn key(owner: &str, id: &str) -> Result<Key, BadName> {
    format!("pad/{owner}/talk/{id}").parse()
}

fn words_key(owner: &str, id: &str) -> Result<Key, BadName> {
    format!("pad-words/{owner}/{id}").parse()
}

/// A client's id may contain anything.
fn thread_key(owner: &str, thread: &str) -> Result<Key, BadName> {
    format!("pad/{owner}/thread/{}", Digest::of(thread.as_bytes())).parse()
}

fn read(entry: &KvEntry) -> Option<(String, ConversationSummary)> {
    let mut parts = entry.key.as_str().split('/');
    let (owner, kind) = (parts.nth(1)?, parts.next()?);
    (kind == "talk").then(|| entry.value.to().ok())?.map(|line| (owner.to_owned(), line))
}

/// The first line of a text, cut at a word.
fn clipped(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let Some((end, _)) = line.char_indices().nth(TITLE_CHARS_MAX) else {
        return line.to_owned();
    };
    let cut = line.get(..end).unwrap_or_default();
    let whole = match cut.rsplit_once(char::is_whitespace) {
        Some((whole, _)) if whole.chars().count() > TITLE_CHARS_MAX / 2 => whole,
        Some(_) | None => cut,
    };
    format!("{}…", whole.trim_end_matches(|c: char| c.is_whitespace() || ",;:".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::clipped;

    #[test]
    fn a_title_is_one_line_cut_at_a_word() {
        let check = |text: &str, expected: &str| assert_eq!(clipped(text), expected);
        check("\n  Send it! \nNow.", "Send it!");
        check(
            "Could you please tell me, in a few words, how clocks were built in the old days?",
            "Could you please tell me, in a few words, how clocks were…",
        );
        check(&"я".repeat(70), &format!("{}…", "я".repeat(60)));
        check("", "");
    }
}
