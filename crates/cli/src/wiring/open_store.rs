//! Opens the store, and says what to do when that fails.

pub(crate) mod store_address;

use std::io::{BufRead, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use postgres::{CopySide, PostgresOpenFault, PostgresOptions, PostgresStore};
use store::{Counts, ExportFault, ImportFault, OpenFault, SqliteOptions, SqliteStore, Store};
use tokio::runtime::Handle;

use self::store_address::StoreAddress;
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

/// A store of any engine, for what the engines do beyond the [`Store`] traits.
pub(crate) enum OpenedStore {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

impl OpenedStore {
    pub(crate) fn shared(self) -> Arc<dyn Store> {
        match self {
            Self::Sqlite(store) => Arc::new(store),
            Self::Postgres(store) => Arc::new(store),
        }
    }

    /// The store as one side of a copy.
    pub(crate) fn side(&self) -> CopySide<'_> {
        match self {
            Self::Sqlite(store) => CopySide::Sqlite(store),
            Self::Postgres(store) => CopySide::Postgres(store),
        }
    }

    pub(crate) async fn export<W: Write + Send + 'static>(
        &self,
        sink: W,
    ) -> Result<(W, Counts), ExportFault> {
        match self {
            Self::Sqlite(store) => store.export(sink).await,
            Self::Postgres(store) => store.export(sink).await,
        }
    }

    pub(crate) async fn import<R: BufRead + Send + 'static>(
        &self,
        source: R,
    ) -> Result<Counts, ImportFault> {
        match self {
            Self::Sqlite(store) => store.import(source).await,
            Self::Postgres(store) => store.import(source).await,
        }
    }
}

/// Opens the store at an address. Must be called on a runtime.
pub(crate) fn open_store(address: &StoreAddress, to: StoreUse) -> Result<OpenedStore, Failure> {
    match address {
        StoreAddress::File(path) => open_file(path, to).map(OpenedStore::Sqlite),
        StoreAddress::Postgres(address) => {
            let opening = PostgresStore::open(address, PostgresOptions::server());
            wait_for(opening).map(OpenedStore::Postgres)
        }
    }
}

/// Opens the target of a copy, which an earlier copy may have left unfinished. Must be called on a
/// runtime.
pub(crate) fn open_copy_target(address: &StoreAddress) -> Result<OpenedStore, Failure> {
    match address {
        StoreAddress::File(path) => open_file(path, StoreUse::Write).map(OpenedStore::Sqlite),
        StoreAddress::Postgres(address) => {
            let opening = PostgresStore::open_to_copy(address, PostgresOptions::server());
            wait_for(opening).map(OpenedStore::Postgres)
        }
    }
}

fn open_file(path: &Path, to: StoreUse) -> Result<SqliteStore, Failure> {
    let opened = match to {
        StoreUse::Read if is_missing(path) => SqliteStore::temporary(SqliteOptions::machine()),
        StoreUse::Read | StoreUse::Write => {
            make_folder_of(path)?;
            SqliteStore::open(path, SqliteOptions::machine())
        }
    };
    opened.map_err(not_opened)
}

/// Commands open their store before anything else runs, so waiting here delays nothing.
fn wait_for(
    opening: impl Future<Output = Result<PostgresStore, PostgresOpenFault>>,
) -> Result<PostgresStore, Failure> {
    let opened = tokio::task::block_in_place(|| Handle::current().block_on(opening));
    opened.map_err(|fault| {
        let fix = match &fault {
            PostgresOpenFault::Unreachable { .. } => {
                "start the database, or correct the address in --store or $GHOSTHAND_STORE"
            }
            PostgresOpenFault::Refused { .. } => {
                "check the user, $PGPASSWORD, the user's rights and `sslmode`"
            }
            PostgresOpenFault::NotAStore { .. } | PostgresOpenFault::Schema { .. } => {
                "use another database; this one was not changed"
            }
            PostgresOpenFault::Newer { .. } => "use the newer version; the store was not changed",
            PostgresOpenFault::OldServer { .. } => "upgrade the database server",
            PostgresOpenFault::Encoding { .. } => "create the database again, and use that one",
            PostgresOpenFault::HalfCopied { .. } => {
                "run `ghosthand store copy` again with the same addresses; it continues"
            }
        };
        Failure::user(fault, fix)
    })
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

/// The failure for a store file that cannot be opened.
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
