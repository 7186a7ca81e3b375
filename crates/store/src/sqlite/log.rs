//! Logs and their records in the file.

use std::collections::VecDeque;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::bounds::{bounds, full};
use super::fault::{json_in, name_in, optional_name_in};
use super::subscription::SqliteSubscription;
use super::writer::Step;
use super::{Look, SqliteStore};
use crate::engine::Topic;
use crate::fault::StoreFault;
use crate::json::Json;
use crate::log::{AppendResult, Log, Record, Sequence};
use crate::name::{DedupKey, LogName, Prefix};
use crate::page::{Page, PageRequest};
use crate::store::BoxFuture;
use crate::subscription::Subscription;

impl Log for SqliteStore {
    fn append<'a>(
        &'a self,
        log: &'a LogName,
        body: Json,
        key: Option<DedupKey>,
    ) -> BoxFuture<'a, Result<AppendResult, StoreFault>> {
        let log = log.clone();
        Box::pin(async move {
            self.shared.limits.check_record(&body)?;
            let bytes = body.as_str().len();
            let one = move |step: &mut Step<'_>| {
                let mut end = End::of(step.connection, &log)?;
                let appended = end.append(step.connection, &body, key.as_ref())?;
                end.keep(step, log)?;
                Ok(appended)
            };
            self.write(bytes, one).await
        })
    }

    fn append_all<'a>(
        &'a self,
        log: &'a LogName,
        records: Vec<(Json, Option<DedupKey>)>,
    ) -> BoxFuture<'a, Result<Vec<AppendResult>, StoreFault>> {
        let log = log.clone();
        Box::pin(async move {
            let mut bytes = 0;
            for (body, _) in &records {
                self.shared.limits.check_record(body)?;
                bytes += body.as_str().len();
            }
            let all = move |step: &mut Step<'_>| {
                if records.is_empty() {
                    return Ok(Vec::new());
                }
                let mut end = End::of(step.connection, &log)?;
                let one = |(body, key): &(Json, Option<DedupKey>)| {
                    end.append(step.connection, body, key.as_ref())
                };
                let appended = records.iter().map(one).collect::<Result<_, _>>()?;
                end.keep(step, log)?;
                Ok(appended)
            };
            self.write(bytes, all).await
        })
    }

    fn read<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreFault>> {
        let log = log.clone();
        Box::pin(self.shared.read(move |look| read(look, &log, from, limit)))
    }

    fn find<'a>(
        &'a self,
        log: &'a LogName,
        key: &'a DedupKey,
    ) -> BoxFuture<'a, Result<Option<Record>, StoreFault>> {
        let (log, key) = (log.clone(), key.clone());
        Box::pin(self.shared.read(move |look| {
            let mut statement = look.connection.prepare_cached(
                "SELECT sequence, dedup, body FROM record
                 WHERE log = (SELECT id FROM log WHERE name = ?1) AND dedup = ?2",
            )?;
            let mut rows = statement.query([log.as_str(), key.as_str()])?;
            rows.next()?.map(record_in).transpose()
        }))
    }

    fn last<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<Option<Sequence>, StoreFault>> {
        let log = log.clone();
        Box::pin(
            self.shared
                .read(move |look| Ok(head(look.connection, &log)?.map(|head| Sequence(head.last)))),
        )
    }

    fn follow<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
    ) -> BoxFuture<'a, Result<Subscription<Record>, StoreFault>> {
        Box::pin(async move {
            let subscription = self.subscribe(Topic::Log(log.clone()))?;
            let shared = Arc::clone(&self.shared);
            let place = (log.clone(), from);
            let fetched = VecDeque::new();
            Ok(Subscription::new(SqliteSubscription {
                shared,
                subscription,
                place,
                fetch: records,
                fetched,
            }))
        })
    }

    fn logs<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<LogName>,
    ) -> BoxFuture<'a, Result<Page<LogName, LogName>, StoreFault>> {
        let prefix = prefix.clone();
        Box::pin(self.shared.read(move |look| logs(look, &prefix, &page)))
    }

    fn erase<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<(), StoreFault>> {
        let log = log.clone();
        Box::pin(self.write(0, move |step| erase(step, &log)))
    }
}

/// A log's own row: records `first` to `last` exist.
struct Head {
    id: i64,
    first: u64,
    last: u64,
}

fn head(connection: &Connection, log: &LogName) -> Result<Option<Head>, StoreFault> {
    let mut statement =
        connection.prepare_cached("SELECT id, first, last FROM log WHERE name = ?1")?;
    let head = statement.query_row([log.as_str()], |row| {
        Ok(Head { id: row.get(0)?, first: row.get(1)?, last: row.get(2)? })
    });
    Ok(head.optional()?)
}

/// The end of a log while records are appended.
struct End {
    log: i64,
    stored_last: u64,
    last: Sequence,
}

impl End {
    /// The end of a log, which is created if it does not exist.
    fn of(connection: &Connection, log: &LogName) -> Result<Self, StoreFault> {
        let (log, stored_last) = match head(connection, log)? {
            Some(head) => (head.id, head.last),
            None => {
                let sql = "INSERT INTO log (name, first, last) VALUES (?1, 1, 0)";
                (connection.prepare_cached(sql)?.insert([log.as_str()])?, 0)
            }
        };
        Ok(Self { log, stored_last, last: Sequence(stored_last) })
    }

    fn append(
        &mut self,
        connection: &Connection,
        body: &Json,
        key: Option<&DedupKey>,
    ) -> Result<AppendResult, StoreFault> {
        if let Some(key) = key {
            let sql = "SELECT sequence FROM record WHERE log = ?1 AND dedup = ?2";
            let known = connection
                .prepare_cached(sql)?
                .query_row(params![self.log, key.as_str()], |row| row.get(0))
                .optional()?;
            if let Some(known) = known {
                return Ok(AppendResult::Known(Sequence(known)));
            }
        }
        let sequence = self.last.next();
        let sql = "INSERT INTO record (log, sequence, dedup, body) VALUES (?1, ?2, ?3, ?4)";
        connection.prepare_cached(sql)?.execute(params![
            self.log,
            sequence.0,
            key.map(DedupKey::as_str),
            body.as_str()
        ])?;
        self.last = sequence;
        Ok(AppendResult::New(sequence))
    }

    /// Stores the end of the log.
    fn keep(self, step: &mut Step<'_>, log: LogName) -> Result<(), StoreFault> {
        if self.last.0 == self.stored_last {
            return Ok(());
        }
        step.connection
            .prepare_cached("UPDATE log SET last = ?2 WHERE id = ?1")?
            .execute(params![self.log, self.last.0])?;
        step.touch(Topic::Log(log));
        Ok(())
    }
}

fn read(
    look: &Look<'_>,
    log: &LogName,
    from: Sequence,
    limit: usize,
) -> Result<Vec<Record>, StoreFault> {
    // One snapshot for both reads, or an erasure could come between them.
    let snapshot = look.connection.unchecked_transaction()?;
    let Some(head) = head(&snapshot, log)? else { return Ok(Vec::new()) };
    if from.0.max(1) < head.first {
        return Err(StoreFault::Erased { log: log.clone(), first: Sequence(head.first) });
    }
    let mut statement = snapshot.prepare_cached(
        "SELECT sequence, dedup, body FROM record WHERE log = ?1 AND sequence >= ?2
         ORDER BY sequence LIMIT ?3",
    )?;
    let from = i64::try_from(from.0).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![head.id, from, look.limits.page_items(limit)])?;
    let (mut found, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let record = record_in(row)?;
        bytes += record.body.as_str().len();
        found.push(record);
        if full(look.limits, found.len(), bytes) {
            break;
        }
    }
    Ok(found)
}

fn record_in(row: &Row<'_>) -> Result<Record, StoreFault> {
    let sequence = Sequence(row.get(0)?);
    Ok(Record { sequence, key: optional_name_in(row, 1)?, body: json_in(row, 2)? })
}

/// The records after a follower's position.
fn records(
    look: &Look<'_>,
    (log, from): (LogName, Sequence),
) -> Result<(Vec<Record>, (LogName, Sequence)), StoreFault> {
    let found = read(look, &log, from, usize::MAX)?;
    let next = found.last().map_or(from, |record| record.sequence.next());
    Ok((found, (log, next)))
}

fn logs(
    look: &Look<'_>,
    prefix: &Prefix,
    page: &PageRequest<LogName>,
) -> Result<Page<LogName, LogName>, StoreFault> {
    let (from, end) = bounds(prefix, page.after.as_ref().map(LogName::as_str));
    let mut statement = look.connection.prepare_cached(
        "SELECT name FROM log WHERE name >= ?1 AND name < ?2 AND first <= last ORDER BY name",
    )?;
    let mut rows = statement.query(params![from, end])?;
    let items_max = look.limits.page_items(page.limit);
    let mut items: Vec<LogName> = Vec::new();
    while let Some(row) = rows.next()? {
        if items.len() == items_max {
            return Ok(Page { next: items.last().cloned(), items });
        }
        items.push(name_in(row, 0)?);
    }
    Ok(Page { items, next: None })
}

fn erase(step: &mut Step<'_>, log: &LogName) -> Result<(), StoreFault> {
    let Some(head) = head(step.connection, log)? else { return Ok(()) };
    step.connection.prepare_cached("DELETE FROM record WHERE log = ?1")?.execute([head.id])?;
    step.connection
        .prepare_cached("UPDATE log SET first = last + 1 WHERE id = ?1")?
        .execute([head.id])?;
    step.touch(Topic::Log(log.clone()));
    Ok(())
}
