//! Queues and their messages in the file.

use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params};

use super::counter::count_up;
use super::fault::{json_in, optional_name_in};
use super::writer::Step;
use super::{Look, SqliteStore};
use crate::clock::Timestamp;
use crate::engine::Topic;
use crate::fault::StoreFault;
use crate::name::{DedupKey, QueueName};
use crate::page::{Page, PageRequest};
use crate::queue::{
    Claim, ClaimId, DeadLetter, MessageId, NewMessage, PushResult, Queue, QueueDepth,
};
use crate::store::BoxFuture;

impl Queue for SqliteStore {
    fn push<'a>(
        &'a self,
        queue: &'a QueueName,
        message: NewMessage,
    ) -> BoxFuture<'a, Result<PushResult, StoreFault>> {
        let queue = queue.clone();
        Box::pin(async move {
            self.shared.limits.check_message(&message.body)?;
            let bytes = message.body.as_str().len();
            self.write(bytes, move |step| push(step, &queue, &message)).await
        })
    }

    fn claim<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Option<Claim>, StoreFault>> {
        let queue = queue.clone();
        Box::pin(self.write(0, move |step| claim(step, &queue, lease)))
    }

    fn claim_next<'a>(
        &'a self,
        queue: &'a QueueName,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Claim, StoreFault>> {
        Box::pin(async move {
            let mut subscription = self.subscribe(Topic::Queue(queue.clone()))?;
            loop {
                subscription.mark();
                // A read costs the writer nothing, so waiting workers read first.
                let looked = queue.clone();
                if self.shared.read(move |look| is_ready(look, &looked)).await?
                    && let Some(claim) = self.claim(queue, lease).await?
                {
                    return Ok(claim);
                }
                subscription.changed().await?;
            }
        })
    }

    fn ack<'a>(&'a self, claim: &'a ClaimId) -> BoxFuture<'a, Result<(), StoreFault>> {
        let claim = claim.clone();
        Box::pin(self.write(0, move |step| {
            let sql = "DELETE FROM message WHERE id = ?1 AND queue = ?2 AND held = ?3";
            let gone = step.connection.prepare_cached(sql)?.execute(held(&claim))?;
            check_held(gone, &claim)
        }))
    }

    fn nack<'a>(
        &'a self,
        claim: &'a ClaimId,
        delay: Duration,
        reason: &'a str,
    ) -> BoxFuture<'a, Result<(), StoreFault>> {
        let (claim, reason) = (claim.clone(), reason.to_owned());
        Box::pin(async move {
            self.shared.limits.check_reason(&reason)?;
            self.write(reason.len(), move |step| nack(step, &claim, delay, &reason)).await
        })
    }

    fn extend<'a>(
        &'a self,
        claim: &'a ClaimId,
        lease: Duration,
    ) -> BoxFuture<'a, Result<Timestamp, StoreFault>> {
        let claim = claim.clone();
        Box::pin(self.write(0, move |step| {
            let until = step.now.after(step.limits.span(lease));
            let (message, queue, number) = held(&claim);
            let changed = step
                .connection
                .prepare_cached(
                    "UPDATE message SET ready_at = ?4 WHERE id = ?1 AND queue = ?2 AND held = ?3",
                )?
                .execute(params![message, queue, number, until.as_millis()])?;
            check_held(changed, &claim).map(|()| until)
        }))
    }

    fn depth<'a>(&'a self, queue: &'a QueueName) -> BoxFuture<'a, Result<QueueDepth, StoreFault>> {
        let queue = queue.clone();
        Box::pin(self.shared.read(move |look| {
            let mut statement = look.connection.prepare_cached(
                "SELECT (SELECT count(*) FROM message
                         WHERE queue = ?1 AND died_at IS NULL AND ready_at <= ?2),
                        (SELECT count(*) FROM message
                         WHERE queue = ?1 AND died_at IS NULL AND ready_at > ?2),
                        (SELECT count(*) FROM message
                         WHERE queue = ?1 AND died_at IS NOT NULL)",
            )?;
            let depth = statement.query_row(params![queue.as_str(), look.now.as_millis()], |row| {
                Ok(QueueDepth { ready: row.get(0)?, later: row.get(1)?, dead: row.get(2)? })
            });
            Ok(depth?)
        }))
    }

    fn dead_letters<'a>(
        &'a self,
        queue: &'a QueueName,
        page: PageRequest<MessageId>,
    ) -> BoxFuture<'a, Result<Page<DeadLetter, MessageId>, StoreFault>> {
        let queue = queue.clone();
        Box::pin(self.shared.read(move |look| dead_letters(look, &queue, &page)))
    }

    fn requeue<'a>(
        &'a self,
        queue: &'a QueueName,
        message: MessageId,
    ) -> BoxFuture<'a, Result<(), StoreFault>> {
        let queue = queue.clone();
        Box::pin(self.write(0, move |step| {
            let changed = step
                .connection
                .prepare_cached(
                    "UPDATE message SET died_at = NULL, reason = NULL, attempts = 0, ready_at = ?3
                     WHERE id = ?1 AND queue = ?2 AND died_at IS NOT NULL",
                )?
                .execute(params![message.0, queue.as_str(), step.now.as_millis()])?;
            step.touch(Topic::Queue(queue.clone()));
            found(changed, queue, message)
        }))
    }

    fn discard<'a>(
        &'a self,
        queue: &'a QueueName,
        message: MessageId,
    ) -> BoxFuture<'a, Result<(), StoreFault>> {
        let queue = queue.clone();
        Box::pin(self.write(0, move |step| {
            let sql = "DELETE FROM message WHERE id = ?1 AND queue = ?2 AND died_at IS NOT NULL";
            let mut statement = step.connection.prepare_cached(sql)?;
            let gone = statement.execute(params![message.0, queue.as_str()])?;
            found(gone, queue, message)
        }))
    }
}

fn push(
    step: &mut Step<'_>,
    queue: &QueueName,
    message: &NewMessage,
) -> Result<PushResult, StoreFault> {
    let dedup = message.dedup.as_ref().map(DedupKey::as_str);
    let sql = "SELECT id FROM message WHERE queue = ?1 AND dedup = ?2";
    let known = step
        .connection
        .prepare_cached(sql)?
        .query_row(params![queue.as_str(), dedup], |row| row.get(0))
        .optional()?;
    if let Some(known) = known {
        return Ok(PushResult::Known(MessageId(known)));
    }
    let id = count_up(step.connection, "message")?;
    let ready_at = step.now.after(step.limits.span(message.delay)).as_millis();
    step.connection
        .prepare_cached(
            "INSERT INTO message (id, queue, body, dedup, ready_at, attempts, attempts_max, claims)
             VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0)",
        )?
        .execute(params![
            id,
            queue.as_str(),
            message.body.as_str(),
            dedup,
            ready_at,
            message.attempts_max.max(1)
        ])?;
    step.touch(Topic::Queue(queue.clone()));
    Ok(PushResult::New(MessageId(id)))
}

fn is_ready(look: &Look<'_>, queue: &QueueName) -> Result<bool, StoreFault> {
    let mut statement = look.connection.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM message
         WHERE queue = ?1 AND died_at IS NULL AND ready_at <= ?2)",
    )?;
    let now = look.now.as_millis();
    Ok(statement.query_row(params![queue.as_str(), now], |row| row.get(0))?)
}

fn claim(
    step: &mut Step<'_>,
    queue: &QueueName,
    lease: Duration,
) -> Result<Option<Claim>, StoreFault> {
    bury_exhausted(step, queue)?;
    let now = step.now.as_millis();
    let until = step.now.after(step.limits.span(lease));
    let mut statement = step.connection.prepare_cached(
        "UPDATE message SET attempts = attempts + 1, claims = claims + 1, held = claims + 1,
         ready_at = ?3
         WHERE id = (SELECT id FROM message WHERE queue = ?1 AND died_at IS NULL
                     AND ready_at <= ?2 ORDER BY ready_at, id LIMIT 1)
         RETURNING id, claims, body, dedup, attempts, attempts_max",
    )?;
    let mut rows = statement.query(params![queue.as_str(), now, until.as_millis()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let id = ClaimId { queue: queue.clone(), message: MessageId(row.get(0)?), number: row.get(1)? };
    let claim = Claim {
        id,
        body: json_in(row, 2)?,
        dedup: optional_name_in(row, 3)?,
        attempt: row.get(4)?,
        attempts_max: row.get(5)?,
        until,
    };
    Ok(Some(claim))
}

/// Turns messages whose last attempt expired into dead letters.
fn bury_exhausted(step: &Step<'_>, queue: &QueueName) -> Result<(), StoreFault> {
    // They became ready first, so the scan ends at the first other message.
    loop {
        let buried = step
            .connection
            .prepare_cached(
                "UPDATE message SET died_at = ?2, held = NULL, reason = NULL
                 WHERE attempts >= attempts_max AND id = (SELECT id FROM message
                 WHERE queue = ?1 AND died_at IS NULL AND ready_at <= ?2
                 ORDER BY ready_at, id LIMIT 1)",
            )?
            .execute(params![queue.as_str(), step.now.as_millis()])?;
        if buried == 0 {
            return Ok(());
        }
    }
}

fn nack(
    step: &mut Step<'_>,
    claim: &ClaimId,
    delay: Duration,
    reason: &str,
) -> Result<(), StoreFault> {
    let ready_at = step.now.after(step.limits.span(delay)).as_millis();
    let (message, queue, number) = held(claim);
    let changed = step
        .connection
        .prepare_cached(
            "UPDATE message SET held = NULL, ready_at = ?4, reason = ?5,
             died_at = CASE WHEN attempts >= attempts_max THEN ?6 END
             WHERE id = ?1 AND queue = ?2 AND held = ?3",
        )?
        .execute(params![message, queue, number, ready_at, reason, step.now.as_millis()])?;
    step.touch(Topic::Queue(claim.queue.clone()));
    check_held(changed, claim)
}

/// The condition that finds the message only while this claim holds it.
fn held(claim: &ClaimId) -> (u64, &str, u64) {
    (claim.message.0, claim.queue.as_str(), claim.number)
}

fn check_held(changed: usize, claim: &ClaimId) -> Result<(), StoreFault> {
    let ClaimId { queue, message, number: _ } = claim;
    match changed {
        0 => Err(StoreFault::LeaseLost { queue: queue.clone(), message: *message }),
        _ => Ok(()),
    }
}

fn found(changed: usize, queue: QueueName, message: MessageId) -> Result<(), StoreFault> {
    match changed {
        0 => Err(StoreFault::NoDeadLetter { queue, message }),
        _ => Ok(()),
    }
}

fn dead_letters(
    look: &Look<'_>,
    queue: &QueueName,
    page: &PageRequest<MessageId>,
) -> Result<Page<DeadLetter, MessageId>, StoreFault> {
    let mut statement = look.connection.prepare_cached(
        "SELECT id, body, dedup, attempts, reason, died_at FROM message
         WHERE queue = ?1 AND id > ?2 AND died_at IS NOT NULL ORDER BY id",
    )?;
    let after = page.after.map_or(0, |id| id.0);
    let mut rows = statement.query(params![queue.as_str(), after])?;
    let (items_max, mut bytes) = (look.limits.page_items(page.limit), 0);
    let mut items: Vec<DeadLetter> = Vec::new();
    while let Some(row) = rows.next()? {
        if items.len() == items_max || bytes >= look.limits.page_bytes_max {
            return Ok(Page { next: items.last().map(|letter| letter.message), items });
        }
        let letter = dead_letter_in(row)?;
        bytes += letter.body.as_str().len();
        items.push(letter);
    }
    Ok(Page { items, next: None })
}

fn dead_letter_in(row: &Row<'_>) -> Result<DeadLetter, StoreFault> {
    Ok(DeadLetter {
        message: MessageId(row.get(0)?),
        body: json_in(row, 1)?,
        dedup: optional_name_in(row, 2)?,
        attempts: row.get(3)?,
        reason: row.get(4)?,
        died_at: Timestamp::from_millis(row.get(5)?),
    })
}
