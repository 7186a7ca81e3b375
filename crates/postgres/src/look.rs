//! Looks at the store from time to time: finds what no notification told, what became claimable by
//! time, and what has expired.
//!
//! One statement per look, however many subscriptions there are. The next look comes after
//! [`PostgresOptions::look_every`](crate::PostgresOptions), or earlier if something is due earlier.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use store::StoreFault;
use store::engine::Topic;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::Shared;
use crate::listener::Announcer;
use crate::rows::{get, millis};

/// How much one sweep removes.
const SWEEP_MAX: i64 = 1_000;
/// The shortest pause, when something is due at once.
const PAUSE_MIN: Duration = Duration::from_millis(2);

/// Each row: what it is about, a name, two numbers.
const LOOK: &str = "with clock as (select now_millis($1) as at)
    select 'keys', null, revision, null from counter
    union all select 'sweep', null, (
            exists (select from kv, clock where expires_at <= at)
            or exists (select from kv, clock where deleted_at < at - $2)
            or exists (select from erased)
        )::int::bigint, (select min(expires_at) from kv where expires_at is not null) - at
        from clock
    union all select 'log', name, first, last from log where name = any ($3)
    union all select 'queue', wanted.queue, (
            select ready_at - at from message
            where queue = wanted.queue and died_at is null order by ready_at, id limit 1), null
        from clock, unnest($4::text[]) as wanted (queue)";

/// The state of the looking task.
pub(crate) struct Looks {
    pub shared: Arc<Shared>,
    pub announcer: Announcer,
    pub look_every: Duration,
    pub deletions_kept: Duration,
    /// What the last look saw of keys and logs.
    pub seen: HashMap<Topic, (i64, i64)>,
}

impl Looks {
    pub(crate) async fn work(mut self) {
        loop {
            let pause = match self.look().await {
                Ok(pause) => pause,
                Err(fault) => {
                    tracing::debug!(%fault, "a look at the store failed");
                    self.look_every
                }
            };
            tokio::time::sleep(pause.clamp(PAUSE_MIN, self.look_every.max(PAUSE_MIN))).await;
        }
    }

    /// Looks once; returns when something is due next.
    async fn look(&mut self) -> Result<Duration, StoreFault> {
        let (mut logs, mut queues) = (Vec::new(), Vec::new());
        for topic in self.shared.topics.watched() {
            match topic {
                Topic::Kv => {}
                Topic::Log(log) => logs.push(log.as_str().to_owned()),
                Topic::Queue(queue) => queues.push(queue.as_str().to_owned()),
            }
        }
        let (now, kept) = (self.shared.now(), millis(self.deletions_kept));
        let params: [&(dyn ToSql + Sync); 4] = [&now, &kept, &logs, &queues];
        let rows = self.shared.readers.rows(LOOK, &params).await?;
        let (mut seen, mut touched) = (HashMap::new(), HashSet::new());
        let (mut due_in, mut is_sweep_due) = (i64::MAX, false);
        for row in &rows {
            let (name, a, b) = columns(row)?;
            match get::<&str>(row, 0)? {
                "keys" => {
                    seen.insert(Topic::Kv, (a.unwrap_or(0), 0));
                }
                "sweep" => {
                    is_sweep_due = a == Some(1);
                    due_in = due_in.min(b.unwrap_or(i64::MAX));
                }
                "log" => {
                    let bounds = (a.unwrap_or(0), b.unwrap_or(0));
                    seen.insert(Topic::Log(name.unwrap_or_default().parse()?), bounds);
                }
                _ => match a {
                    Some(ready_in) if ready_in <= 0 => {
                        touched.insert(Topic::Queue(name.unwrap_or_default().parse()?));
                    }
                    Some(ready_in) => due_in = due_in.min(ready_in),
                    None => {}
                },
            }
        }
        let is_new = |topic: &Topic, state| self.seen.get(topic) != Some(state);
        touched.extend(seen.iter().filter(|(t, s)| is_new(t, s)).map(|(topic, _)| topic.clone()));
        self.seen = seen;
        self.shared.topics.touch(&touched);
        if is_sweep_due {
            self.sweep().await?;
        }
        let due_in = u64::try_from(due_in).unwrap_or(0);
        Ok(if due_in == 0 { PAUSE_MIN } else { Duration::from_millis(due_in) })
    }

    /// Turns expired values into deletions, forgets old deletions, deletes erased records: a
    /// bounded number of each.
    async fn sweep(&self) -> Result<(), StoreFault> {
        let (now, kept) = (self.shared.now(), millis(self.deletions_kept));
        let params: [&(dyn ToSql + Sync); 3] = [&now, &kept, &SWEEP_MAX];
        // Repeating either after a lost connection does no harm, so they go as reads do.
        self.shared.readers.rows("select sweep_kv($1, $2, $3)", &params).await?;
        self.shared.readers.rows("select sweep_erased($1)", &[&SWEEP_MAX]).await?;
        let touched = HashSet::from([Topic::Kv]);
        self.shared.topics.touch(&touched);
        self.announcer.announce(touched);
        Ok(())
    }
}

type Columns<'a> = (Option<&'a str>, Option<i64>, Option<i64>);

fn columns(row: &Row) -> Result<Columns<'_>, StoreFault> {
    Ok((get(row, 1)?, get(row, 2)?, get(row, 3)?))
}
