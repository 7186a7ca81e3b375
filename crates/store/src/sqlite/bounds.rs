//! How far a listing or a fetch goes.

use rusqlite::types::Value;

use crate::limits::Limits;
use crate::name::Prefix;

/// Where the names under a prefix, after the last one seen, begin and end.
pub(super) fn bounds(prefix: &Prefix, after: Option<&str>) -> (String, Value) {
    // No name has a NUL in it, so this is the first text after the one seen.
    let after = after.map(|after| format!("{after}\0")).unwrap_or_default();
    // SQLite puts any blob after all texts.
    let end = prefix.end().map_or(Value::Blob(Vec::new()), Value::Text);
    (after.max(prefix.as_str().to_owned()), end)
}

/// Whether a feed has fetched enough at once.
pub(super) fn full(limits: &Limits, items: usize, bytes: usize) -> bool {
    items >= limits.page_items(usize::MAX) || bytes >= limits.page_bytes_max
}
