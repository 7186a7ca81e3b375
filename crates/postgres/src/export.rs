//! Writes a consistent snapshot of the whole store as lines of JSON, row by row.

use std::io::Write;
use std::pin::pin;

use futures_util::TryStreamExt as _;
use store::StoreFault;
use store::engine::{
    Counts, ExportFault, ExportLine, ExportWriter, FORMAT, Head, KvLine, LogLine, MessageLine,
    RecordLine,
};
use store::{MessageId, Revision, Sequence};
use tokio_postgres::Row;

use crate::PostgresStore;
use crate::connect::Link;
use crate::fault::{Trouble, trouble};
use crate::rows::{
    get, json, moment, name, number, only, optional_moment, optional_name, optional_number,
    small_number,
};

const HEAD: &str = "select revision,
    (select case when is_called then last_value else 0 end from message_id) from counter";
const KEYS: &str = "select key, revision, expires_at, value from kv
    where value is not null order by key";
/// Each log, followed by its records.
const LOGS: &str = "select l.name, l.first, l.last, r.sequence, r.dedup, r.body
    from log as l left join record as r on r.log = l.id order by l.name, r.sequence";
const MESSAGES: &str = "select id, queue, dedup, ready_at, attempts, attempts_max, claims, held,
    reason, died_at, body from message order by id";

impl PostgresStore {
    /// Writes everything to `sink` and returns it, with the counts. The store can be used
    /// meanwhile; the export shows the state at its start. Tombstones are left out. The lines are
    /// those of every engine.
    pub async fn export<W: Write + Send>(&self, sink: W) -> Result<(W, Counts), ExportFault> {
        let link = self.shared.connector.connect().await.map_err(Trouble::into_fault)?;
        let begin = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; \
                     begin isolation level repeatable read read only";
        link.batch(begin).await.map_err(Trouble::into_fault)?;
        let mut out = ExportWriter::new(sink);
        let head = link.query(HEAD, &[]).await.map_err(Trouble::into_fault)?;
        let (revision, message) = (Revision(number(only(&head)?, 0)?), number(only(&head)?, 1)?);
        out.put(&ExportLine::Store(Head { format: FORMAT, revision, message }))?;
        put_rows(&link, KEYS, &mut out, |row| Ok(vec![key_line(row)?])).await?;
        let mut log = None;
        put_rows(&link, LOGS, &mut out, |row| log_lines(row, &mut log)).await?;
        put_rows(&link, MESSAGES, &mut out, |row| Ok(vec![message_line(row)?])).await?;
        out.end()
    }
}

/// Writes the rows as they come; the server waits when the sink is slow.
async fn put_rows<W: Write>(
    link: &Link,
    sql: &str,
    out: &mut ExportWriter<W>,
    mut lines: impl FnMut(&Row) -> Result<Vec<ExportLine>, StoreFault>,
) -> Result<(), ExportFault> {
    let fault = |error: tokio_postgres::Error| trouble(&error).into_fault();
    let rows = link.client().query_typed_raw(sql, std::iter::empty::<(i64, _)>()).await;
    let mut rows = pin!(rows.map_err(fault)?);
    while let Some(row) = rows.try_next().await.map_err(fault)? {
        for line in lines(&row)? {
            out.put(&line)?;
        }
    }
    Ok(())
}

fn key_line(row: &Row) -> Result<ExportLine, StoreFault> {
    Ok(ExportLine::Kv(KvLine {
        key: name(row, 0)?,
        revision: Revision(number(row, 1)?),
        expires_at: optional_moment(row, 2)?,
        value: json(row, 3)?,
    }))
}

/// A record, after the line of its log if it is the first.
fn log_lines(row: &Row, open: &mut Option<String>) -> Result<Vec<ExportLine>, StoreFault> {
    let mut lines = Vec::new();
    let log: String = get(row, 0)?;
    if open.as_ref() != Some(&log) {
        let (first, last) = (Sequence(number(row, 1)?), Sequence(number(row, 2)?));
        lines.push(ExportLine::Log(LogLine { name: name(row, 0)?, first, last }));
        *open = Some(log);
    }
    if let Some(sequence) = optional_number(row, 3)? {
        let (key, body) = (optional_name(row, 4)?, json(row, 5)?);
        lines.push(ExportLine::Record(RecordLine { sequence: Sequence(sequence), key, body }));
    }
    Ok(lines)
}

fn message_line(row: &Row) -> Result<ExportLine, StoreFault> {
    Ok(ExportLine::Message(MessageLine {
        id: MessageId(number(row, 0)?),
        queue: name(row, 1)?,
        dedup: optional_name(row, 2)?,
        ready_at: moment(row, 3)?,
        attempts: small_number(row, 4)?,
        attempts_max: small_number(row, 5)?,
        claims: number(row, 6)?,
        held: optional_number(row, 7)?,
        reason: get(row, 8)?,
        died_at: optional_moment(row, 9)?,
        body: json(row, 10)?,
    }))
}
