//! Drafts in the store: a log of events for each, beside the conversation with the model.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::{BadJson, BadName, Json, LogName, PageRequest, Prefix, Sequence, Store, StoreFault};

use super::draft::{Draft, DraftEvent};

/// Log names begin with this.
const LOGS: &str = "pen-draft/";
const PAGE: usize = 500;
/// The most drafts that are listed, and the most events of one.
const DRAFTS_MAX: usize = 10_000;
const EVENTS_MAX: usize = 100_000;

/// The drafts of one store.
#[derive(Clone)]
pub struct DraftStore(Arc<dyn Store>);

/// A draft and its id.
#[derive(Debug, Clone)]
pub struct StoredDraft {
    pub id: String,
    pub draft: Draft,
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
        Ok(())
    }

    /// The draft of this id; none if it has no events.
    pub async fn get(&self, id: &str) -> Result<Option<Draft>, StoredDraftFault> {
        let (name, mut from) = (log(id)?, Sequence::FIRST);
        let mut events: Vec<DraftEvent> = Vec::new();
        while events.len() < EVENTS_MAX {
            let page = self.0.log().read(&name, from, PAGE).await;
            let page = page.map_err(StoredDraftFault::Unread)?;
            let Some(last) = page.last() else { break };
            from = last.sequence.next();
            // An event of a newer version is skipped, not lost.
            events.extend(page.iter().filter_map(|record| record.body.to::<DraftEvent>().ok()));
        }
        Ok((!events.is_empty()).then(|| Draft::replay(&events)))
    }

    /// Every draft, the one that changed last first.
    pub async fn all(&self) -> Result<Vec<StoredDraft>, StoredDraftFault> {
        let prefix: Prefix = LOGS.parse()?;
        let mut page = PageRequest::first(PAGE);
        let mut found = Vec::new();
        loop {
            let logs = self.0.log().logs(&prefix, page).await;
            let logs = logs.map_err(StoredDraftFault::Unread)?;
            for name in &logs.items {
                let Some(id) = name.as_str().strip_prefix(LOGS) else { continue };
                if let Some(draft) = self.get(id).await? {
                    found.push(StoredDraft { id: id.to_owned(), draft });
                }
            }
            match logs.next {
                Some(next) if found.len() < DRAFTS_MAX => page = PageRequest::after(next, PAGE),
                Some(_) | None => break,
            }
        }
        found.sort_by(|one, other| other.draft.updated.cmp(&one.draft.updated));
        Ok(found)
    }
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
    use super::{id_of, new_id};

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
