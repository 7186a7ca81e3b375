//! Imports an export into an empty store: all of it, or nothing.

use std::io::BufRead;

use store::engine::{
    Counts, ExportLine, Head, ImportFault, ImportReader, KvLine, LogLine, MessageLine, RecordLine,
};
use store::{DedupKey, StoreFault, Timestamp};
use tokio::sync::mpsc;
use tokio_postgres::types::ToSql;

use crate::PostgresStore;
use crate::connect::{Committed, Link};
use crate::fault::Trouble;
use crate::rows::{get, only, signed};

/// How much is sent to the server in one statement.
const PIECE_LINES_MAX: usize = 1_000;
const PIECE_BYTES_MAX: usize = 4_000_000;

const IS_NEW: &str = "select revision = 0 and not exists (select from log)
    and not exists (select from message) from counter";
/// A sequence does not take part in the transaction, so it is set last, and never back.
const COUNT_MESSAGES: &str = "select setval('message_id', greatest($1, 1,
    (select last_value from message_id)), $1 > 0 or is_called) from message_id";
const PUT_KEYS: &str = "insert into kv (key, value, revision, expires_at)
    select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])";
const PUT_LOGS: &str = "insert into log (name, first, last)
    select * from unnest($1::text[], $2::bigint[], $3::bigint[])";
const PUT_RECORDS: &str = "insert into record (log, sequence, dedup, body)
    select log.id, r.sequence, r.dedup, r.body
    from unnest($1::text[], $2::bigint[], $3::text[], $4::text[])
        as r (log, sequence, dedup, body) join log on log.name = r.log";
const PUT_MESSAGES: &str =
    "insert into message (id, queue, dedup, ready_at, attempts, attempts_max,
    claims, held, reason, died_at, body)
    select * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[],
        $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::bigint[], $11::text[])";

impl PostgresStore {
    /// Reads an export of any engine. The store must be new: nothing was ever written to it. One
    /// transaction, so other writes wait until it is done.
    ///
    /// Watchers of the exported store must list again: deletions are not exported.
    pub async fn import<R: BufRead + Send + 'static>(
        &self,
        source: R,
    ) -> Result<Counts, ImportFault> {
        let link = self.shared.connector.connect().await.map_err(Trouble::into_fault)?;
        let begin = "set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; \
                     begin; lock table kv, log, record, message, counter in exclusive mode";
        link.batch(begin).await.map_err(Trouble::into_fault)?;
        let is_new = link.query(IS_NEW, &[]).await.map_err(Trouble::into_fault)?;
        if !get::<bool>(only(&is_new)?, 0)? {
            return Err(ImportFault::NotEmpty);
        }
        // The source blocks, so it is read on a thread of its own, a piece ahead.
        let (send, mut pieces) = mpsc::channel(1);
        let limits = self.shared.limits;
        let reading = tokio::task::spawn_blocking(move || read(source, limits, &send));
        let mut messages = 0;
        while let Some(piece) = pieces.recv().await {
            if let Rows::Head(head) = &piece.rows {
                messages = signed(head.message);
            }
            put(&link, piece).await?;
        }
        let counts = reading.await.map_err(|_| StoreFault::Closed)??;
        link.query(COUNT_MESSAGES, &[&messages]).await.map_err(Trouble::into_fault)?;
        match link.commit().await {
            Committed::Yes => {}
            Committed::RolledBack(because) => return Err(StoreFault::Busy { because }.into()),
            Committed::Unsure(because) => return Err(StoreFault::Unsure { because }.into()),
        }
        self.shared.topics.touch_all();
        Ok(counts)
    }
}

/// Some lines of one kind, in columns; the number of the first line, for messages.
struct Piece {
    line: u64,
    rows: Rows,
}

enum Rows {
    Head(Head),
    Keys(Vec<KvLine>),
    Logs(Vec<LogLine>),
    Records(Vec<(String, RecordLine)>),
    Messages(Vec<MessageLine>),
}

fn read(
    source: impl BufRead,
    limits: store::Limits,
    out: &mpsc::Sender<Piece>,
) -> Result<Counts, ImportFault> {
    let mut lines = ImportReader::new(source, limits);
    let (mut piece, mut bytes, mut log): (Option<Piece>, usize, String) = Default::default();
    // Records may only come after their log was stored.
    loop {
        let line = lines.next()?;
        let is_end = line.is_none();
        let rest = line.and_then(|line| {
            if let ExportLine::Log(line) = &line {
                line.name.as_str().clone_into(&mut log);
            }
            bytes += size(&line);
            add(&mut piece, line, &log)
        });
        if rest.is_some() || is_end || bytes >= PIECE_BYTES_MAX {
            if let Some(piece) = piece.take()
                && out.blocking_send(piece).is_err()
            {
                // The other side has met a fault, which it tells.
                return Ok(lines.counts());
            }
            bytes = 0;
        }
        if let Some(line) = rest {
            bytes = size(&line);
            piece = Some(Piece { line: lines.line(), rows: Rows::of(line, &log) });
        }
        if is_end {
            return Ok(lines.counts());
        }
    }
}

/// Adds a line to a piece of its kind that has room; otherwise gives it back.
fn add(piece: &mut Option<Piece>, line: ExportLine, log: &str) -> Option<ExportLine> {
    match (piece.as_mut().map(|piece| &mut piece.rows), line) {
        (Some(Rows::Keys(rows)), ExportLine::Kv(line)) if rows.len() < PIECE_LINES_MAX => {
            rows.push(line);
        }
        (Some(Rows::Logs(rows)), ExportLine::Log(line)) if rows.len() < PIECE_LINES_MAX => {
            rows.push(line);
        }
        (Some(Rows::Records(rows)), ExportLine::Record(line)) if rows.len() < PIECE_LINES_MAX => {
            rows.push((log.to_owned(), line));
        }
        (Some(Rows::Messages(rows)), ExportLine::Message(line)) if rows.len() < PIECE_LINES_MAX => {
            rows.push(line);
        }
        (_, line) => return Some(line),
    }
    None
}

impl Rows {
    fn of(line: ExportLine, log: &str) -> Self {
        match line {
            ExportLine::Store(head) => Self::Head(head),
            ExportLine::Kv(line) => Self::Keys(vec![line]),
            ExportLine::Log(line) => Self::Logs(vec![line]),
            ExportLine::Record(line) => Self::Records(vec![(log.to_owned(), line)]),
            ExportLine::Message(line) => Self::Messages(vec![line]),
            // The reader keeps the end for itself.
            ExportLine::End(_) => Self::Keys(Vec::new()),
        }
    }
}

fn size(line: &ExportLine) -> usize {
    match line {
        ExportLine::Kv(line) => line.value.as_str().len(),
        ExportLine::Record(line) => line.body.as_str().len(),
        ExportLine::Message(line) => line.body.as_str().len(),
        ExportLine::Store(_) | ExportLine::Log(_) | ExportLine::End(_) => 0,
    }
}

type Column<'a> = &'a (dyn ToSql + Sync);

async fn put(link: &Link, piece: Piece) -> Result<(), ImportFault> {
    let stored = match &piece.rows {
        Rows::Head(head) => {
            let sql = "update counter set revision = $1, forgotten = $1";
            link.query(sql, &[&signed(head.revision.0)]).await
        }
        Rows::Keys(rows) => {
            let keys = column(rows, |row| row.key.as_str());
            let values = column(rows, |row| row.value.as_str());
            let revisions = column(rows, |row| signed(row.revision.0));
            let expires = column(rows, |row| row.expires_at.map(at));
            let columns: [Column<'_>; 4] = [&keys, &values, &revisions, &expires];
            link.query(PUT_KEYS, &columns).await
        }
        Rows::Logs(rows) => {
            let names = column(rows, |row| row.name.as_str());
            let firsts = column(rows, |row| signed(row.first.0));
            let lasts = column(rows, |row| signed(row.last.0));
            let columns: [Column<'_>; 3] = [&names, &firsts, &lasts];
            link.query(PUT_LOGS, &columns).await
        }
        Rows::Records(rows) => {
            let logs = column(rows, |(log, _)| log.as_str());
            let sequences = column(rows, |(_, row)| signed(row.sequence.0));
            let keys = column(rows, |(_, row)| row.key.as_ref().map(DedupKey::as_str));
            let bodies = column(rows, |(_, row)| row.body.as_str());
            let columns: [Column<'_>; 4] = [&logs, &sequences, &keys, &bodies];
            link.query(PUT_RECORDS, &columns).await
        }
        Rows::Messages(rows) => put_messages(link, rows).await,
    };
    // What the tables refuse (such as a duplicate key) is a fault of one of these lines.
    stored.map(|_| ()).map_err(|trouble| match trouble.into_fault() {
        StoreFault::Unusable { because } if because.contains("(23") => {
            ImportFault::Line { line: piece.line, because: format!("here or below: {because}") }
        }
        fault => fault.into(),
    })
}

async fn put_messages(
    link: &Link,
    rows: &[MessageLine],
) -> Result<Vec<tokio_postgres::Row>, Trouble> {
    let ids = column(rows, |row| signed(row.id.0));
    let queues = column(rows, |row| row.queue.as_str());
    let dedups = column(rows, |row| row.dedup.as_ref().map(DedupKey::as_str));
    let ready = column(rows, |row| at(row.ready_at));
    let attempts = column(rows, |row| i64::from(row.attempts));
    let attempts_max = column(rows, |row| i64::from(row.attempts_max));
    let claims = column(rows, |row| signed(row.claims));
    let held = column(rows, |row| row.held.map(signed));
    let reasons =
        column(rows, |row| row.reason.as_ref().map(|text| text.replace('\0', "\u{fffd}")));
    let died = column(rows, |row| row.died_at.map(at));
    let bodies = column(rows, |row| row.body.as_str());
    let columns: [Column<'_>; 11] = [
        &ids,
        &queues,
        &dedups,
        &ready,
        &attempts,
        &attempts_max,
        &claims,
        &held,
        &reasons,
        &died,
        &bodies,
    ];
    link.query(PUT_MESSAGES, &columns).await
}

fn column<'a, R, T>(rows: &'a [R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

fn at(moment: Timestamp) -> i64 {
    signed(moment.as_millis())
}
