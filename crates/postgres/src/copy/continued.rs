//! An import in pieces that continues after an interruption.
//!
//! Each piece is committed with the number of its last line and a digest of all lines so far. The
//! next attempt reads the source again, skips what is stored, and goes on if the digest is the
//! same. Until the end the store cannot be opened for anything else.

use std::io::BufRead;

use store::StoreFault;
use store::engine::{Counts, ImportFault};
use tokio::sync::mpsc;

use super::busy;
use crate::PostgresStore;
use crate::connect::{Committed, Link};
use crate::fault::Trouble;
use crate::import::{COUNT_MESSAGES, IS_NEW, Piece, Rows, put, read};
use crate::rows::{get, number, only, signed};

const LOCK: &str =
    "select pg_try_advisory_lock(hashtextextended('ghosthand copy ' || current_schema(), 0))";
const UNLOCK: &str = "rollback; \
    select pg_advisory_unlock(hashtextextended('ghosthand copy ' || current_schema(), 0))";

impl PostgresStore {
    /// Stores an export in pieces. If an earlier attempt was interrupted, it continues there.
    pub async fn copy_in<R: BufRead + Send + 'static>(
        &self,
        source: R,
    ) -> Result<Counts, ImportFault> {
        let link = self.shared.connector.connect().await.map_err(Trouble::into_fault)?;
        let limits = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0";
        link.batch(limits).await.map_err(Trouble::into_fault)?;
        let locked = link.query(LOCK, &[]).await.map_err(Trouble::into_fault)?;
        if !get::<bool>(only(&locked)?, 0)? {
            return Err(busy().into());
        }
        let copied = self.copy_pieces(&link, source).await;
        // The end of a connection releases the lock too, but a moment after it: the next attempt
        // would find it taken.
        let _ = link.batch(UNLOCK).await;
        copied
    }

    async fn copy_pieces<R: BufRead + Send + 'static>(
        &self,
        link: &Link,
        source: R,
    ) -> Result<Counts, ImportFault> {
        let stored = begin(link).await?;
        let (send, mut pieces) = mpsc::channel(1);
        let limits = self.shared.limits;
        let reading = tokio::task::spawn_blocking(move || read(source, limits, &send));
        let mut messages = 0;
        while let Some(piece) = pieces.recv().await {
            if let Rows::Head(head) = &piece.rows {
                messages = signed(head.message);
            }
            match stored.has(&piece)? {
                true => {}
                false => store_piece(link, piece).await?,
            }
        }
        let counts = reading.await.map_err(|_| StoreFault::Closed)??;
        link.batch("begin").await.map_err(Trouble::into_fault)?;
        link.query(COUNT_MESSAGES, &[&messages]).await.map_err(Trouble::into_fault)?;
        link.batch("delete from copying").await.map_err(Trouble::into_fault)?;
        commit(link).await?;
        self.shared.topics.touch_all();
        Ok(counts)
    }
}

/// What an earlier attempt has stored.
struct Stored {
    lines: u64,
    digest: String,
}

/// Marks a new store as the target of a copy, or finds what is there.
async fn begin(link: &Link) -> Result<Stored, ImportFault> {
    let sql = "select lines, digest from copying";
    let found = link.query(sql, &[]).await.map_err(Trouble::into_fault)?;
    if let Some(row) = found.first() {
        return Ok(Stored { lines: number(row, 0)?, digest: get(row, 1)? });
    }
    link.batch("begin; lock table kv, log, message, counter in exclusive mode")
        .await
        .map_err(Trouble::into_fault)?;
    let is_new = link.query(IS_NEW, &[]).await.map_err(Trouble::into_fault)?;
    if !get::<bool>(only(&is_new)?, 0)? {
        return Err(ImportFault::NotEmpty);
    }
    let mark = "insert into copying (lines, digest) values (0, '')";
    link.batch(mark).await.map_err(Trouble::into_fault)?;
    commit(link).await?;
    Ok(Stored { lines: 0, digest: String::new() })
}

impl Stored {
    /// Whether the piece is stored; a fault if what is stored came from another source.
    fn has(&self, piece: &Piece) -> Result<bool, ImportFault> {
        let is_same = match piece.last == self.lines {
            true => piece.digest == self.digest,
            false => piece.last < self.lines || piece.line > self.lines,
        };
        let because = "the copy began with another source, or the source was changed since; drop \
                       the schema of the target and begin again";
        match is_same {
            true => Ok(piece.last <= self.lines),
            false => Err(ImportFault::Line { line: piece.last, because: because.to_owned() }),
        }
    }
}

async fn store_piece(link: &Link, piece: Piece) -> Result<(), ImportFault> {
    link.batch("begin").await.map_err(Trouble::into_fault)?;
    let (last, digest) = (signed(piece.last), piece.digest.clone());
    put(link, piece).await?;
    let mark = "update copying set lines = $1, digest = $2";
    link.query(mark, &[&last, &digest]).await.map_err(Trouble::into_fault)?;
    commit(link).await
}

async fn commit(link: &Link) -> Result<(), ImportFault> {
    match link.commit().await {
        Committed::Yes => Ok(()),
        Committed::RolledBack(because) => Err(StoreFault::Busy { because }.into()),
        Committed::Unsure(because) => Err(StoreFault::Unsure { because }.into()),
    }
}
