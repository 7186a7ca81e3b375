//! Checks the whole file for damage, without changing anything.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::open::{self, OpenFault};
use crate::engine::Counts;

/// How many findings of one kind are reported.
const FINDINGS_MAX: usize = 20;

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    pub file_bytes: u64,
    pub counts: Counts,
    /// What is wrong, one sentence each; empty if nothing is.
    pub damage: Vec<String>,
}

/// Queries that must find nothing, and the sentence for each.
const RULES: [(&str, &str); 9] = [
    ("a value is not JSON", "SELECT key FROM kv WHERE value IS NOT NULL AND NOT json_valid(value)"),
    (
        "a revision is newer than the newest",
        "SELECT key FROM kv
         WHERE revision > (SELECT value FROM counter WHERE name = 'revision') OR revision < 1",
    ),
    (
        "a record is not JSON",
        "SELECT log || '/' || sequence FROM record WHERE NOT json_valid(body)",
    ),
    (
        "records of a log are missing, or there are too many",
        "SELECT name FROM log WHERE last - first + 1 <>
         (SELECT count(*) FROM record WHERE log = id AND sequence BETWEEN first AND last)",
    ),
    (
        "a record has no place in its log",
        "SELECT log || '/' || sequence FROM record
         WHERE NOT EXISTS (SELECT 1 FROM log WHERE id = log AND sequence BETWEEN first AND last)",
    ),
    ("a message is not JSON", "SELECT format('%d', id) FROM message WHERE NOT json_valid(body)"),
    (
        "a message id is newer than the newest",
        "SELECT format('%d', id) FROM message
         WHERE id > (SELECT value FROM counter WHERE name = 'message') OR id < 1",
    ),
    (
        "a message is held by a claim that was not made",
        "SELECT format('%d', id) FROM message
         WHERE held > claims OR (held IS NOT NULL AND died_at IS NOT NULL)",
    ),
    (
        "a counter is missing",
        "SELECT 'counter' WHERE (SELECT count(*) FROM counter
         WHERE name IN ('forgotten', 'message', 'revision') AND value >= 0) <> 3",
    ),
];

/// A store up to this size is checked before it is served.
pub const QUICK_BYTES_MAX: u64 = 1 << 30;

/// Checks every page of the store at `path`, but not its indices, for damage by a disk or a
/// copy; a few seconds per gigabyte. A missing store is fine. Returns `false` for a store
/// larger than [`QUICK_BYTES_MAX`], which is not checked.
pub fn quick_check(path: &Path) -> Result<bool, OpenFault> {
    match path.metadata() {
        Ok(metadata) if metadata.len() > QUICK_BYTES_MAX => return Ok(false),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(OpenFault::io(path, &error)),
    }
    open::inspect(path)?;
    let of = |error: rusqlite::Error| OpenFault::of_inspected(path, &error);
    let connection = open::reader(path).map_err(of)?;
    let found = texts(&connection, "PRAGMA quick_check(1)").map_err(of)?;
    match found.into_iter().find(|line| line != "ok") {
        None => Ok(true),
        Some(because) => Err(OpenFault::Damaged { path: path.to_owned(), because }),
    }
}

/// Checks the store at `path`: every page, every index, and the guarantees of the primitives.
/// Only reads; other processes may use the store meanwhile. Takes longer for a larger store.
pub fn check(path: &Path) -> Result<CheckReport, OpenFault> {
    let metadata = path.metadata().map_err(|error| OpenFault::io(path, &error))?;
    open::inspect(path)?;
    let connection = open::reader(path).map_err(|error| OpenFault::sqlite(path, &error))?;
    let damage = match damage(&connection) {
        Ok(damage) => damage,
        // Too damaged to be checked.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            vec![error.to_string()]
        }
        Err(error) => return Err(OpenFault::sqlite(path, &error)),
    };
    let counts = counts(&connection).unwrap_or_default();
    Ok(CheckReport { file_bytes: metadata.len(), counts, damage })
}

fn damage(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut damage = texts(connection, "PRAGMA integrity_check(20)")?;
    damage.retain(|line| line != "ok");
    // On a damaged file the queries would only report the same again.
    if damage.is_empty() {
        let moment = connection.unchecked_transaction()?;
        for (what, sql) in RULES {
            let found = texts(&moment, sql)?;
            damage.extend(found.into_iter().map(|which| format!("{what}: {which}")));
        }
    }
    Ok(damage)
}

fn texts(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(row.get(0)?);
        if found.len() == FINDINGS_MAX {
            found.push("and more".to_owned());
            break;
        }
    }
    Ok(found)
}

fn counts(connection: &Connection) -> rusqlite::Result<Counts> {
    let sql = "SELECT (SELECT count(*) FROM kv WHERE value IS NOT NULL),
               (SELECT count(*) FROM log), (SELECT count(*) FROM record),
               (SELECT count(*) FROM message)";
    connection.query_row(sql, [], |row| {
        Ok(Counts {
            keys: row.get(0)?,
            logs: row.get(1)?,
            records: row.get(2)?,
            messages: row.get(3)?,
        })
    })
}
