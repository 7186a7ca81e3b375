//! The bounds of a listing or a fetch.

use rusqlite::types::Value;
use rusqlite::{Row, Rows};

use crate::fault::StoreFault;
use crate::limits::Limits;
use crate::name::Prefix;
use crate::page::Page;

/// The range of names under a prefix, after the last one seen.
pub(super) fn bounds(prefix: &Prefix, after: Option<&str>) -> (String, Value) {
    // Names contain no NUL, so this is the first text after the last one seen.
    let after = after.map(|after| format!("{after}\0")).unwrap_or_default();
    // SQLite sorts blobs after all texts.
    let end = prefix.end().map_or(Value::Blob(Vec::new()), Value::Text);
    (after.max(prefix.as_str().to_owned()), end)
}

/// Whether a subscription has fetched enough at once.
pub(super) fn full(limits: &Limits, items: usize, bytes: usize) -> bool {
    items >= limits.page_items(usize::MAX) || bytes >= limits.page_bytes_max
}

/// Reads rows until the page is full. `size` counts towards its bytes, and `key` is what the next
/// page comes after.
pub(super) fn read_page<T, K>(
    rows: &mut Rows<'_>,
    (limits, items_max): (&Limits, usize),
    item_in: impl Fn(&Row<'_>) -> Result<T, StoreFault>,
    size: impl Fn(&T) -> usize,
    key: impl Fn(&T) -> K,
) -> Result<Page<T, K>, StoreFault> {
    let (items_max, mut bytes) = (limits.page_items(items_max), 0);
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        if items.len() == items_max || bytes >= limits.page_bytes_max {
            return Ok(Page { next: items.last().map(key), items });
        }
        let item = item_in(row)?;
        bytes += size(&item);
        items.push(item);
    }
    Ok(Page { items, next: None })
}
