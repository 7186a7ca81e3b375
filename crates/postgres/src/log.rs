//! Logs and their records in PostgreSQL.

use std::collections::VecDeque;
use std::sync::Arc;

use store::engine::Topic;
use store::{
    AppendResult, BoxFuture, DedupKey, Json, Log, LogName, Page, PageRequest, Prefix, Record,
    Sequence, StoreFault, Subscription,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::connect::Param;
use crate::kv::text;
use crate::rows::{bounds, get, json, number, only, optional_name, signed};
use crate::subscription::{Position, PostgresSubscription};
use crate::writer::{Lock, Step, Write};
use crate::{PostgresStore, Shared};

/// How many records an erasure deletes at once; more are left to the sweep.
pub(crate) const ERASED_AT_ONCE_MAX: i64 = 1_000;

/// The log's own row and some records, of one moment.
const READ: &str = "select l.first, r.sequence, r.dedup, r.body
    from log as l left join lateral (
        select sequence, dedup, body,
            sum(octet_length(body)) over (order by sequence rows unbounded preceding)
                - octet_length(body) as before
        from (select * from record where log = l.id and sequence >= $2
              order by sequence limit $3) as wanted
    ) as r on before < $4 where l.name = $1 order by r.sequence";
const FIND: &str = "select null::bigint, sequence, dedup, body from record
    where log = (select id from log where name = $1) and dedup = $2";
const LOGS: &str = "select name from log
    where name >= $1 and name < $2 and first <= last order by name limit $3";

impl Log for PostgresStore {
    fn append<'a>(
        &'a self,
        log: &'a LogName,
        body: Json,
        key: Option<DedupKey>,
    ) -> BoxFuture<'a, Result<AppendResult, StoreFault>> {
        Box::pin(async move {
            let appended = self.append_records(log, vec![(body, key)]).await?;
            appended.into_iter().next().ok_or_else(missing)
        })
    }

    fn append_all<'a>(
        &'a self,
        log: &'a LogName,
        records: Vec<(Json, Option<DedupKey>)>,
    ) -> BoxFuture<'a, Result<Vec<AppendResult>, StoreFault>> {
        Box::pin(async move {
            match records.is_empty() {
                true => Ok(Vec::new()),
                false => self.append_records(log, records).await,
            }
        })
    }

    fn read<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreFault>> {
        Box::pin(read(&self.shared, log, from, limit))
    }

    fn find<'a>(
        &'a self,
        log: &'a LogName,
        key: &'a DedupKey,
    ) -> BoxFuture<'a, Result<Option<Record>, StoreFault>> {
        Box::pin(async move {
            let rows = self.shared.readers.rows(FIND, &[&log.as_str(), &key.as_str()]).await?;
            rows.first().map(record).transpose()
        })
    }

    fn last<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<Option<Sequence>, StoreFault>> {
        Box::pin(async move {
            let sql = "select last from log where name = $1";
            let rows = self.shared.readers.rows(sql, &[&log.as_str()]).await?;
            rows.first().map(|row| number(row, 0).map(Sequence)).transpose()
        })
    }

    fn follow<'a>(
        &'a self,
        log: &'a LogName,
        from: Sequence,
    ) -> BoxFuture<'a, Result<Subscription<Record>, StoreFault>> {
        Box::pin(async move {
            let wait = self.subscribe(Topic::Log(log.clone()))?;
            let (shared, fetched) = (Arc::clone(&self.shared), VecDeque::new());
            let place = LogPosition { log: log.clone(), from };
            Ok(Subscription::new(PostgresSubscription { shared, wait, place, fetched }))
        })
    }

    fn logs<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<LogName>,
    ) -> BoxFuture<'a, Result<Page<LogName, LogName>, StoreFault>> {
        Box::pin(async move {
            let (from, end) = bounds(prefix, page.after.as_ref().map(LogName::as_str));
            self.shared.names(LOGS, (&from, &end), None, page.limit).await
        })
    }

    fn erase<'a>(&'a self, log: &'a LogName) -> BoxFuture<'a, Result<(), StoreFault>> {
        let params: Vec<Param> = vec![text(log.as_str()), Box::new(ERASED_AT_ONCE_MAX)];
        let write = write("select log_erase($1, $2)", params, log);
        Box::pin(self.writer.call(0, write, |_| Ok(())))
    }
}

impl PostgresStore {
    async fn append_records(
        &self,
        log: &LogName,
        records: Vec<(Json, Option<DedupKey>)>,
    ) -> Result<Vec<AppendResult>, StoreFault> {
        let mut size = 0;
        for (body, _) in &records {
            self.shared.limits.check_record(body)?;
            size += body.as_str().len();
        }
        let (bodies, keys): (Vec<String>, Vec<Option<String>>) = records
            .into_iter()
            .map(|(body, key)| (body.to_string(), key.map(|key| key.as_str().to_owned())))
            .unzip();
        let params: Vec<Param> = vec![text(log.as_str()), Box::new(bodies), Box::new(keys)];
        let write = write("select log_append($1, $2, $3)", params, log);
        let decode = |rows: &[Row]| {
            let numbers: Vec<i64> = get(only(rows)?, 0)?;
            Ok(numbers.into_iter().map(appended).collect())
        };
        self.writer.call(size, write, decode).await
    }
}

fn write(sql: &'static str, params: Vec<Param>, log: &LogName) -> Write {
    let lock = Lock::Log(log.clone());
    Write { step: Step::Call { sql, params }, lock, topic: Some(Topic::Log(log.clone())) }
}

/// As `log_append` writes it.
fn appended(number: i64) -> AppendResult {
    let sequence = Sequence(number.unsigned_abs());
    match number > 0 {
        true => AppendResult::New(sequence),
        false => AppendResult::Known(sequence),
    }
}

fn missing() -> StoreFault {
    StoreFault::Damaged { because: "an append gave no number".to_owned() }
}

async fn read(
    shared: &Shared,
    log: &LogName,
    from: Sequence,
    limit: usize,
) -> Result<Vec<Record>, StoreFault> {
    let most = i64::try_from(shared.limits.page_items(limit)).unwrap_or(i64::MAX);
    let bytes_max = i64::try_from(shared.limits.page_bytes_max).unwrap_or(i64::MAX).max(1);
    let (name, start) = (log.as_str(), signed(from.0));
    let params: [&(dyn ToSql + Sync); 4] = [&name, &start, &most, &bytes_max];
    let rows = shared.readers.rows(READ, &params).await?;
    let Some(head) = rows.first() else { return Ok(Vec::new()) };
    let first = number(head, 0)?;
    if from.0.max(1) < first {
        return Err(StoreFault::Erased { log: log.clone(), first: Sequence(first) });
    }
    match get::<Option<i64>>(head, 1)? {
        Some(_) => rows.iter().map(record).collect(),
        None => Ok(Vec::new()),
    }
}

fn record(row: &Row) -> Result<Record, StoreFault> {
    let sequence = Sequence(number(row, 1)?);
    Ok(Record { sequence, key: optional_name(row, 2)?, body: json(row, 3)? })
}

/// The position of a follower.
struct LogPosition {
    log: LogName,
    from: Sequence,
}

impl Position for LogPosition {
    type Item = Record;

    fn fetch<'a>(
        &'a self,
        shared: &'a Shared,
    ) -> BoxFuture<'a, Result<(Vec<Record>, Self), StoreFault>> {
        Box::pin(async move {
            let found = read(shared, &self.log, self.from, usize::MAX).await?;
            let from = found.last().map_or(self.from, |record| record.sequence.next());
            Ok((found, Self { log: self.log.clone(), from }))
        })
    }
}
