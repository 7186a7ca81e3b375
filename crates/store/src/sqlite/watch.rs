//! Reads the changes after a revision, for watches.

use rusqlite::types::ValueRef;
use rusqlite::{Row, params};

use super::Look;
use super::bounds::{bounds, full};
use super::counter::counter;
use super::fault::name_in;
use super::kv::entry_in;
use crate::fault::StoreFault;
use crate::kv::{Change, Revision};
use crate::name::Prefix;

/// The position of a watch.
#[derive(Clone)]
pub(super) struct WatchPosition {
    prefix: Prefix,
    after: Revision,
    /// Deletions up to here were forgotten before the watch began.
    forgotten: u64,
}

/// The position of a watch that begins after a revision.
pub(super) fn begin(
    look: &Look<'_>,
    prefix: Prefix,
    after: Revision,
) -> Result<WatchPosition, StoreFault> {
    let forgotten = match after {
        Revision::START => counter(look.connection, "forgotten")?,
        _ => 0,
    };
    Ok(WatchPosition { prefix, after, forgotten })
}

/// The changes after a position.
pub(super) fn changes(
    look: &Look<'_>,
    place: WatchPosition,
) -> Result<(Vec<Change>, WatchPosition), StoreFault> {
    let snapshot = look.connection.unchecked_transaction()?;
    let forgotten = counter(&snapshot, "forgotten")?;
    if place.after.0.max(place.forgotten) < forgotten {
        return Err(StoreFault::Forgotten { through: Revision(forgotten) });
    }
    let newest = Revision(counter(&snapshot, "revision")?);
    let (from, end) = bounds(&place.prefix, None);
    // The `+` makes SQLite use the index of revisions. An expired value is left out: its
    // deletion has its own revision.
    let mut statement = snapshot.prepare_cached(
        "SELECT key, value, revision, expires_at FROM kv
         WHERE revision > ?1 AND +key >= ?2 AND +key < ?3
         AND (expires_at IS NULL OR expires_at > ?4) ORDER BY revision",
    )?;
    let now = look.now.as_millis();
    let mut rows = statement.query(params![place.after.0, from, end, now])?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let change = change_in(row)?;
        if let Change::Set(entry) = &change {
            bytes += entry.value.as_str().len();
        }
        let after = change.revision();
        found.push(change);
        if full(look.limits, found.len(), bytes) {
            return Ok((found, WatchPosition { after, ..place }));
        }
    }
    Ok((found, WatchPosition { after: newest.max(place.after), ..place }))
}

fn change_in(row: &Row<'_>) -> Result<Change, StoreFault> {
    match row.get_ref(1)? == ValueRef::Null {
        true => Ok(Change::Deleted { key: name_in(row, 0)?, revision: Revision(row.get(2)?) }),
        false => entry_in(row).map(Change::Set),
    }
}
