//! Queues and their messages in PostgreSQL.

use std::time::Duration;

use store::engine::Topic;
use store::{
    BoxFuture, Claim, ClaimId, DeadLetter, DedupKey, MessageId, NewMessage, Page, PageRequest,
    PushResult, Queue, QueueDepth, QueueName, StoreFault, Timestamp,
};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::PostgresStore;
use crate::connect::Param;
use crate::kv::text;
use crate::rows::{get, json, millis, moment, number, only, optional_name, signed, small_number};
use crate::writer::{Lock, Step, Write};

const CLAIM: &str = "select id, claims, body, dedup, attempts, attempts_max, ready_at
    from queue_claim($1, $2, $3)";
const ACK: &str = "delete from message where id = $1 and queue = $2 and held = $3 returning 1";
const NACK: &str = "update message set held = null,
    ready_at = later((select now_millis($5)), $4), reason = $6,
    died_at = case when attempts >= attempts_max then (select now_millis($5)) end
    where id = $1 and queue = $2 and held = $3 returning 1";
const EXTEND: &str = "update message set ready_at = later((select now_millis($5)), $4)
    where id = $1 and queue = $2 and held = $3 returning ready_at";
const DEPTH: &str = "with clock as (select now_millis($2) as at) select
    (select count(*) from message, clock where queue = $1 and died_at is null and ready_at <= at),
    (select count(*) from message, clock where queue = $1 and died_at is null and ready_at > at),
    (select count(*) from message where queue = $1 and died_at is not null)";
const IS_READY: &str = "select exists (select from message
    where queue = $1 and died_at is null and ready_at <= (select now_millis($2)))";
const DEAD: &str = "select id, body, dedup, attempts, reason, died_at, total from (
        select id, body, dedup, attempts, reason, died_at, count(*) over () as total,
            sum(octet_length(body)) over (order by id rows unbounded preceding)
                - octet_length(body) as before
        from (select * from message where queue = $1 and id > $2 and died_at is not null
              order by id limit $3) as wanted
    ) as measured where before < $4 order by id";
const REQUEUE: &str = "update message set died_at = null, reason = null, attempts = 0,
    ready_at = (select now_millis($3))
    where id = $1 and queue = $2 and died_at is not null returning 1";
const DISCARD: &str =
    "delete from message where id = $1 and queue = $2 and died_at is not null returning 1";

impl Queue for PostgresStore {
    fn push<'a>(
        &'a self,
        queue: &'a QueueName,
        message: NewMessage,
    ) -> BoxFuture<'a, Result<PushResult, StoreFault>> {
        Box::pin(async move {
            self.shared.limits.check_message(&message.body)?;
            let NewMessage { body, dedup, delay, attempts_max } = message;
            let params: Vec<Param> = vec![
                text(queue.as_str()),
                text(body.as_str()),
                Box::new(dedup.map(|dedup| DedupKey::as_str(&dedup).to_owned())),
                Box::new(millis(self.shared.limits.span(delay))),
                Box::new(i64::from(attempts_max.max(1))),
                Box::new(self.shared.now()),
            ];
            let sql = "select * from queue_push($1, $2, $3, $4, $5, $6)";
            let write = write(sql, params, Some(queue));
            let decode = |rows: &[Row]| {
                let id = MessageId(number(only(rows)?, 0)?);
                Ok(match get(only(rows)?, 1)? {
                    true => PushResult::Known(id),
                    false => PushResult::New(id),
                })
            };
            self.writer.call(body.as_str().len(), write, decode).await
        })
    }

    fn claim<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Option<Claim>, StoreFault>> {
        let lease = millis(self.shared.limits.span(lease));
        let params: Vec<Param> =
            vec![text(queue.as_str()), Box::new(lease), Box::new(self.shared.now())];
        let queue = queue.clone();
        let decode = move |rows: &[Row]| rows.first().map(|row| claim(queue, row)).transpose();
        Box::pin(self.writer.call(0, write(CLAIM, params, None), decode))
    }

    fn claim_next<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreFault>> {
        Box::pin(async move {
            let mut wait = self.subscribe(Topic::Queue(queue.clone()))?;
            loop {
                wait.mark();
                // A read costs the writer nothing, so waiting workers read first.
                let now = self.shared.now();
                let ready = self.shared.readers.rows(IS_READY, &[&queue.as_str(), &now]).await?;
                if get(only(&ready)?, 0)?
                    && let Some(claim) = self.claim(queue, lease).await?
                {
                    return Ok(claim);
                }
                wait.changed().await?;
            }
        })
    }

    fn ack<'a>(&'a self, claim: &'a ClaimId) -> BoxFuture<'a, Result<(), StoreFault>> {
        let claim = claim.clone();
        let write = write(ACK, held(&claim), None);
        Box::pin(self.writer.call(0, write, move |rows| check_held(rows, claim).map(|_| ())))
    }

    fn nack<'a>(
        &'a self,
        claim: &'a ClaimId,
        delay: Duration,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFault>> {
        let claim = claim.clone();
        Box::pin(async move {
            self.shared.limits.check_reason(reason)?;
            let mut params = held(&claim);
            params.push(Box::new(millis(self.shared.limits.span(delay))));
            params.push(Box::new(self.shared.now()));
            // The one character that PostgreSQL cannot store.
            params.push(Box::new(reason.replace('\0', "\u{fffd}")));
            let write = write(NACK, params, Some(&claim.queue));
            let decode = |rows: &[Row]| check_held(rows, claim).map(|_| ());
            self.writer.call(reason.len(), write, decode).await
        })
    }

    fn extend<'a>(
        &'a self,
        claim: &'a ClaimId,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Timestamp, StoreFault>> {
        let claim = claim.clone();
        let mut params = held(&claim);
        params.push(Box::new(millis(self.shared.limits.span(lease))));
        params.push(Box::new(self.shared.now()));
        let decode = |rows: &[Row]| moment(check_held(rows, claim)?, 0);
        Box::pin(self.writer.call(0, write(EXTEND, params, None), decode))
    }

    fn depth<'a>(&'a self, queue: &'a QueueName) -> BoxFuture<'a, Result<QueueDepth, StoreFault>> {
        Box::pin(async move {
            let now = self.shared.now();
            let rows = self.shared.readers.rows(DEPTH, &[&queue.as_str(), &now]).await?;
            let row = only(&rows)?;
            let (ready, later, dead) = (number(row, 0)?, number(row, 1)?, number(row, 2)?);
            Ok(QueueDepth { ready, later, dead })
        })
    }

    fn dead_letters<'a>(
        &'a self,
        queue: &'a QueueName,
        page: PageRequest<MessageId>,
    ) -> BoxFuture<'a, Result<Page<DeadLetter, MessageId>, StoreFault>> {
        Box::pin(async move {
            let limits = &self.shared.limits;
            let items_max = limits.page_items(page.limit);
            let most = i64::try_from(items_max).unwrap_or(i64::MAX - 1) + 1;
            let bytes_max = i64::try_from(limits.page_bytes_max).unwrap_or(i64::MAX).max(1);
            let (queue, after) = (queue.as_str(), page.after.map_or(0, |id| signed(id.0)));
            let params: [&(dyn ToSql + Sync); 4] = [&queue, &after, &most, &bytes_max];
            let rows = self.shared.readers.rows(DEAD, &params).await?;
            let total = rows.first().map(|row| number(row, 6)).transpose()?.unwrap_or(0);
            let letters = rows.iter().take(items_max).map(dead_letter);
            let items = letters.collect::<Result<Vec<DeadLetter>, _>>()?;
            let last = items.last().filter(|_| total > items.len() as u64);
            Ok(Page { next: last.map(|letter| letter.message), items })
        })
    }

    fn requeue<'a>(
        &'a self,
        queue: &'a QueueName,
        message: MessageId,
    ) -> BoxFuture<'a, Result<(), StoreFault>> {
        let params: Vec<Param> =
            vec![Box::new(signed(message.0)), text(queue.as_str()), Box::new(self.shared.now())];
        let write = write(REQUEUE, params, Some(queue));
        let queue = queue.clone();
        Box::pin(self.writer.call(0, write, move |rows| found(rows, queue, message)))
    }

    fn discard<'a>(
        &'a self,
        queue: &'a QueueName,
        message: MessageId,
    ) -> BoxFuture<'a, Result<(), StoreFault>> {
        let params: Vec<Param> = vec![Box::new(signed(message.0)), text(queue.as_str())];
        let write = write(DISCARD, params, None);
        let queue = queue.clone();
        Box::pin(self.writer.call(0, write, move |rows| found(rows, queue, message)))
    }
}

fn write(sql: &'static str, params: Vec<Param>, touched: Option<&QueueName>) -> Write {
    let topic = touched.map(|queue| Topic::Queue(queue.clone()));
    Write { step: Step::Call { sql, params }, lock: Lock::Rows, topic }
}

fn claim(queue: QueueName, row: &Row) -> Result<Claim, StoreFault> {
    let (message, claims) = (MessageId(number(row, 0)?), number(row, 1)?);
    Ok(Claim {
        id: ClaimId { queue, message, number: claims },
        body: json(row, 2)?,
        dedup: optional_name(row, 3)?,
        attempt: small_number(row, 4)?,
        attempts_max: small_number(row, 5)?,
        until: moment(row, 6)?,
    })
}

/// The condition that finds the message only while this claim holds it.
fn held(claim: &ClaimId) -> Vec<Param> {
    let ClaimId { queue, message, number } = claim;
    vec![Box::new(signed(message.0)), text(queue.as_str()), Box::new(signed(*number))]
}

fn check_held(rows: &[Row], claim: ClaimId) -> Result<&Row, StoreFault> {
    let ClaimId { queue, message, number: _ } = claim;
    rows.first().ok_or(StoreFault::LeaseLost { queue, message })
}

fn found(rows: &[Row], queue: QueueName, message: MessageId) -> Result<(), StoreFault> {
    match rows {
        [] => Err(StoreFault::NoDeadLetter { queue, message }),
        [..] => Ok(()),
    }
}

fn dead_letter(row: &Row) -> Result<DeadLetter, StoreFault> {
    Ok(DeadLetter {
        message: MessageId(number(row, 0)?),
        body: json(row, 1)?,
        dedup: optional_name(row, 2)?,
        attempts: small_number(row, 3)?,
        reason: get(row, 4)?,
        died_at: moment(row, 5)?,
    })
}
