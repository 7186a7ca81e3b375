//! Counters that only grow: revisions, message ids, forgotten deletions.

use rusqlite::Connection;

use crate::fault::StoreFault;

pub(super) fn counter(connection: &Connection, name: &str) -> Result<u64, StoreFault> {
    let mut statement = connection.prepare_cached("SELECT value FROM counter WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0))?)
}

pub(super) fn count_up(connection: &Connection, name: &str) -> Result<u64, StoreFault> {
    let sql = "UPDATE counter SET value = value + 1 WHERE name = ?1 RETURNING value";
    Ok(connection.prepare_cached(sql)?.query_row([name], |row| row.get(0))?)
}
