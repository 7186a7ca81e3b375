//! Notices for one owner's inbox: what waits for a person besides questions of tools.
//!
//! They are in the store, so they outlive a restart, and pages follow them there.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{BadName, Expected, Expiry, Json, Key, PageRequest, Prefix, Store, StoreFault};

/// Something that waits for a person. The page has the words for each `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InboxNotice {
    /// The same id replaces the notice.
    pub id: String,
    pub kind: String,
    /// What it is about, such as the name of a server.
    pub subject: String,
    pub count: usize,
    /// Milliseconds since 1970.
    pub at: i64,
}

/// The notices of all owners.
#[derive(Clone)]
pub struct InboxNotices(Arc<dyn Store>);

/// More are not listed.
const NOTICES_MAX: usize = 200;

impl InboxNotice {
    /// A notice of now.
    pub fn new(id: String, kind: &str, subject: &str, count: usize) -> Self {
        let at = jiff::Timestamp::now().as_millisecond();
        Self { id, kind: kind.to_owned(), subject: subject.to_owned(), count, at }
    }
}

impl InboxNotices {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    pub async fn put(&self, owner: &str, notice: &InboxNotice) -> Result<(), StoreFault> {
        let key = key(owner, &notice.id)?;
        self.0.kv().set(&key, Json::of(notice)?, Expected::Any, Expiry::Never).await.map(|_| ())
    }

    /// A notice that is not there is no fault.
    pub async fn remove(&self, owner: &str, id: &str) -> Result<(), StoreFault> {
        self.0.kv().delete(&key(owner, id)?, Expected::Any).await.map(|_| ())
    }

    pub(crate) async fn list(&self, owner: &str) -> Result<Vec<InboxNotice>, StoreFault> {
        let page = self.0.kv().list(&prefix(owner)?, PageRequest::first(NOTICES_MAX)).await?;
        Ok(page.items.into_iter().filter_map(|entry| entry.value.to().ok()).collect())
    }
}

/// Below it are the notices of an owner.
pub(crate) fn prefix(owner: &str) -> Result<Prefix, BadName> {
    format!("inbox/{owner}/").parse()
}

fn key(owner: &str, id: &str) -> Result<Key, BadName> {
    format!("inbox/{owner}/{id}").parse()
}
