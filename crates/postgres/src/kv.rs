//! Keys and values in PostgreSQL.

use std::collections::VecDeque;
use std::sync::Arc;

use store::engine::Topic;
use store::{
    BoxFuture, Change, Expected, Expiry, Json, Key, Kv, KvEntry, ListEdit, ListEditResult, Page,
    PageRequest, Prefix, Revision, StoreFault, Subscription,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::connect::Param;
use crate::rows::{bounds, get, json, millis, name, number, only, optional_moment, signed};
use crate::subscription::PostgresSubscription;
use crate::watch::WatchPosition;
use crate::writer::{Lock, Step, Write};
use crate::{PostgresStore, Shared};

pub(crate) const GET: &str = "select key, value, revision, expires_at from kv
    where key = $1 and value is not null
    and (expires_at is null or expires_at > (select now_millis($2)))";

/// A page: what fits into its bytes, and how many there would be.
const LIST: &str = "select key, value, revision, expires_at, total from (
        select key, value, revision, expires_at, count(*) over () as total,
            sum(octet_length(value)) over (order by key rows unbounded preceding)
                - octet_length(value) as before
        from (select * from kv where key >= $1 and key < $2 and value is not null
              and (expires_at is null or expires_at > (select now_millis($3)))
              order by key limit $4) as wanted
    ) as measured where before < $5 order by key";
const KEYS: &str = "select key from kv where key >= $1 and key < $2 and value is not null
    and (expires_at is null or expires_at > (select now_millis($3))) order by key limit $4";

impl Kv for PostgresStore {
    fn get<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<KvEntry>, StoreFault>> {
        Box::pin(async move {
            let now = self.shared.now();
            let rows = self.shared.readers.rows(GET, &[&key.as_str(), &now]).await?;
            rows.first().map(entry).transpose()
        })
    }

    fn set<'a>(
        &'a self,
        key: &'a Key,
        value: Json,
        expected: Expected,
        expiry: Expiry,
    ) -> BoxFuture<'a, Result<Revision, StoreFault>> {
        let key = key.clone();
        Box::pin(async move {
            self.shared.limits.check_value(&value)?;
            let bytes = value.as_str().len();
            let life: Option<i64> = match expiry {
                Expiry::Never => None,
                Expiry::After(span) => Some(millis(self.shared.limits.span(span))),
                Expiry::Unchanged => Some(-1),
            };
            let params: Vec<Param> = vec![
                text(key.as_str()),
                text(value.as_str()),
                Box::new(expected_number(expected)),
                Box::new(life),
                Box::new(self.shared.now()),
            ];
            let write = write("select * from kv_set($1, $2, $3, $4, $5)", params);
            let decode = move |rows: &[Row]| match get::<Option<i64>>(only(rows)?, 0)? {
                Some(_) => Ok(Revision(number(only(rows)?, 0)?)),
                None => Err(conflict(key, only(rows)?)?),
            };
            self.writer.call(bytes, write, decode).await
        })
    }

    fn delete<'a>(
        &'a self,
        key: &'a Key,
        expected: Expected,
    ) -> BoxFuture<'a, Result<Option<Revision>, StoreFault>> {
        let key = key.clone();
        let params: Vec<Param> = vec![
            text(key.as_str()),
            Box::new(expected_number(expected)),
            Box::new(self.shared.now()),
        ];
        let write = write("select * from kv_delete($1, $2, $3)", params);
        let decode = move |rows: &[Row]| match get::<bool>(only(rows)?, 2)? {
            true => Err(conflict(key, only(rows)?)?),
            false => {
                let revision: Option<i64> = get(only(rows)?, 0)?;
                revision.map(|_| number(only(rows)?, 0).map(Revision)).transpose()
            }
        };
        Box::pin(self.writer.call(0, write, decode))
    }

    fn list<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> BoxFuture<'a, Result<Page<KvEntry, Key>, StoreFault>> {
        Box::pin(async move {
            let limits = &self.shared.limits;
            let (items_max, now) = (limits.page_items(page.limit), self.shared.now());
            let (from, end) = bounds(prefix, page.after.as_ref().map(Key::as_str));
            let bytes_max = i64::try_from(limits.page_bytes_max).unwrap_or(i64::MAX);
            let most = i64::try_from(items_max).unwrap_or(i64::MAX - 1) + 1;
            let params: [&(dyn ToSql + Sync); 5] = [&from, &end, &now, &most, &bytes_max.max(1)];
            let rows = self.shared.readers.rows(LIST, &params).await?;
            let total = rows.first().map(|row| number(row, 4)).transpose()?.unwrap_or(0);
            let entries = rows.iter().take(items_max).map(entry);
            let items = entries.collect::<Result<Vec<KvEntry>, _>>()?;
            let is_more = total > items.len() as u64;
            let last = items.last().filter(|_| is_more);
            Ok(Page { next: last.map(|entry| entry.key.clone()), items })
        })
    }

    fn keys<'a>(
        &'a self,
        prefix: &'a Prefix,
        page: PageRequest<Key>,
    ) -> BoxFuture<'a, Result<Page<Key, Key>, StoreFault>> {
        Box::pin(async move {
            let (from, end) = bounds(prefix, page.after.as_ref().map(Key::as_str));
            let now = self.shared.now();
            self.shared.names(KEYS, (&from, &end), Some(&now), page.limit).await
        })
    }

    fn revision(&self) -> BoxFuture<'_, Result<Revision, StoreFault>> {
        Box::pin(async move {
            let rows = self.shared.readers.rows("select revision from counter", &[]).await?;
            number(only(&rows)?, 0).map(Revision)
        })
    }

    fn watch<'a>(
        &'a self,
        prefix: &'a Prefix,
        after: Revision,
    ) -> BoxFuture<'a, Result<Subscription<Change>, StoreFault>> {
        Box::pin(async move {
            let wait = self.subscribe(Topic::Kv)?;
            let shared = Arc::clone(&self.shared);
            let place = WatchPosition::begin(&shared, prefix.clone(), after).await?;
            let fetched = VecDeque::new();
            Ok(Subscription::new(PostgresSubscription { shared, wait, place, fetched }))
        })
    }

    fn edit_list<'a>(
        &'a self,
        key: &'a Key,
        edit: ListEdit,
    ) -> BoxFuture<'a, Result<ListEditResult, StoreFault>> {
        let bytes = match &edit {
            ListEdit::PushLeft(items) | ListEdit::PushRight(items) => {
                items.iter().map(|item| item.as_str().len()).sum()
            }
            ListEdit::PopLeft | ListEdit::PopRight | ListEdit::RemoveAt(_) => 0,
        };
        let step = Step::Edit { key: key.clone(), edit, now: self.shared.now() };
        let write = Write { step, lock: Lock::Keys, topic: Some(Topic::Kv) };
        Box::pin(self.writer.edit(bytes, write))
    }
}

impl Shared {
    /// A page of names; one more is read, to know whether there are more.
    pub(crate) async fn names<T: std::str::FromStr<Err = store::BadName> + Clone>(
        &self,
        sql: &'static str,
        (from, end): (&String, &String),
        now: Option<&Option<i64>>,
        limit: usize,
    ) -> Result<Page<T, T>, StoreFault> {
        let items_max = self.limits.page_items(limit);
        let most = i64::try_from(items_max).unwrap_or(i64::MAX - 1) + 1;
        let mut params: Vec<&(dyn ToSql + Sync)> = vec![from, end];
        if let Some(now) = now {
            params.push(now);
        }
        params.push(&most);
        let rows = self.readers.rows(sql, &params).await?;
        let names = rows.iter().take(items_max).map(|row| name(row, 0));
        let items = names.collect::<Result<Vec<T>, _>>()?;
        let is_more = rows.len() > items_max;
        Ok(Page { next: items.last().filter(|_| is_more).cloned(), items })
    }
}

fn write(sql: &'static str, params: Vec<Param>) -> Write {
    Write { step: Step::Call { sql, params }, lock: Lock::Keys, topic: Some(Topic::Kv) }
}

pub(crate) fn text(text: &str) -> Param {
    Box::new(text.to_owned())
}

/// As `kv_set` reads it. Revision 0 is no write's, and must not mean absent.
fn expected_number(expected: Expected) -> Option<i64> {
    match expected {
        Expected::Any => None,
        Expected::Absent => Some(0),
        Expected::Revision(Revision(0)) => Some(-1),
        Expected::Revision(Revision(revision)) => Some(signed(revision)),
    }
}

fn conflict(key: Key, row: &Row) -> Result<StoreFault, StoreFault> {
    let current: Option<i64> = get(row, 1)?;
    let current = current.map(|_| number(row, 1).map(Revision)).transpose()?;
    Ok(StoreFault::Conflict { key, current })
}

pub(crate) fn entry(row: &Row) -> Result<KvEntry, StoreFault> {
    Ok(KvEntry {
        key: name(row, 0)?,
        value: json(row, 1)?,
        revision: Revision(number(row, 2)?),
        expires_at: optional_moment(row, 3)?,
    })
}
