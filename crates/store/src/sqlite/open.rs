//! Opens the file: makes a new one whole, or looks before it touches an old one.
//!
//! A new store is made under another name and then given its own in one step, so that
//! under its name there is a whole store or nothing. An existing file is first looked at
//! in a way that cannot change it.
//!
//! Must hold: a file that is no store, is damaged or is newer is not changed.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// `GHOS` in the header of the file: a SQLite database of ours.
const APPLICATION_ID: i64 = 0x4748_4f53;
/// The number of `schema.sql`.
const SCHEMA: i64 = 1;
const SCHEMA_SQL: &str = include_str!("schema.sql");
/// How often a locked store is tried again, a millisecond apart.
const TRIES_WHEN_LOCKED: i32 = 5_000;

/// Why a store was not opened. The file is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    /// Name another path.
    #[error("{} is no Ghosthand store: {because}", path.display())]
    NotAStore { path: PathBuf, because: String },
    /// Use the newer program.
    #[error(
        "{} was written by a newer Ghosthand (schema {found}, this one knows {known}); \
         it was not touched", path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    /// Restore a copy, or bring it in again from an export.
    #[error("{} is damaged: {because}; it was not touched", path.display())]
    Damaged { path: PathBuf, because: String },
    /// Try again later: another process holds it.
    #[error("{} is locked by another process: {because}", path.display())]
    Busy { path: PathBuf, because: String },
    /// Make the file and its folder writable, or name another.
    #[error("{} cannot be written: {because}", path.display())]
    ReadOnly { path: PathBuf, because: String },
    /// Mend the folder, the permissions or the disk.
    #[error("{} cannot be opened: {because}", path.display())]
    Io { path: PathBuf, because: String },
}

impl OpenFault {
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io { path: path.to_owned(), because: error.to_string() }
    }

    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, because) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotAStore { path, because },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, because },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, because }
            }
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path, because },
            Some(_) | None => Self::Io { path, because },
        }
    }

    /// The same for a file that could be read before: if it cannot be opened now, its journal
    /// cannot be made beside it.
    pub(super) fn of_inspected(path: &Path, error: &rusqlite::Error) -> Self {
        match (Self::sqlite(path, error), error.sqlite_error_code()) {
            (Self::Io { path, because }, Some(ErrorCode::CannotOpen)) => {
                Self::ReadOnly { path, because }
            }
            (fault, _) => fault,
        }
    }
}

/// Whether a commit waits for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// It survives the machine.
    Disk,
    /// It survives the process; for temporary stores.
    Process,
}

/// The writer's connection to the store at `path`, which is made if there is none.
pub(super) fn open(path: &Path, sync: Sync) -> Result<Connection, OpenFault> {
    match path.symlink_metadata() {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path)?,
        Err(error) => return Err(OpenFault::io(path, &error)),
    }
    inspect(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = Connection::open_with_flags(path, flags).and_then(|mut connection| {
        prepare(&mut connection)?;
        connection.pragma_update(
            None,
            "synchronous",
            match sync {
                Sync::Disk => "FULL",
                Sync::Process => "OFF",
            },
        )?;
        connection.pragma_update(None, "journal_size_limit", 16_000_000)?;
        // Makes its journal, if it can; a transaction that is taken back writes nothing.
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?;
        Ok(connection)
    });
    let connection = opened.map_err(|error| OpenFault::of_inspected(path, &error))?;
    // What it may not write, SQLite opens for reading, without a word.
    match connection.is_readonly(rusqlite::MAIN_DB) {
        Ok(false) => Ok(connection),
        Ok(true) => {
            let because = "the file, its folder or its disk is read-only".to_owned();
            Err(OpenFault::ReadOnly { path: path.to_owned(), because })
        }
        Err(error) => Err(OpenFault::sqlite(path, &error)),
    }
}

/// A connection that cannot write.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    prepare(&mut connection)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

fn prepare(connection: &mut Connection) -> rusqlite::Result<()> {
    // SQLite's own handler waits longer and longer, and starves beside a busy writer.
    connection.busy_handler(Some(|tries| {
        thread::park_timeout(Duration::from_millis(1));
        tries < TRIES_WHEN_LOCKED
    }))?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Makes a new store under another name, then gives it the right one. If somebody was
/// faster, theirs stays.
fn create(path: &Path) -> Result<(), OpenFault> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Only its owner may read it; SQLite gives the files beside it the same rights.
    let file = tempfile::Builder::new().prefix(".ghosthand-store-").tempfile_in(folder);
    let file = file.map_err(|error| OpenFault::io(path, &error))?;
    let made = Connection::open(file.path()).and_then(|connection| {
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(&format!(
            "BEGIN; {SCHEMA_SQL} PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {SCHEMA}; COMMIT; PRAGMA journal_mode = WAL;"
        ))?;
        connection.close().map_err(|(_, error)| error)
    });
    made.map_err(|error| OpenFault::sqlite(path, &error))?;
    match file.persist_noclobber(path) {
        Ok(_) => sync_folder(folder).map_err(|error| OpenFault::io(path, &error)),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(OpenFault::io(path, &error.error)),
    }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Looks at an existing file without changing it or anything beside it.
///
/// The bare file tells all when there is no journal beside it. When there is one, it may
/// hold newer pages, so the file is looked at again together with it.
pub(super) fn inspect(path: &Path) -> Result<(), OpenFault> {
    let bare = Connection::open_with_flags(untouched(path), open_flags_untouched());
    match examine(path, bare) {
        Ok(()) | Err(OpenFault::Damaged { .. }) if has_journal(path) => examine(path, reader(path)),
        other => other,
    }
}

fn has_journal(path: &Path) -> bool {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-wal");
    Path::new(&journal).metadata().is_ok_and(|journal| journal.len() > 0)
}

fn examine(path: &Path, connection: rusqlite::Result<Connection>) -> Result<(), OpenFault> {
    let of = |error: rusqlite::Error| OpenFault::sqlite(path, &error);
    let connection = connection.map_err(of)?;
    judge(path, identity(&connection).map_err(of)?)?;
    let found = tables(&connection).map_err(of)?;
    let expected = Connection::open_in_memory().and_then(|memory| {
        memory.execute_batch(SCHEMA_SQL)?;
        tables(&memory)
    });
    match expected.map_err(of)? == found {
        true => Ok(()),
        false => {
            let because = "its tables are not those of its schema number".to_owned();
            Err(OpenFault::Damaged { path: path.to_owned(), because })
        }
    }
}

/// The application id and the schema number.
fn identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((number("application_id")?, number("user_version")?))
}

fn judge(path: &Path, (application, schema): (i64, i64)) -> Result<(), OpenFault> {
    let path = path.to_owned();
    match (application, schema) {
        (APPLICATION_ID, SCHEMA) => Ok(()),
        (APPLICATION_ID, found) if found > SCHEMA => {
            Err(OpenFault::Newer { path, found, known: SCHEMA })
        }
        (APPLICATION_ID, found) => {
            Err(OpenFault::Damaged { path, because: format!("there is no schema {found}") })
        }
        (_, _) => {
            let because = "it is empty, or a database of another program".to_owned();
            Err(OpenFault::NotAStore { path, because })
        }
    }
}

fn tables(connection: &Connection) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let sql =
        "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY name";
    connection.prepare(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

fn open_flags_untouched() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// The address under which SQLite reads the bare file: no lock, no file beside it. (Not
/// with our own `File`: closing that would drop the locks of other connections.)
fn untouched(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(*byte));
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            byte => uri += &format!("%{byte:02x}"),
        }
    }
    uri + "?immutable=1"
}
