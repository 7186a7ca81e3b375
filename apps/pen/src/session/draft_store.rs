//! Drafts in the store: a log of events for each, and a line for lists, beside the conversation with
//! the model.
//!
//! Must hold: the log decides; a line that is missing or unreadable is made from it again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{SignedDuration, Timestamp};
use store::{
    BadJson, BadName, Expected, Expiry, Json, Key, LogName, Pages, Prefix, Sequence, Store,
    StoreFault,
};

use super::draft::{Draft, DraftEvent};
use super::draft_line::DraftLine;
use crate::clock::Now;

/// Log names begin with this.
const LOGS: &str = "pen-draft/";
/// Keys of lines begin with this.
const LINES: &str = "pen-draft-line/";
const PAGE: usize = 500;
/// The most drafts that are listed, and the most events of one.
const DRAFTS_MAX: usize = 10_000;
const EVENTS_MAX: usize = 100_000;
/// A deleted draft can be brought back for so long.
const DELETED_KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// The drafts of one store.
#[derive(Clone)]
pub struct DraftStore(Arc<dyn Store>);

/// A draft and its id.
#[derive(Debug, Clone)]
pub struct StoredDraft {
    pub id: String,
    pub draft: Draft,
}

/// A draft in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedDraft {
    pub id: String,
    pub line: DraftLine,
}

/// The drafts of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DraftList {
    /// Those that are not deleted, the one that changed last first.
    pub drafts: Vec<ListedDraft>,
    /// The ids of those that were deleted long ago; [`super::erase_drafts`] erases them.
    pub to_erase: Vec<String>,
}

/// Why a draft cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoredDraftFault {
    #[error("this is not the id of a draft")]
    Name(#[from] BadName),
    #[error("the draft cannot be stored")]
    Json(#[from] BadJson),
    #[error("the draft cannot be stored")]
    Unwritten(#[source] StoreFault),
    #[error("the drafts cannot be read")]
    Unread(#[source] StoreFault),
}

impl DraftStore {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    pub async fn append(&self, id: &str, event: &DraftEvent) -> Result<(), StoredDraftFault> {
        let body = Json::of(event)?;
        let appended = self.0.log().append(&log(id)?, body, None).await;
        appended.map_err(StoredDraftFault::Unwritten)?;
        self.renew_line(id).await?;
        Ok(())
    }

    /// Writes what lists show of a draft.
    async fn renew_line(&self, id: &str) -> Result<Option<DraftLine>, StoredDraftFault> {
        let Some(draft) = self.get(id).await? else { return Ok(None) };
        let line = DraftLine::of(&draft);
        let (key, value) = (key(id)?, Json::of(&line)?);
        let set = self.0.kv().set(&key, value, Expected::Any, Expiry::Never).await;
        set.map_err(StoredDraftFault::Unwritten)?;
        Ok(Some(line))
    }

    /// The draft of this id; none if it has no events.
    pub async fn get(&self, id: &str) -> Result<Option<Draft>, StoredDraftFault> {
        let (name, mut from) = (log(id)?, Sequence::FIRST);
        let mut events: Vec<DraftEvent> = Vec::new();
        while events.len() < EVENTS_MAX {
            let page = self.0.log().read(&name, from, PAGE).await;
            let page = match page {
                Err(StoreFault::Erased { .. }) => return Ok(None),
                page => page.map_err(StoredDraftFault::Unread)?,
            };
            let Some(last) = page.last() else { break };
            from = last.sequence.next();
            // An event of a newer version is skipped, not lost.
            events.extend(page.iter().filter_map(|record| record.body.to::<DraftEvent>().ok()));
        }
        Ok((!events.is_empty()).then(|| Draft::replay(&events)))
    }

    /// Every draft that is not deleted, the one that changed last first.
    pub async fn all(&self) -> Result<Vec<StoredDraft>, StoredDraftFault> {
        let mut found = Vec::new();
        for id in self.ids().await? {
            if let Some(draft) = self.get(&id).await?.filter(|draft| draft.deleted.is_none()) {
                found.push(StoredDraft { id, draft });
            }
        }
        found.sort_by(|one, other| other.draft.updated.cmp(&one.draft.updated));
        Ok(found)
    }

    /// As [`DraftStore::all`], from the lines alone.
    pub async fn list(&self, now: Now) -> Result<DraftList, StoredDraftFault> {
        let mut lines = self.lines().await?;
        let mut found = DraftList::default();
        for id in self.ids().await? {
            let line = match lines.remove(&id) {
                Some(line) => Some(line),
                None => self.renew_line(&id).await?,
            };
            let Some(line) = line else { continue };
            match &line.deleted {
                None => found.drafts.push(ListedDraft { id, line }),
                Some(at) if is_long_ago(at, now) => found.to_erase.push(id),
                Some(_) => {}
            }
        }
        found.drafts.sort_by(|one, other| other.line.updated.cmp(&one.line.updated));
        Ok(found)
    }

    async fn ids(&self) -> Result<Vec<String>, StoredDraftFault> {
        let prefix: Prefix = LOGS.parse()?;
        let (mut pages, mut ids) = (Pages::of(PAGE), Vec::new());
        while let Some(request) = pages.request().filter(|_| ids.len() < DRAFTS_MAX) {
            let logs = self.0.log().logs(&prefix, request).await;
            for name in pages.items(logs.map_err(StoredDraftFault::Unread)?) {
                ids.extend(name.as_str().strip_prefix(LOGS).map(str::to_owned));
            }
        }
        Ok(ids)
    }

    /// The lines that can be read, by id.
    async fn lines(&self) -> Result<BTreeMap<String, DraftLine>, StoredDraftFault> {
        let prefix: Prefix = LINES.parse()?;
        let (mut pages, mut lines) = (Pages::of(PAGE), BTreeMap::new());
        while let Some(request) = pages.request().filter(|_| lines.len() < DRAFTS_MAX) {
            let listed = self.0.kv().list(&prefix, request).await;
            for entry in pages.items(listed.map_err(StoredDraftFault::Unread)?) {
                let id = entry.key.as_str().strip_prefix(LINES).map(str::to_owned);
                lines.extend(id.zip(entry.value.to::<DraftLine>().ok()));
            }
        }
        Ok(lines)
    }

    /// Erases the draft's own log and line.
    pub(super) async fn erase(&self, id: &str) -> Result<(), StoredDraftFault> {
        self.0.log().erase(&log(id)?).await.map_err(StoredDraftFault::Unwritten)?;
        let deleted = self.0.kv().delete(&key(id)?, Expected::Any).await;
        deleted.map_err(StoredDraftFault::Unwritten)?;
        Ok(())
    }
}

fn is_long_ago(at: &str, now: Now) -> bool {
    let at: Option<Timestamp> = at.parse().ok();
    at.is_some_and(|at| now.time().duration_since(at) > DELETED_KEPT)
}

fn key(id: &str) -> Result<Key, BadName> {
    format!("{LINES}{id}").parse()
}

fn log(id: &str) -> Result<LogName, BadName> {
    format!("{LOGS}{id}").parse()
}

/// A new id whose first letters differ from those of the ids before it: `pen-k3f9…`.
pub fn new_id(now_ms: u64) -> String {
    static MADE: AtomicU64 = AtomicU64::new(0);
    // Several drafts of one idea begin within the same millisecond.
    let made = MADE.fetch_add(1, Ordering::Relaxed);
    id_of(now_ms, u64::from(std::process::id()), made)
}

fn id_of(now_ms: u64, process: u64, made: u64) -> String {
    let digit = |value: u64| char::from_digit(u32::try_from(value % 36).unwrap_or_default(), 36);
    let base36 = |mut value: u64| {
        let mut text = String::new();
        while value > 0 {
            text.extend(digit(value));
            value /= 36;
        }
        text
    };
    format!("pen-{}{}{}", base36(now_ms.wrapping_add(made)), base36(process), base36(made))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use store::{Expected, Expiry, Json, SqliteOptions, SqliteStore, Store};
    use tempfile::TempDir;

    use super::{DraftEvent, DraftStore, id_of, key, new_id};
    use crate::clock::Now;

    fn now(text: &str) -> Now {
        Now::at(text.parse().unwrap())
    }

    /// Drafts with notes of these ids, in this order.
    async fn drafts(ids: &[&str]) -> (DraftStore, Arc<dyn Store>, TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&dir.path().join("store"), SqliteOptions::machine());
        let store: Arc<dyn Store> = Arc::new(store.unwrap());
        let drafts = DraftStore::new(Arc::clone(&store));
        for (number, id) in ids.iter().enumerate() {
            let at = format!("2026-02-08T10:00:0{number}Z");
            let planned = DraftEvent::Planned { day: Some("2026-02-09".to_owned()), at };
            drafts.append(id, &planned).await.unwrap();
        }
        (drafts, store, dir)
    }

    async fn listed(drafts: &DraftStore, at: &str) -> Vec<String> {
        let list = drafts.list(now(at)).await.unwrap();
        list.drafts.into_iter().map(|listed| listed.id).collect()
    }

    #[tokio::test]
    async fn a_list_is_made_of_lines_and_a_bad_line_of_its_log() {
        let (drafts, store, _dir) = drafts(&["a", "b", "c"]).await;
        let today = "2026-02-08T12:00:00Z";
        assert_eq!(listed(&drafts, today).await, ["c", "b", "a"]);
        // Lines of an older version, or none.
        let bad = Json::of(&"not a line").unwrap();
        store.kv().set(&key("a").unwrap(), bad, Expected::Any, Expiry::Never).await.unwrap();
        store.kv().delete(&key("b").unwrap(), Expected::Any).await.unwrap();
        let list = drafts.list(now(today)).await.unwrap().drafts;
        assert_eq!(list.len(), 3);
        assert!(list.iter().all(|one| one.line.planned.as_deref() == Some("2026-02-09")));
        assert!(store.kv().get(&key("b").unwrap()).await.unwrap().is_some(), "it is made again");
    }

    #[tokio::test]
    async fn a_deleted_draft_comes_back_for_a_month_and_is_to_be_erased_then() {
        let (drafts, store, _dir) = drafts(&["a", "b"]).await;
        let deleted = || DraftEvent::Deleted { at: "2026-02-08T12:00:00Z".to_owned() };
        drafts.append("a", &deleted()).await.unwrap();
        assert_eq!(listed(&drafts, "2026-02-08T12:00:01Z").await, ["b"]);
        assert_eq!(drafts.all().await.unwrap().len(), 1);
        let restored = DraftEvent::Restored { at: "2026-02-20T12:00:00Z".to_owned() };
        drafts.append("a", &restored).await.unwrap();
        assert_eq!(listed(&drafts, "2026-02-20T12:00:01Z").await, ["b", "a"]);
        drafts.append("a", &deleted()).await.unwrap();
        assert_eq!(listed(&drafts, "2026-03-08T12:00:00Z").await, ["b"]);
        let month = drafts.list(now("2026-03-08T12:00:00Z")).await.unwrap();
        assert!(month.to_erase.is_empty(), "it can still be brought back");
        let later = drafts.list(now("2026-03-12T12:00:00Z")).await.unwrap();
        assert_eq!(later.to_erase, ["a"]);
        drafts.erase("a").await.unwrap();
        assert_eq!(drafts.get("a").await.unwrap(), None, "and now it is gone");
        assert!(store.kv().get(&key("a").unwrap()).await.unwrap().is_none());
    }

    #[test]
    fn ids_of_the_same_second_differ_in_their_first_letters() {
        let (one, other) = (id_of(1_770_000_000_000, 7, 0), id_of(1_770_000_000_001, 7, 0));
        assert!(one.starts_with("pen-") && one.is_ascii());
        assert_ne!(one[..6], other[..6]);
    }

    #[test]
    fn ids_of_the_same_millisecond_differ() {
        let ids: Vec<String> = (0..50).map(|_| new_id(1_770_000_000_000)).collect();
        let mut distinct = ids.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), ids.len(), "{ids:?}");
    }
}
