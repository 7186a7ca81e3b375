//! The bounds of a listing or a fetch.

use rusqlite::types::Value;

use crate::limits::Limits;
use crate::name::Prefix;

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
