//! Computes changes of a JSON list.
//!
//! Must hold: no I/O. Every engine uses this, so that lists are the same everywhere.

use serde_json::value::RawValue;

use crate::fault::{SizedItem, StoreFault};
use crate::json::Json;
use crate::kv::{KvEntry, Revision};
use crate::limits::{Limits, check};
use crate::name::Key;

/// One change of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListEdit {
    PushLeft(Vec<Json>),
    PushRight(Vec<Json>),
    PopLeft,
    PopRight,
    RemoveAt(i64),
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEditResult {
    /// The item that was removed, if there was one.
    pub taken: Option<Json>,
    /// How many items the list has now.
    pub len: usize,
    /// The key's revision now; `None` if the key does not exist.
    pub revision: Option<Revision>,
}

/// The computed change, not yet written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListChange {
    pub taken: Option<Json>,
    pub len: usize,
    /// The new value; `None` if nothing changes.
    pub write: Option<Json>,
}

impl ListEdit {
    /// Computes the change of the value that `key` has now.
    pub fn apply(
        &self,
        key: &Key,
        value: Option<&Json>,
        limits: &Limits,
    ) -> Result<ListChange, StoreFault> {
        let mut items = items(key, value)?;
        let taken = match self {
            ListEdit::PushLeft(new) => {
                let new: Vec<_> = new.iter().rev().map(|item| item.as_str()).collect();
                items.splice(0..0, new);
                None
            }
            ListEdit::PushRight(new) => {
                items.extend(new.iter().map(|item| item.as_str()));
                None
            }
            ListEdit::PopLeft => take(&mut items, 0),
            ListEdit::PopRight => take(&mut items, -1),
            ListEdit::RemoveAt(index) => take(&mut items, *index),
        };
        let len = items.len();
        let changed = match self {
            ListEdit::PushLeft(new) | ListEdit::PushRight(new) => !new.is_empty(),
            ListEdit::PopLeft | ListEdit::PopRight | ListEdit::RemoveAt(_) => taken.is_some(),
        };
        check(SizedItem::List, len, limits.list_items_max)?;
        let write = changed.then(|| Json::trusted(format!("[{}]", items.join(","))));
        if let Some(value) = &write {
            limits.check_value(value)?;
        }
        Ok(ListChange { taken, len, write })
    }
}

/// The items from `start` to `stop`, both included, negative from the end.
pub(crate) fn range(
    key: &Key,
    entry: Option<&KvEntry>,
    start: i64,
    stop: i64,
) -> Result<Vec<Json>, StoreFault> {
    let items = items(key, entry.map(|entry| &entry.value))?;
    let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let place = |index: i64| if index < 0 { index.saturating_add(len) } else { index };
    let (start, stop) = (place(start).max(0), place(stop).min(len - 1));
    let range = usize::try_from(start).ok().zip(usize::try_from(stop).ok());
    let found = range.and_then(|(start, stop)| items.get(start..=stop)).unwrap_or_default();
    Ok(found.iter().map(|item| Json::trusted((*item).to_owned())).collect())
}

pub(crate) fn len(key: &Key, entry: Option<&KvEntry>) -> Result<usize, StoreFault> {
    Ok(items(key, entry.map(|entry| &entry.value))?.len())
}

fn items<'a>(key: &Key, value: Option<&'a Json>) -> Result<Vec<&'a str>, StoreFault> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let items: Vec<&RawValue> = serde_json::from_str(value.as_str())
        .map_err(|_| StoreFault::NotAList { key: key.clone() })?;
    Ok(items.into_iter().map(RawValue::get).collect())
}

fn take(items: &mut Vec<&str>, index: i64) -> Option<Json> {
    let place = match usize::try_from(index) {
        Ok(index) => index,
        Err(_) => items.len().checked_sub(usize::try_from(index.unsigned_abs()).ok()?)?,
    };
    (place < items.len()).then(|| Json::trusted(items.remove(place).to_owned()))
}

#[cfg(test)]
mod tests;
