//! Imports an export into an empty store: all of it, or nothing.

use std::io::{self, BufRead, Read};

use rusqlite::{Connection, params};

use super::SqliteStore;
use super::export::Counts;
use super::export_lines::{ExportLine, FORMAT, Head, KvLine, LogLine, MessageLine, RecordLine};
use super::topics::Topic;
use crate::clock::Timestamp;
use crate::fault::StoreFault;
use crate::limits::Limits;
use crate::log::Sequence;
use crate::name::DedupKey;

/// The maximum size of a line besides its JSON: names, numbers, an escaped reason.
const ENVELOPE_BYTES_MAX: usize = 100_000;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    #[error(transparent)]
    Store(#[from] StoreFault),
    #[error("the store is not new; import into one that was never used")]
    NotEmpty,
    #[error("line {line}: {because}")]
    Line { line: u64, because: String },
    #[error("the export cannot be read: {0}")]
    Source(io::Error),
}

impl SqliteStore {
    /// Reads an export. The store must be new: nothing was ever written to it. One
    /// transaction, so other writes wait until it is done.
    ///
    /// Watchers of the exported store must list again: deletions are not exported.
    pub async fn import<R: BufRead + Send + 'static>(
        &self,
        source: R,
    ) -> Result<Counts, ImportFault> {
        let (send_result, result) = tokio::sync::oneshot::channel();
        let written = self.write(0, move |step| {
            let imported = Import::new(step.connection, step.limits).run(source);
            step.touch(Topic::Kv);
            let (result, fault) = match imported {
                Ok(counts) => (Ok(counts), None),
                Err(ImportFault::Store(fault)) => (Err(fault.clone().into()), Some(fault)),
                Err(other) => (Err(other), Some(StoreFault::Closed)),
            };
            let _ = send_result.send(result);
            // Any fault rolls the whole import back.
            fault.map_or(Ok(()), Err)
        });
        match (written.await, result.await) {
            (Ok(()), Ok(Ok(counts))) => Ok(counts),
            (_, Ok(Err(fault))) => Err(fault),
            (Err(fault), _) => Err(fault.into()),
            (Ok(()), Err(_)) => Err(StoreFault::Closed.into()),
        }
    }
}

struct Import<'a> {
    connection: &'a Connection,
    limits: &'a Limits,
    head: Option<Head>,
    log: Option<OpenLog>,
    counts: Counts,
    /// Lines read so far.
    line: u64,
}

/// The log whose records come now.
struct OpenLog {
    id: u64,
    next: Sequence,
    last: Sequence,
}

impl<'a> Import<'a> {
    fn new(connection: &'a Connection, limits: &'a Limits) -> Self {
        Self { connection, limits, head: None, log: None, counts: Counts::default(), line: 0 }
    }

    fn run(mut self, mut source: impl BufRead) -> Result<Counts, ImportFault> {
        self.check_empty()?;
        let mut text = Vec::new();
        loop {
            self.line += 1;
            match self.read_line(&mut source, &mut text)? {
                ExportLine::End(end) if end.lines == self.line - 2 && self.head.is_some() => break,
                ExportLine::End(_) => return Err(self.bad("lines are missing before this one")),
                line @ (ExportLine::Store(_)
                | ExportLine::Kv(_)
                | ExportLine::Log(_)
                | ExportLine::Record(_)
                | ExportLine::Message(_)) => self.put(line)?,
            }
        }
        self.close_log()?;
        match source.fill_buf().map_err(ImportFault::Source)? {
            [] => Ok(self.counts),
            _ => Err(self.bad("there is more after the end")),
        }
    }

    fn check_empty(&self) -> Result<(), ImportFault> {
        let sql = "SELECT (SELECT sum(value) FROM counter) + (SELECT count(*) FROM log)";
        let used: i64 = self.sqlite(self.connection.query_row(sql, [], |row| row.get(0)))?;
        match used {
            0 => Ok(()),
            _ => Err(ImportFault::NotEmpty),
        }
    }

    fn read_line(
        &self,
        source: &mut impl BufRead,
        text: &mut Vec<u8>,
    ) -> Result<ExportLine, ImportFault> {
        let Limits { value_bytes_max, log_record_bytes_max, message_bytes_max, .. } = *self.limits;
        let body = value_bytes_max.max(log_record_bytes_max).max(message_bytes_max);
        let max = body + ENVELOPE_BYTES_MAX;
        text.clear();
        let room = u64::try_from(max).unwrap_or(u64::MAX);
        source.take(room).read_until(b'\n', text).map_err(ImportFault::Source)?;
        match text.pop() {
            Some(b'\n') => {}
            Some(_) if text.len() + 1 >= max => return Err(self.bad("the line is too long")),
            Some(_) | None => return Err(self.bad("the export is cut off here")),
        }
        serde_json::from_slice(text).map_err(|error| self.bad(&error.to_string()))
    }

    fn put(&mut self, line: ExportLine) -> Result<(), ImportFault> {
        match (line, &self.head) {
            (ExportLine::Store(head), None) => self.put_head(head),
            (ExportLine::Store(_), Some(_)) => Err(self.bad("a second `store` line")),
            (_, None) => Err(self.bad("not an export: it does not begin with `store`")),
            (ExportLine::Kv(line), Some(head)) => {
                let fits = line.revision <= head.revision && line.revision.0 > 0;
                self.put_kv(&line, fits)
            }
            (ExportLine::Message(line), Some(head)) => {
                let fits = line.id.0 <= head.message && line.id.0 > 0;
                self.put_message(&line, fits)
            }
            (ExportLine::Log(line), Some(_)) => self.put_log(&line),
            (ExportLine::Record(line), Some(_)) => self.put_record(&line),
            (ExportLine::End(_), Some(_)) => Err(self.bad("an `end` in the middle")),
        }
    }

    fn put_head(&mut self, head: Head) -> Result<(), ImportFault> {
        if head.format != FORMAT {
            return Err(self.bad(&format!("format {}; this version reads {FORMAT}", head.format)));
        }
        for (name, value) in [
            ("revision", head.revision.0),
            ("forgotten", head.revision.0),
            ("message", head.message),
        ] {
            let sql = "UPDATE counter SET value = ?2 WHERE name = ?1";
            self.execute(sql, params![name, value])?;
        }
        self.head = Some(head);
        Ok(())
    }

    fn put_kv(&mut self, line: &KvLine, fits: bool) -> Result<(), ImportFault> {
        if !fits {
            return Err(self.bad("the revision is newer than the store's"));
        }
        self.limits.check_value(&line.value).map_err(|fault| self.bad(&fault.to_string()))?;
        self.counts.keys += 1;
        let expires_at = line.expires_at.map(Timestamp::as_millis);
        self.execute(
            "INSERT INTO kv (key, value, revision, expires_at) VALUES (?1, ?2, ?3, ?4)",
            params![line.key.as_str(), line.value.as_str(), line.revision.0, expires_at],
        )
    }

    fn put_log(&mut self, line: &LogLine) -> Result<(), ImportFault> {
        self.close_log()?;
        let LogLine { name, first, last } = line;
        if first.0 == 0 || *first > last.next() {
            return Err(self.bad("the first record must not come after the last"));
        }
        self.counts.logs += 1;
        let id = self.counts.logs;
        self.log = Some(OpenLog { id, next: *first, last: *last });
        self.execute(
            "INSERT INTO log (id, name, first, last) VALUES (?1, ?2, ?3, ?4)",
            params![id, name.as_str(), first.0, last.0],
        )
    }

    fn put_record(&mut self, line: &RecordLine) -> Result<(), ImportFault> {
        let RecordLine { sequence, key, body } = line;
        let Some(log) = self.log.as_mut().filter(|log| log.next == *sequence) else {
            return Err(self.bad("this is not the next record"));
        };
        log.next = sequence.next();
        let id = log.id;
        self.limits.check_record(body).map_err(|fault| self.bad(&fault.to_string()))?;
        self.counts.records += 1;
        self.execute(
            "INSERT INTO record (log, sequence, dedup, body) VALUES (?1, ?2, ?3, ?4)",
            params![id, sequence.0, key.as_ref().map(DedupKey::as_str), body.as_str()],
        )
    }

    fn close_log(&self) -> Result<(), ImportFault> {
        match &self.log {
            Some(log) if log.next <= log.last => {
                Err(self.bad(&format!("record {} is missing before this line", log.next)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn put_message(&mut self, line: &MessageLine, fits: bool) -> Result<(), ImportFault> {
        if !fits {
            return Err(self.bad("the message id is newer than the store's"));
        }
        self.limits.check_message(&line.body).map_err(|fault| self.bad(&fault.to_string()))?;
        self.counts.messages += 1;
        self.execute(
            "INSERT INTO message (id, queue, dedup, ready_at, attempts, attempts_max, claims, held,
             reason, died_at, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                line.id.0,
                line.queue.as_str(),
                line.dedup.as_ref().map(DedupKey::as_str),
                line.ready_at.as_millis(),
                line.attempts,
                line.attempts_max,
                line.claims,
                line.held,
                line.reason,
                line.died_at.map(Timestamp::as_millis),
                line.body.as_str(),
            ],
        )
    }

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), ImportFault> {
        let done = self.connection.prepare_cached(sql).and_then(|mut sql| sql.execute(values));
        self.sqlite(done).map(|_| ())
    }

    /// A row that the tables refuse (such as a duplicate key) is a fault of the line.
    fn sqlite<T>(&self, result: rusqlite::Result<T>) -> Result<T, ImportFault> {
        result.map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => self.bad(&error.to_string()),
            Some(_) | None => StoreFault::from(error).into(),
        })
    }

    fn bad(&self, because: &str) -> ImportFault {
        ImportFault::Line { line: self.line, because: because.to_owned() }
    }
}
