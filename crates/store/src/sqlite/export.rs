//! Writes a consistent snapshot of the whole store as lines of JSON, row by row.

use std::io::Write;

use rusqlite::{Connection, Row};

use super::SqliteStore;
use super::counter::counter;
use super::fault::{json_in, name_in, optional_name_in};
use crate::clock::Timestamp;
use crate::engine::{
    Counts, ExportFault, ExportLine, ExportWriter, FORMAT, Head, KvLine, LogLine, MessageLine,
    RecordLine,
};
use crate::fault::StoreFault;
use crate::kv::Revision;
use crate::log::Sequence;
use crate::queue::MessageId;

impl From<rusqlite::Error> for ExportFault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl SqliteStore {
    /// Writes everything to `sink` and returns it, with the counts. The store
    /// can be used meanwhile; the export shows the state at its start. Tombstones
    /// are left out.
    pub async fn export<W: Write + Send + 'static>(
        &self,
        sink: W,
    ) -> Result<(W, Counts), ExportFault> {
        let shared = self.shared.clone();
        shared.read(move |look| Ok(export(look.connection, sink))).await?
    }
}

fn export<W: Write>(connection: &Connection, sink: W) -> Result<(W, Counts), ExportFault> {
    let moment = connection.unchecked_transaction()?;
    let mut out = ExportWriter::new(sink);
    let revision = Revision(counter(&moment, "revision")?);
    let message = counter(&moment, "message")?;
    out.put(&ExportLine::Store(Head { format: FORMAT, revision, message }))?;
    let sql =
        "SELECT key, revision, expires_at, value FROM kv WHERE value IS NOT NULL ORDER BY key";
    put_rows(&moment, sql, &mut out, kv_in)?;
    let mut logs = moment.prepare("SELECT id, name, first, last FROM log ORDER BY name")?;
    let mut rows = logs.query([])?;
    while let Some(row) = rows.next()? {
        let (first, last) = (Sequence(row.get(2)?), Sequence(row.get(3)?));
        out.put(&ExportLine::Log(LogLine { name: name_in(row, 1)?, first, last }))?;
        let id: i64 = row.get(0)?;
        let sql =
            format!("SELECT sequence, dedup, body FROM record WHERE log = {id} ORDER BY sequence");
        put_rows(&moment, &sql, &mut out, record_in)?;
    }
    let sql = "SELECT id, queue, dedup, ready_at, attempts, attempts_max, claims, held, reason,
               died_at, body FROM message ORDER BY id";
    put_rows(&moment, sql, &mut out, message_in)?;
    out.end()
}

fn put_rows<W: Write>(
    connection: &Connection,
    sql: &str,
    out: &mut ExportWriter<W>,
    line_in: fn(&Row<'_>) -> Result<ExportLine, StoreFault>,
) -> Result<(), ExportFault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        out.put(&line_in(row)?)?;
    }
    Ok(())
}

fn kv_in(row: &Row<'_>) -> Result<ExportLine, StoreFault> {
    Ok(ExportLine::Kv(KvLine {
        key: name_in(row, 0)?,
        revision: Revision(row.get(1)?),
        expires_at: moment_in(row, 2)?,
        value: json_in(row, 3)?,
    }))
}

fn record_in(row: &Row<'_>) -> Result<ExportLine, StoreFault> {
    Ok(ExportLine::Record(RecordLine {
        sequence: Sequence(row.get(0)?),
        key: optional_name_in(row, 1)?,
        body: json_in(row, 2)?,
    }))
}

fn message_in(row: &Row<'_>) -> Result<ExportLine, StoreFault> {
    Ok(ExportLine::Message(MessageLine {
        id: MessageId(row.get(0)?),
        queue: name_in(row, 1)?,
        dedup: optional_name_in(row, 2)?,
        ready_at: Timestamp::from_millis(row.get(3)?),
        attempts: row.get(4)?,
        attempts_max: row.get(5)?,
        claims: row.get(6)?,
        held: row.get(7)?,
        reason: row.get(8)?,
        died_at: moment_in(row, 9)?,
        body: json_in(row, 10)?,
    }))
}

fn moment_in(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>, StoreFault> {
    Ok(row.get::<_, Option<u64>>(column)?.map(Timestamp::from_millis))
}
