//! Keys and values in the file.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, Row, params};

use super::bounds::bounds;
use super::counter::{count_up, counter};
use super::expiry::bury;
use super::fault::{json_in, name_in};
use super::subscription::SqliteSubscription;
use super::writer::Step;
use super::{Look, SqliteStore, watch};
use crate::clock::Timestamp;
use crate::engine::Topic;
use crate::fault::StoreFault;
use crate::json::Json;
use crate::kv::{Change, Expected, Expiry, Kv, KvEntry, Revision};
use crate::list::{ListEdit, ListEditResult};
use crate::name::{Key, Prefix};
use crate::page::{Page, PageRequest};
use crate::store::BoxFuture;
use crate::subscription::Subscription;

impl Kv for SqliteStore {
    fn get<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<KvEntry>, StoreFault>> {
        let key = key.clone();
        Box::pin(self.shared.read(move |look| get(look.connection, &key, look.now)))
    }

    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> BoxFuture<'a, Result<Revision, StoreFault>> {
        let key = key.clone();
        Box::pin(async move {
            self.shared.limits.check_value(&value)?;
            let bytes = value.as_str().len();
            self.write(bytes, move |step| set(step, &key, &value, expected, expiry)).await
        })
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        expected: Expected,
    ) -> BoxFuture<'a, Result<Option<Revision>, StoreFault>> {
        let key = key.clone();
        Box::pin(self.write(0, move |step| delete(step, &key, expected)))
    }

    fn list<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> BoxFuture<'a, Result<Page<KvEntry, Key>, StoreFault>> {
        let prefix = prefix.clone();
        Box::pin(self.shared.read(move |look| {
            let columns = "key, value, revision, expires_at";
            let size = |entry: &KvEntry| entry.value.as_str().len();
            let key = |entry: &KvEntry| entry.key.clone();
            list(look, columns, &prefix, &page, entry_in, size, key)
        }))
    }

    fn keys<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> BoxFuture<'a, Result<Page<Key, Key>, StoreFault>> {
        let prefix = prefix.clone();
        Box::pin(self.shared.read(move |look| {
            list(look, "key", &prefix, &page, |row| name_in(row, 0), |_| 0, Key::clone)
        }))
    }

    fn revision(&self) -> BoxFuture<'_, Result<Revision, StoreFault>> {
        Box::pin(self.shared.read(|look| counter(look.connection, "revision").map(Revision)))
    }

    fn watch<'a>(
        &'a self,
        prefix: &'a Prefix,
        after: Revision,
    ) -> BoxFuture<'a, Result<Subscription<Change>, StoreFault>> {
        Box::pin(async move {
            let subscription = self.subscribe(Topic::Kv)?;
            let shared = Arc::clone(&self.shared);
            let prefix = prefix.clone();
            let place = shared.read(move |look| watch::begin(look, prefix, after)).await?;
            let (fetch, fetched) = (watch::changes, VecDeque::new());
            Ok(Subscription::new(SqliteSubscription {
                shared,
                subscription,
                place,
                fetch,
                fetched,
            }))
        })
    }

    fn edit_list<'a>(
        &'a self,
        key: &'a Key,
        edit: ListEdit,
    ) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        let key = key.clone();
        let bytes = match &edit {
            ListEdit::PushLeft(items) | ListEdit::PushRight(items) => {
                items.iter().map(|item| item.as_str().len()).sum()
            }
            ListEdit::PopLeft | ListEdit::PopRight | ListEdit::RemoveAt(_) => 0,
        };
        Box::pin(self.write(bytes, move |step| edit_list(step, &key, &edit)))
    }
}

fn get(connection: &Connection, key: &Key, now: Timestamp) -> Result<Option<KvEntry>, StoreFault> {
    let mut statement = connection.prepare_cached(
        "SELECT key, value, revision, expires_at FROM kv
         WHERE key = ?1 AND value IS NOT NULL AND (expires_at IS NULL OR expires_at > ?2)",
    )?;
    let mut rows = statement.query(params![key.as_str(), now.as_millis()])?;
    rows.next()?.map(entry_in).transpose()
}

pub(super) fn entry_in(row: &Row<'_>) -> Result<KvEntry, StoreFault> {
    Ok(KvEntry {
        key: name_in(row, 0)?,
        value: json_in(row, 1)?,
        revision: Revision(row.get(2)?),
        expires_at: row.get::<_, Option<u64>>(3)?.map(Timestamp::from_millis),
    })
}

fn set(
    step: &mut Step<'_>,
    key: &Key,
    value: &Json,
    expected: Expected,
    expiry: Expiry,
) -> Result<Revision, StoreFault> {
    let before = get(step.connection, key, step.now)?;
    check_expected(key, before.as_ref(), expected)?;
    let expires_at = match expiry {
        Expiry::Never => None,
        Expiry::After(span) => Some(step.now.after(step.limits.span(span))),
        Expiry::Unchanged => before.and_then(|entry| entry.expires_at),
    };
    put(step, key, value, expires_at)
}

fn check_expected(
    key: &Key,
    found: Option<&KvEntry>,
    expected: Expected,
) -> Result<(), StoreFault> {
    let current = found.map(|entry| entry.revision);
    let holds = match expected {
        Expected::Any => true,
        Expected::Absent => current.is_none(),
        Expected::Revision(revision) => current == Some(revision),
    };
    match holds {
        true => Ok(()),
        false => Err(StoreFault::Conflict { key: key.clone(), current }),
    }
}

fn put(
    step: &mut Step<'_>,
    key: &Key,
    value: &Json,
    expires_at: Option<Timestamp>,
) -> Result<Revision, StoreFault> {
    let revision = count_up(step.connection, "revision")?;
    step.connection
        .prepare_cached(
            "INSERT INTO kv (key, value, revision, expires_at) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value,
             revision = excluded.revision, expires_at = excluded.expires_at, deleted_at = NULL",
        )?
        .execute(params![
            key.as_str(),
            value.as_str(),
            revision,
            expires_at.map(Timestamp::as_millis)
        ])?;
    step.touch(Topic::Kv);
    Ok(Revision(revision))
}

fn delete(
    step: &mut Step<'_>,
    key: &Key,
    expected: Expected,
) -> Result<Option<Revision>, StoreFault> {
    let before = get(step.connection, key, step.now)?;
    check_expected(key, before.as_ref(), expected)?;
    if before.is_none() {
        return Ok(None);
    }
    let revision = bury(step.connection, key.as_str(), step.now)?;
    step.touch(Topic::Kv);
    Ok(Some(revision))
}

fn edit_list(
    step: &mut Step<'_>,
    key: &Key,
    edit: &ListEdit,
) -> Result<ListEditResult, StoreFault> {
    let before = get(step.connection, key, step.now)?;
    let change = edit.apply(key, before.as_ref().map(|entry| &entry.value), step.limits)?;
    let revision = match (&change.write, &before) {
        (Some(value), before) => {
            let expires_at = before.as_ref().and_then(|entry| entry.expires_at);
            Some(put(step, key, value, expires_at)?)
        }
        (None, before) => before.as_ref().map(|entry| entry.revision),
    };
    Ok(ListEditResult { taken: change.taken, len: change.len, revision })
}

/// One page of the live keys under a prefix.
fn list<T>(
    look: &Look<'_>,
    columns: &str,
    prefix: &Prefix,
    page: &PageRequest<Key>,
    item_in: fn(&Row<'_>) -> Result<T, StoreFault>,
    size: fn(&T) -> usize,
    key: fn(&T) -> Key,
) -> Result<Page<T, Key>, StoreFault> {
    let (from, end) = bounds(prefix, page.after.as_ref().map(Key::as_str));
    let mut statement = look.connection.prepare_cached(&format!(
        "SELECT {columns} FROM kv WHERE key >= ?1 AND key < ?2 AND value IS NOT NULL
         AND (expires_at IS NULL OR expires_at > ?3) ORDER BY key"
    ))?;
    let mut rows = statement.query(params![from, end, look.now.as_millis()])?;
    let (items_max, mut bytes) = (look.limits.page_items(page.limit), 0);
    let mut items: Vec<T> = Vec::new();
    while let Some(row) = rows.next()? {
        if items.len() == items_max || bytes >= look.limits.page_bytes_max {
            return Ok(Page { next: items.last().map(key), items });
        }
        let item = item_in(row)?;
        bytes += size(&item);
        items.push(item);
    }
    Ok(Page { items, next: None })
}
