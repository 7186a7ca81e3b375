//! Opens the store, and says what to do when that fails.

use std::io::ErrorKind;
use std::path::Path;

use store::{OpenFault, SqliteOptions, SqliteStore};

use crate::exit::{Failure, make_folder_of};

/// What a command does with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreUse {
    /// Creates it if there is none.
    Write,
    /// Creates nothing: where there is no store, an empty one in a temporary folder is read, so
    /// that the command works in a folder that cannot be written.
    Read,
}

/// Opens the store at a path.
pub(crate) fn open_store(path: &Path, to: StoreUse) -> Result<SqliteStore, Failure> {
    let opened = match to {
        StoreUse::Read if is_missing(path) => SqliteStore::temporary(SqliteOptions::machine()),
        StoreUse::Read | StoreUse::Write => {
            make_folder_of(path)?;
            SqliteStore::open(path, SqliteOptions::machine())
        }
    };
    opened.map_err(not_opened)
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// The failure for a store that cannot be opened.
pub(crate) fn not_opened(fault: OpenFault) -> Failure {
    let fix = match &fault {
        OpenFault::NotAStore { .. } => "choose another file with --store; this one was not changed",
        OpenFault::Newer { .. } => "use the newer version; the store was not changed",
        OpenFault::Damaged { .. } => "restore a backup; the store was not changed",
        OpenFault::ReadOnly { .. } => {
            "make the file and its folder writable, or choose another with --store"
        }
        OpenFault::Busy { .. } => "stop the other program, or try again in a moment",
        OpenFault::Io { .. } => "choose a store with --store, and check its permissions",
    };
    Failure::user(fault, fix)
}
