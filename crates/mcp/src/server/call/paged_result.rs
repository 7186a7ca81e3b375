//! Results that are too long for one answer: stored for a while and read page by page.

use std::time::Duration;

use store::{Expected, Expiry, Json, Key, Store};

use super::sealed_state::random_hex;
use crate::server::caller::Caller;

/// The name of the tool that reads the next page.
pub(crate) const READ_RESULT_TOOL: &str = contract::READ_RESULT;
/// How long pages are stored.
const PAGE_TTL: Duration = Duration::from_secs(60 * 60);
/// How many pages are stored; a longer result is truncated, and its last page says so.
const PAGES_MAX: usize = 256;

/// One page, and the cursor of the next.
pub(crate) struct ResultPage {
    pub text: String,
    pub next: Option<String>,
}

/// Splits a text into pages at character boundaries.
pub(crate) fn cut(text: &str, bytes_max: usize) -> Vec<&str> {
    let (mut pages, mut rest) = (Vec::new(), text);
    while !rest.is_empty() {
        let at = rest.floor_char_boundary(bytes_max.max(4));
        let (page, more) = rest.split_at(at);
        pages.push(page);
        rest = more;
    }
    pages
}

/// Stores all pages but the first for this caller; returns the cursor of the second.
pub(crate) async fn keep(store: &dyn Store, caller: &Caller, pages: &[&str]) -> Option<String> {
    let id: String = random_hex().ok()?.chars().take(32).collect();
    let last = pages.len().min(PAGES_MAX) - 1;
    for (number, page) in pages.iter().enumerate().take(PAGES_MAX).skip(1) {
        let key = key(caller, &format!("{id}.{number}"))?;
        let value = Json::of(&(page, number < last)).ok()?;
        store.kv().set(&key, value, Expected::Any, Expiry::After(PAGE_TTL)).await.ok()?;
    }
    Some(format!("{id}.1"))
}

/// The page at a cursor, if it belongs to this caller and has not expired.
pub(crate) async fn read(store: &dyn Store, caller: &Caller, cursor: &str) -> Option<ResultPage> {
    let (id, number) = cursor.split_once('.')?;
    let number: usize = number.parse().ok()?;
    let entry = store.kv().get(&key(caller, cursor)?).await.ok()??;
    let (text, goes_on): (String, bool) = entry.value.to().ok()?;
    Some(ResultPage { text, next: goes_on.then(|| format!("{id}.{}", number + 1)) })
}

fn key(caller: &Caller, cursor: &str) -> Option<Key> {
    format!("mcp/result/{}/{cursor}", caller.key()).parse().ok()
}

#[cfg(test)]
mod tests;
