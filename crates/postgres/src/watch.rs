//! Reads the changes after a revision, for watches.

use store::{BoxFuture, Change, Prefix, Revision, StoreFault};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::Shared;
use crate::kv::entry;
use crate::rows::{bounds, get, name, number, only, signed};
use crate::subscription::Position;

/// The counters and the changes of one moment. An expired value is left out: its deletion has its
/// own revision.
const CHANGES: &str = "select key, value, k.revision, expires_at, c.revision, c.forgotten
    from counter as c left join (
        select key, value, revision, expires_at,
            sum(octet_length(coalesce(value, ''))) over (order by revision rows unbounded preceding)
                - octet_length(coalesce(value, '')) as before
        from (select * from kv where revision > $1 and key >= $2 and key < $3
              and (expires_at is null or expires_at > (select now_millis($4)))
              order by revision limit $5) as wanted
    ) as k on before < $6 order by k.revision";

/// The position of a watch.
#[derive(Clone)]
pub(crate) struct WatchPosition {
    prefix: Prefix,
    after: Revision,
    /// Deletions up to here were forgotten before the watch began.
    forgotten: u64,
}

impl WatchPosition {
    /// The position of a watch that begins after a revision.
    pub(crate) async fn begin(
        shared: &Shared,
        prefix: Prefix,
        after: Revision,
    ) -> Result<Self, StoreFault> {
        let forgotten = match after {
            Revision::START => {
                let rows = shared.readers.rows("select forgotten from counter", &[]).await?;
                number(only(&rows)?, 0)?
            }
            Revision(_) => 0,
        };
        Ok(Self { prefix, after, forgotten })
    }
}

impl Position for WatchPosition {
    type Item = Change;

    fn fetch<'a>(
        &'a self,
        shared: &'a Shared,
    ) -> BoxFuture<'a, Result<(Vec<Change>, Self), StoreFault>> {
        Box::pin(async move {
            let (from, end) = bounds(&self.prefix, None);
            let (after, now) = (signed(self.after.0), shared.now());
            let items_max = shared.limits.page_items(usize::MAX);
            let most = i64::try_from(items_max).unwrap_or(i64::MAX);
            let bytes_max = i64::try_from(shared.limits.page_bytes_max).unwrap_or(i64::MAX).max(1);
            // Planned anew each time: after the newest revision the index of revisions is the way,
            // from the start it may be that of the keys.
            let params: [(&(dyn ToSql + Sync), Type); 6] = [
                (&after, Type::INT8),
                (&from, Type::TEXT),
                (&end, Type::TEXT),
                (&now, Type::INT8),
                (&most, Type::INT8),
                (&bytes_max, Type::INT8),
            ];
            let rows = shared.readers.rows_planned(CHANGES, &params).await?;
            let (newest, forgotten) = (number(only(&rows)?, 4)?, number(only(&rows)?, 5)?);
            if self.after.0.max(self.forgotten) < forgotten {
                return Err(StoreFault::Forgotten { through: Revision(forgotten) });
            }
            let changed = rows.iter().filter_map(|row| change(row).transpose());
            let found = changed.collect::<Result<Vec<Change>, _>>()?;
            let bytes: usize = found.iter().map(size).sum();
            let is_full = found.len() >= items_max || bytes >= shared.limits.page_bytes_max;
            let after = match found.last() {
                Some(last) if is_full => last.revision(),
                Some(_) | None => Revision(newest).max(self.after),
            };
            Ok((found, Self { after, ..self.clone() }))
        })
    }
}

/// `None` in the only row of a fetch that found nothing.
fn change(row: &Row) -> Result<Option<Change>, StoreFault> {
    if get::<Option<&str>>(row, 0)?.is_none() {
        return Ok(None);
    }
    match get::<Option<&str>>(row, 1)? {
        Some(_) => entry(row).map(|entry| Some(Change::Set(entry))),
        None => {
            let (key, revision) = (name(row, 0)?, Revision(number(row, 2)?));
            Ok(Some(Change::Deleted { key, revision }))
        }
    }
}

fn size(change: &Change) -> usize {
    match change {
        Change::Set(entry) => entry.value.as_str().len(),
        Change::Deleted { .. } => 0,
    }
}
