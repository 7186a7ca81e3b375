//! Opens the file: creates it atomically, or checks an existing one before changing it.
//!
//! A new store is created under a temporary name and then renamed, so that a complete store
//! or none exists. An existing file is first opened read-only.
//!
//! Must hold: a file that is not a store, is damaged or is newer is not changed.

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
/// How often a locked store is retried, a millisecond apart.
const TRIES_WHEN_LOCKED: i32 = 5_000;

/// Why a store was not opened. The file is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenFault {
    /// Use another path.
    #[error("{} is not a Ghosthand store: {because}", path.display())]
    NotAStore { path: PathBuf, because: String },
    /// Use the newer program.
    #[error(
        "{} was written by a newer Ghosthand (schema {found}, this one supports {known}); \
         it was not changed", path.display()
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    /// Restore a backup, or import an export.
    #[error("{} is damaged: {because}; it was not changed", path.display())]
    Damaged { path: PathBuf, because: String },
    /// Try again later: another process holds it.
    #[error("{} is locked by another process: {because}", path.display())]
    Busy { path: PathBuf, because: String },
    /// Make the file and its folder writable, or use another.
    #[error("{} cannot be written: {because}", path.display())]
    ReadOnly { path: PathBuf, because: String },
    /// Fix the folder, the permissions or the disk.
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
    /// cannot be created.
    pub(super) fn of_inspected(path: &Path, error: &rusqlite::Error) -> Self {
        match (Self::sqlite(path, error), error.sqlite_error_code()) {
            (Self::Io { path, because }, Some(ErrorCode::CannotOpen)) => {
                Self::ReadOnly { path, because }
            }
            (fault, _) => fault,
        }
    }
}

/// What a commit waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sync {
    /// The disk: the commit survives a crash of the machine.
    Disk,
    /// Nothing: the commit survives a crash of the process. For temporary stores.
    Process,
}

/// The writer's connection to the store at `path`, which is created if it does not exist.
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
        // Creates the journal, if possible; a rolled-back transaction writes nothing.
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")?;
        Ok(connection)
    });
    let connection = opened.map_err(|error| OpenFault::of_inspected(path, &error))?;
    // SQLite silently opens a read-only file for reading.
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
    // SQLite's own handler backs off, and starves next to a busy writer.
    connection.busy_handler(Some(|tries| {
        thread::park_timeout(Duration::from_millis(1));
        tries < TRIES_WHEN_LOCKED
    }))?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)
}

/// Creates a new store under a temporary name and renames it. If another process was faster,
/// its store stays.
fn create(path: &Path) -> Result<(), OpenFault> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // Only the owner may read it; SQLite gives its other files the same permissions.
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

/// Checks an existing file without changing it or its journal.
///
/// Without a journal, the file alone is enough. A journal may have newer pages, so the file
/// is then checked again together with it.
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

/// The URI with which SQLite reads the bare file: no lock, no file beside it. (Not
/// with our own `File`: closing it would drop the locks of other connections.)
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
