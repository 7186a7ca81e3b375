//! Copies a whole store from one engine to the other, and checks the copy.
//!
//! The lines of an export go from one store to the other; then the copy is exported too, and both
//! exports must have the same digest and counts. A copy into PostgreSQL is stored in pieces and
//! continues after an interruption (`copy/continued.rs`); one into SQLite is one transaction.
//!
//! What is written to the source after the copy began is not copied: stop its servers first.

mod continued;

use std::io::{self, BufReader, Write};

use sha2::{Digest as _, Sha256};
use store::engine::{Counts, ExportFault, ImportFault};
use store::{SqliteStore, StoreFault};

use crate::PostgresStore;

/// One side of a copy.
#[derive(Clone, Copy)]
pub enum CopySide<'a> {
    Sqlite(&'a SqliteStore),
    /// The target must be opened with [`PostgresStore::open_to_copy`].
    Postgres(&'a PostgresStore),
}

/// Why a copy is not complete.
#[derive(Debug, thiserror::Error)]
pub enum CopyFault {
    #[error("the source cannot be read: {0}")]
    Source(ExportFault),
    #[error("the target cannot be written: {0}")]
    Target(ImportFault),
    #[error("the copy cannot be read back: {0}")]
    Check(ExportFault),
    #[error(
        "the copy is not like the source ({copied:?} instead of {expected:?}); do not use it, \
         and report this"
    )]
    Differs { expected: Counts, copied: Counts },
}

/// Copies everything and compares digests; returns what was copied.
pub async fn copy(from: CopySide<'_>, to: CopySide<'_>) -> Result<Counts, CopyFault> {
    let pipe = io::pipe().map_err(|error| CopyFault::Source(error.into()))?;
    let (reader, writer) = pipe;
    let exporting = from.export(Digesting { sink: writer, digest: Sha256::new() });
    let sending = async {
        let (sent, counts) = exporting.await.map_err(CopyFault::Source)?;
        // The writing end is closed here, or the other side would wait for more.
        Ok::<_, CopyFault>((sent.digest.finalize(), counts))
    };
    let (sent, stored) = tokio::join!(sending, to.import(BufReader::new(reader)));
    let (digest, expected, counts) = match (sent, stored) {
        (Ok((digest, expected)), Ok(counts)) => (digest, expected, counts),
        // The target then misses the end of the lines.
        (Err(CopyFault::Source(fault @ ExportFault::Store(_))), _) => {
            return Err(CopyFault::Source(fault));
        }
        // A target that stopped reading is why the source could not be sent.
        (_, Err(fault)) => return Err(CopyFault::Target(fault)),
        (Err(fault), Ok(_)) => return Err(fault),
    };
    let check = to.export(Digesting { sink: io::sink(), digest: Sha256::new() });
    let (copied_sink, copied) = check.await.map_err(CopyFault::Check)?;
    match copied_sink.digest.finalize() == digest && copied == expected && counts == expected {
        true => Ok(counts),
        false => Err(CopyFault::Differs { expected, copied }),
    }
}

impl CopySide<'_> {
    async fn export<W: Write + Send + 'static>(self, sink: W) -> Result<(W, Counts), ExportFault> {
        match self {
            Self::Sqlite(store) => store.export(sink).await,
            Self::Postgres(store) => store.export(sink).await,
        }
    }

    async fn import<R: io::BufRead + Send + 'static>(
        self,
        source: R,
    ) -> Result<Counts, ImportFault> {
        match self {
            Self::Sqlite(store) => store.import(source).await,
            Self::Postgres(store) => store.copy_in(source).await,
        }
    }
}

/// A sink that makes a digest of what goes through it.
struct Digesting<W> {
    sink: W,
    digest: Sha256,
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.digest.update(bytes.get(..written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Another copy into the same store is under way.
pub(super) fn busy() -> StoreFault {
    StoreFault::Busy { because: "another copy into this store is under way".to_owned() }
}
