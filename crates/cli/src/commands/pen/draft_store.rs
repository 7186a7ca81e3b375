//! Drafts in the store: a log of events for each, beside the conversation with the model.

use std::sync::Arc;

use pen::session::{Draft, DraftEvent};
use store::{Json, LogName, PageRequest, Prefix, Sequence, Store, StoreFault};

use crate::exit::Failure;

/// Log names begin with this.
const LOGS: &str = "pen-draft/";
const PAGE: usize = 500;
/// The most drafts that are listed, and the most events of one.
const DRAFTS_MAX: usize = 10_000;
const EVENTS_MAX: usize = 100_000;

/// The drafts of one store.
#[derive(Clone)]
pub(super) struct DraftStore(Arc<dyn Store>);

/// A draft and its id.
pub(super) struct StoredDraft {
    pub id: String,
    pub draft: Draft,
}

impl DraftStore {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    pub(super) async fn append(&self, id: &str, event: &DraftEvent) -> Result<(), Failure> {
        let body = Json::of(event).map_err(anyhow::Error::from)?;
        self.0.log().append(&log(id)?, body, None).await.map_err(unwritten)?;
        Ok(())
    }

    /// The draft of this id; none if it has no events.
    pub(super) async fn get(&self, id: &str) -> Result<Option<Draft>, Failure> {
        let (name, mut from) = (log(id)?, Sequence::FIRST);
        let mut events: Vec<DraftEvent> = Vec::new();
        while events.len() < EVENTS_MAX {
            let page = self.0.log().read(&name, from, PAGE).await?;
            let Some(last) = page.last() else { break };
            from = last.sequence.next();
            // An event of a newer version is skipped, not lost.
            events.extend(page.iter().filter_map(|record| record.body.to::<DraftEvent>().ok()));
        }
        Ok((!events.is_empty()).then(|| Draft::replay(&events)))
    }

    /// Every draft, the one that changed last first.
    pub(super) async fn all(&self) -> Result<Vec<StoredDraft>, Failure> {
        let prefix: Prefix = LOGS.parse()?;
        let mut page = PageRequest::first(PAGE);
        let mut found = Vec::new();
        loop {
            let logs = self.0.log().logs(&prefix, page).await?;
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

fn log(id: &str) -> Result<LogName, Failure> {
    Ok(format!("{LOGS}{id}").parse()?)
}

fn unwritten(fault: StoreFault) -> Failure {
    anyhow::Error::new(fault).context("the draft cannot be stored").into()
}

/// A new id whose first letters differ from those of the ids before it: `pen-k3f9…`.
pub(super) fn new_id(now_ms: u64, process: u32) -> String {
    let digit = |value: u64| char::from_digit(u32::try_from(value % 36).unwrap_or_default(), 36);
    let base36 = |mut value: u64| {
        let mut text = String::new();
        while value > 0 {
            text.extend(digit(value));
            value /= 36;
        }
        text
    };
    format!("pen-{}{}", base36(now_ms), base36(process.into()))
}

#[cfg(test)]
mod tests {
    use super::new_id;

    #[test]
    fn ids_of_the_same_second_differ_in_their_first_letters() {
        let (one, other) = (new_id(1_770_000_000_000, 7), new_id(1_770_000_000_001, 7));
        assert!(one.starts_with("pen-") && one.is_ascii());
        assert_ne!(one[..6], other[..6]);
    }
}
