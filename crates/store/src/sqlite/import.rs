//! Imports an export into an empty store: all of it, or nothing.

use std::io::BufRead;

use rusqlite::{Connection, params};

use super::SqliteStore;
use crate::clock::Timestamp;
use crate::engine::{
    Counts, ExportLine, Head, ImportFault, ImportReader, KvLine, LogLine, MessageLine, RecordLine,
    Topic,
};
use crate::fault::StoreFault;
use crate::name::DedupKey;

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
            let import = Import { connection: step.connection, log: 0 };
            let imported = import.run(ImportReader::new(source, *step.limits));
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
    /// The id of the log whose records come now.
    log: u64,
}

impl Import<'_> {
    fn run<R: BufRead>(mut self, mut lines: ImportReader<R>) -> Result<Counts, ImportFault> {
        self.check_empty()?;
        while let Some(line) = lines.next()? {
            // A row that the tables refuse (such as a duplicate key) is a fault of the line.
            self.put(&line).map_err(|error| match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::ConstraintViolation) => lines.bad(&error.to_string()),
                Some(_) | None => StoreFault::from(error).into(),
            })?;
        }
        Ok(lines.counts())
    }

    fn check_empty(&self) -> Result<(), ImportFault> {
        let sql = "SELECT (SELECT sum(value) FROM counter) + (SELECT count(*) FROM log)";
        let used: rusqlite::Result<i64> = self.connection.query_row(sql, [], |row| row.get(0));
        match used.map_err(StoreFault::from)? {
            0 => Ok(()),
            _ => Err(ImportFault::NotEmpty),
        }
    }

    fn put(&mut self, line: &ExportLine) -> rusqlite::Result<()> {
        match line {
            ExportLine::Store(head) => self.put_head(head),
            ExportLine::Kv(line) => self.put_kv(line),
            ExportLine::Log(line) => self.put_log(line),
            ExportLine::Record(line) => self.put_record(line),
            ExportLine::Message(line) => self.put_message(line),
            ExportLine::End(_) => Ok(()),
        }
    }

    fn put_head(&self, head: &Head) -> rusqlite::Result<()> {
        for (name, value) in [
            ("revision", head.revision.0),
            ("forgotten", head.revision.0),
            ("message", head.message),
        ] {
            let sql = "UPDATE counter SET value = ?2 WHERE name = ?1";
            self.execute(sql, params![name, value])?;
        }
        Ok(())
    }

    fn put_kv(&self, line: &KvLine) -> rusqlite::Result<()> {
        let expires_at = line.expires_at.map(Timestamp::as_millis);
        self.execute(
            "INSERT INTO kv (key, value, revision, expires_at) VALUES (?1, ?2, ?3, ?4)",
            params![line.key.as_str(), line.value.as_str(), line.revision.0, expires_at],
        )
    }

    fn put_log(&mut self, line: &LogLine) -> rusqlite::Result<()> {
        let LogLine { name, first, last } = line;
        self.log += 1;
        self.execute(
            "INSERT INTO log (id, name, first, last) VALUES (?1, ?2, ?3, ?4)",
            params![self.log, name.as_str(), first.0, last.0],
        )
    }

    fn put_record(&self, line: &RecordLine) -> rusqlite::Result<()> {
        let RecordLine { sequence, key, body } = line;
        self.execute(
            "INSERT INTO record (log, sequence, dedup, body) VALUES (?1, ?2, ?3, ?4)",
            params![self.log, sequence.0, key.as_ref().map(DedupKey::as_str), body.as_str()],
        )
    }

    fn put_message(&self, line: &MessageLine) -> rusqlite::Result<()> {
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

    fn execute(&self, sql: &str, values: impl rusqlite::Params) -> rusqlite::Result<()> {
        self.connection.prepare_cached(sql)?.execute(values).map(|_| ())
    }
}
