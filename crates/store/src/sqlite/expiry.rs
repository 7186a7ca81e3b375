//! Expiry: expired values become deletions, old deletions are forgotten.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::counter::count_up;
use super::writer::{begin, commit};
use crate::clock::Timestamp;
use crate::fault::StoreFault;
use crate::kv::Revision;

/// How many expired values one sweep removes.
const SWEEP_MAX: usize = 1_000;

/// Whether a sweep changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SweepResult {
    Some,
    Nothing,
}

/// Deletes expired values and forgets old deletions, a bounded number at once.
pub(super) fn sweep(
    connection: &Connection,
    now: Timestamp,
    remembered: Duration,
) -> Result<SweepResult, StoreFault> {
    let remembered = u64::try_from(remembered.as_millis()).unwrap_or(u64::MAX);
    let old = now.as_millis().saturating_sub(remembered);
    let due: Option<bool> = connection
        .prepare_cached(
            "SELECT 1 FROM kv WHERE expires_at <= ?1
             UNION ALL SELECT 1 FROM kv WHERE deleted_at < ?2 LIMIT 1",
        )?
        .query_row(params![now.as_millis(), old], |_| Ok(true))
        .optional()?;
    if due.is_none() {
        return Ok(SweepResult::Nothing);
    }
    begin(connection)?;
    let swept = sweep_in_transaction(connection, now, old);
    match swept {
        Ok(()) => commit(connection).map(|()| SweepResult::Some),
        Err(fault) => {
            connection.execute_batch("ROLLBACK")?;
            Err(fault)
        }
    }
}

fn sweep_in_transaction(
    connection: &Connection,
    now: Timestamp,
    old: u64,
) -> Result<(), StoreFault> {
    let expired: Vec<String> = connection
        .prepare_cached("SELECT key FROM kv WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2")?
        .query_map(params![now.as_millis(), SWEEP_MAX], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for key in expired {
        bury(connection, &key, now)?;
    }
    let forgotten: Vec<u64> = connection
        .prepare_cached(
            "DELETE FROM kv WHERE key IN (SELECT key FROM kv WHERE deleted_at < ?1
             ORDER BY deleted_at LIMIT ?2) RETURNING revision",
        )?
        .query_map(params![old, SWEEP_MAX], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let through = forgotten.into_iter().max().unwrap_or(0);
    connection
        .prepare_cached("UPDATE counter SET value = max(value, ?1) WHERE name = 'forgotten'")?
        .execute([through])?;
    Ok(())
}

/// Replaces a value by a tombstone.
pub(super) fn bury(
    connection: &Connection,
    key: &str,
    now: Timestamp,
) -> Result<Revision, StoreFault> {
    let revision = count_up(connection, "revision")?;
    connection
        .prepare_cached(
            "UPDATE kv SET value = NULL, revision = ?2, expires_at = NULL, deleted_at = ?3
             WHERE key = ?1",
        )?
        .execute(params![key, revision, now.as_millis()])?;
    Ok(Revision(revision))
}
