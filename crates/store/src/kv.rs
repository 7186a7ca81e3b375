//! Values under keys: revisions, compare-and-set, lifetimes, lists and watches.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::fault::StoreFault;
use crate::json::Json;
use crate::list::{self, ListEdit, ListEditResult};
use crate::name::{Key, Prefix};
use crate::page::{Page, PageRequest};
use crate::store::BoxFuture;
use crate::subscription::Subscription;

/// The number of a write. One sequence serves all keys of a store: every write, deletion and
/// expiry of any key takes the next number. So a key's revision only grows and is never
/// reused, even after the key was deleted and set again.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Revision(pub u64);

impl Revision {
    /// Before every write. A watch from here begins with all existing keys.
    pub const START: Revision = Revision(0);
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "revision {}", self.0)
    }
}

/// A key with its value, as it was at one revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KvEntry {
    pub key: Key,
    pub value: Json,
    pub revision: Revision,
    pub expires_at: Option<Timestamp>,
}

/// The precondition of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// No precondition.
    Any,
    /// It does not exist: never set, deleted or expired.
    Absent,
    /// It exists and is at this revision.
    Revision(Revision),
}

/// How long a value lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    Never,
    /// From the moment of this write.
    After(Duration),
    /// As before this write; never, if the key did not exist.
    Unchanged,
}

/// A change of one key, as a watch reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Set(KvEntry),
    /// Deleted or expired.
    Deleted {
        key: Key,
        revision: Revision,
    },
}

impl Change {
    pub fn key(&self) -> &Key {
        match self {
            Change::Set(entry) => &entry.key,
            Change::Deleted { key, .. } => key,
        }
    }

    pub fn revision(&self) -> Revision {
        match self {
            Change::Set(entry) => entry.revision,
            Change::Deleted { revision, .. } => *revision,
        }
    }
}

/// JSON values under keys.
///
/// A value whose lifetime has ended does not exist for any method from that millisecond
/// on. Its deletion gets a revision, and is reported to watches, a moment later.
pub trait Kv: Send + Sync {
    fn get<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<KvEntry>, StoreFault>>;

    /// Writes the value if `expected` holds, otherwise fails with [`StoreFault::Conflict`].
    /// Of several writers that expect the same revision exactly one succeeds.
    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> BoxFuture<'a, Result<Revision, StoreFault>>;

    /// Deletes the key if `expected` holds, otherwise fails with [`StoreFault::Conflict`].
    /// Returns the revision of the deletion, or `None` if there was nothing to delete.
    fn delete<'a>(
        &'a self,
        key: &'a Key,
        expected: Expected,
    ) -> BoxFuture<'a, Result<Option<Revision>, StoreFault>>;

    /// The entries whose key begins with `prefix`, in byte order. Each page is a consistent
    /// snapshot; keys that exist throughout are on exactly one page.
    fn list<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> BoxFuture<'a, Result<Page<KvEntry, Key>, StoreFault>>;

    /// As [`Kv::list`], without the values.
    fn keys<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> BoxFuture<'a, Result<Page<Key, Key>, StoreFault>>;

    /// The newest revision of the store.
    fn revision(&self) -> BoxFuture<'_, Result<Revision, StoreFault>>;

    /// Reports every key under `prefix` that changed after the revision `after`, in the order of
    /// the revisions: first past changes, then new ones.
    ///
    /// Must hold: after each change of a key the watch reports that key with that
    /// revision or a later one, so applying the reports gives the stored state. Revisions only
    /// grow. A state that was replaced before the watch read it may be skipped: use a log to see
    /// every step.
    ///
    /// From [`Revision::START`] the watch begins with all existing keys. Deletions are forgotten
    /// after a time that the engine states; a watch that starts or falls behind that gets
    /// [`StoreFault::Forgotten`].
    fn watch<'a>(
        &'a self,
        prefix: &'a Prefix,
        after: Revision,
    ) -> BoxFuture<'a, Result<Subscription<Change>, StoreFault>>;

    /// Changes a list in one step; the lifetime of the key stays. A key that does not
    /// exist counts as an empty list. A list that becomes empty stays, as `[]`. A change
    /// that changes nothing (popping from an empty list) writes nothing.
    ///
    /// An engine without such an operation reads, calls [`ListEdit::apply`], sets with the
    /// revision that it read, and retries on a conflict.
    fn edit_list<'a>(
        &'a self,
        key: &'a Key,
        edit: ListEdit,
    ) -> BoxFuture<'a, Result<ListEditResult, StoreFault>>;

    fn exists<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<bool, StoreFault>> {
        Box::pin(async move { Ok(self.get(key).await?.is_some()) })
    }

    /// Prepends the items one after the other, so that the last comes first.
    fn lpush<'a>(
        &'a self,
        key: &'a Key,
        items: Vec<Json>,
    ) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        self.edit_list(key, ListEdit::PushLeft(items))
    }

    /// Appends the items in their order.
    fn rpush<'a>(
        &'a self,
        key: &'a Key,
        items: Vec<Json>,
    ) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        self.edit_list(key, ListEdit::PushRight(items))
    }

    /// Removes and returns the first item.
    fn lpop<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        self.edit_list(key, ListEdit::PopLeft)
    }

    /// Removes and returns the last item.
    fn rpop<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        self.edit_list(key, ListEdit::PopRight)
    }

    /// Removes and returns the item at `index`; -1 is the last.
    fn lremove_at<'a>(
        &'a self,
        key: &'a Key,
        index: i64,
    ) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        self.edit_list(key, ListEdit::RemoveAt(index))
    }

    /// The items from `start` to `stop`, both included; -1 is the last. Ends that lie
    /// outside the list are cut to it.
    fn lrange<'a>(
        &'a self,
        key: &'a Key,
        start: i64,
        stop: i64,
    ) -> BoxFuture<'a, Result<Vec<Json>, StoreFault>> {
        Box::pin(async move { list::range(key, self.get(key).await?.as_ref(), start, stop) })
    }

    /// How many items the list has.
    fn llen<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<usize, StoreFault>> {
        Box::pin(async move { list::len(key, self.get(key).await?.as_ref()) })
    }
}
