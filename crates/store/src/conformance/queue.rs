//! Queues: leases, attempts, delays and dead letters.

use std::collections::BTreeSet;
use std::time::Duration;

use super::{Because, Passed, Subject, at_once, both, holds, same, too_large};
use crate::fault::{SizedItem, StoreFault};
use crate::json::Json;
use crate::name::QueueName;
use crate::page::PageRequest;
use crate::queue::{Claim, NewMessage, PushResult, Queue, QueueDepth};

cases![
    messages_are_claimed_in_order_and_removed_by_an_ack,
    a_dedup_key_holds_while_its_message_exists,
    a_delayed_message_waits,
    a_message_is_claimable_again_after_its_lease,
    a_lost_lease_can_do_nothing,
    a_late_ack_is_valid_unless_the_message_was_claimed_again,
    an_extended_lease_holds_longer,
    a_message_returned_too_often_is_a_dead_letter,
    a_message_whose_last_lease_expires_is_a_dead_letter,
    a_dead_letter_is_requeued_or_discarded,
    many_workers_share_messages_without_duplicates,
    a_waiting_worker_wakes_on_a_push_and_on_time,
    a_message_that_is_too_large_is_not_written,
];

const MINUTE: Duration = Duration::from_secs(60);

fn message(body: u64, attempts_max: u32) -> Result<NewMessage, Because> {
    Ok(NewMessage { body: Json::of(&body)?, dedup: None, delay: Duration::ZERO, attempts_max })
}

async fn claim(queue: &dyn Queue, name: &QueueName) -> Result<Claim, Because> {
    queue.claim(name, MINUTE).await?.ok_or_else(|| Because("there is nothing to claim".into()))
}

fn lost(claim: &Claim) -> StoreFault {
    let id = claim.id.clone();
    StoreFault::LeaseLost { queue: id.queue, message: id.message }
}

async fn messages_are_claimed_in_order_and_removed_by_an_ack(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    same(queue.claim(&name, MINUTE).await?, None)?;
    for number in 0..3 {
        queue.push(&name, message(number, 3)?).await?;
    }
    queue.push(&"others".parse()?, message(9, 3)?).await?;
    same(queue.depth(&name).await?, QueueDepth { ready: 3, later: 0, dead: 0 })?;
    for number in 0..3u64 {
        let claim = claim(queue, &name).await?;
        same(claim.body.to::<u64>()?, number)?;
        same((claim.attempt, claim.attempts_max), (1, 3))?;
        same(queue.depth(&name).await?, QueueDepth { ready: 2 - number, later: 1, dead: 0 })?;
        queue.ack(&claim.id).await?;
        same(queue.ack(&claim.id).await.err(), Some(lost(&claim)))?;
    }
    same(queue.claim(&name, MINUTE).await?, None)?;
    same(queue.depth(&name).await?, QueueDepth::default())
}

async fn a_dedup_key_holds_while_its_message_exists(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    let keyed = NewMessage { dedup: Some("hook-1".parse()?), ..message(1, 1)? };
    let PushResult::New(id) = queue.push(&name, keyed.clone()).await? else {
        return Err(Because("the first push is not new".into()));
    };
    same(queue.push(&name, keyed.clone()).await?, PushResult::Known(id))?;
    let other = queue.push(&"others".parse()?, keyed.clone()).await?;
    holds(matches!(other, PushResult::New(other) if other != id))?;
    let held = claim(queue, &name).await?;
    same(queue.push(&name, keyed.clone()).await?, PushResult::Known(id))?;
    queue.nack(&held.id, Duration::ZERO, "no").await?;
    same(queue.push(&name, keyed.clone()).await?, PushResult::Known(id))?;
    queue.requeue(&name, id).await?;
    queue.ack(&claim(queue, &name).await?.id).await?;
    holds(matches!(queue.push(&name, keyed).await?, PushResult::New(new) if new > id))
}

async fn a_delayed_message_waits(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, NewMessage { delay: MINUTE, ..message(1, 3)? }).await?;
    queue.push(&name, message(2, 3)?).await?;
    same(claim(queue, &name).await?.body.to::<u64>()?, 2)?;
    subject.advance(MINUTE - Duration::from_millis(1)).await;
    same(queue.claim(&name, MINUTE).await?, None)?;
    subject.advance(Duration::from_millis(1)).await;
    same(claim(queue, &name).await?.attempts_max, 3)
}

async fn a_message_is_claimable_again_after_its_lease(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, message(1, 3)?).await?;
    let first = claim(queue, &name).await?;
    subject.advance(MINUTE - Duration::from_millis(1)).await;
    same(queue.claim(&name, MINUTE).await?, None)?;
    subject.advance(Duration::from_millis(1)).await;
    let second = claim(queue, &name).await?;
    same((second.id.message, second.attempt), (first.id.message, 2))?;
    queue.nack(&second.id, MINUTE, "not now").await?;
    same(queue.claim(&name, MINUTE).await?, None)?;
    subject.advance(MINUTE).await;
    same(claim(queue, &name).await?.attempt, 3)
}

async fn a_lost_lease_can_do_nothing(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, message(1, 9)?).await?;
    let first = claim(queue, &name).await?;
    subject.advance(MINUTE).await;
    let second = claim(queue, &name).await?;
    same(queue.ack(&first.id).await.err(), Some(lost(&first)))?;
    same(queue.nack(&first.id, MINUTE, "").await.err(), Some(lost(&first)))?;
    same(queue.extend(&first.id, MINUTE).await.err(), Some(lost(&first)))?;
    queue.nack(&second.id, Duration::ZERO, "").await?;
    same(queue.ack(&second.id).await.err(), Some(lost(&second)))?;
    let third = claim(queue, &name).await?;
    same(queue.ack(&second.id).await.err(), Some(lost(&second)))?;
    queue.ack(&third.id).await?;
    Ok(())
}

async fn a_late_ack_is_valid_unless_the_message_was_claimed_again(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, message(1, 1)?).await?;
    let held = claim(queue, &name).await?;
    subject.advance(2 * MINUTE).await;
    queue.ack(&held.id).await?;
    same(queue.depth(&name).await?, QueueDepth::default())
}

async fn an_extended_lease_holds_longer(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, message(1, 3)?).await?;
    let held = claim(queue, &name).await?;
    subject.advance(MINUTE / 2).await;
    let until = queue.extend(&held.id, MINUTE).await?;
    holds(until > held.until)?;
    subject.advance(MINUTE - Duration::from_millis(1)).await;
    same(queue.claim(&name, MINUTE).await?, None)?;
    subject.advance(Duration::from_millis(1)).await;
    same(claim(queue, &name).await?.attempt, 2)
}

async fn a_message_returned_too_often_is_a_dead_letter(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, message(7, 2)?).await?;
    for reason in ["first", "second"] {
        let held = claim(queue, &name).await?;
        queue.nack(&held.id, Duration::ZERO, reason).await?;
    }
    same(queue.claim(&name, MINUTE).await?, None)?;
    same(queue.depth(&name).await?, QueueDepth { ready: 0, later: 0, dead: 1 })?;
    let page = queue.dead_letters(&name, PageRequest::first(9)).await?;
    let letter = page.items.first().ok_or(Because("no dead letter".into()))?;
    same((letter.body.as_str(), letter.attempts), ("7", 2))?;
    same(letter.reason.as_deref(), Some("second"))
}

async fn a_message_whose_last_lease_expires_is_a_dead_letter(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    // Several of them, and a valid one after them.
    for number in 0..3 {
        queue.push(&name, message(number, 1)?).await?;
        claim(queue, &name).await?;
    }
    subject.advance(MINUTE).await;
    queue.push(&name, message(3, 1)?).await?;
    same(claim(queue, &name).await?.body.as_str(), "3")?;
    let letters = queue.dead_letters(&name, PageRequest::first(2)).await?;
    same(letters.items.len(), 2)?;
    holds(letters.items.iter().all(|letter| letter.reason.is_none() && letter.attempts == 1))?;
    let next = letters.next.ok_or(Because("there is more".into()))?;
    let letters = queue.dead_letters(&name, PageRequest::after(next, 2)).await?;
    same((letters.items.len(), letters.next), (1, None))
}

async fn a_dead_letter_is_requeued_or_discarded(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    queue.push(&name, message(1, 1)?).await?;
    let first = claim(queue, &name).await?;
    let id = first.id.message;
    let none = || Some(StoreFault::NoDeadLetter { queue: name.clone(), message: id });
    same(queue.requeue(&name, id).await.err(), none())?;
    same(queue.discard(&name, id).await.err(), none())?;
    queue.nack(&first.id, Duration::ZERO, "bad").await?;
    queue.requeue(&name, id).await?;
    let second = claim(queue, &name).await?;
    same((second.id.message, second.attempt), (id, 1))?;
    same(queue.ack(&first.id).await.err(), Some(lost(&first)))?;
    queue.nack(&second.id, Duration::ZERO, "bad").await?;
    queue.discard(&name, id).await?;
    same(queue.discard(&name, id).await.err(), none())?;
    same(queue.depth(&name).await?, QueueDepth::default())
}

async fn many_workers_share_messages_without_duplicates(subject: &dyn Subject) -> Passed {
    let name: QueueName = "jobs".parse()?;
    for number in 0..60 {
        subject.store().queue().push(&name, message(number, 1)?).await?;
    }
    let done = at_once(6, |_| {
        let (store, name) = (subject.store(), name.clone());
        async move {
            let mut done = Vec::new();
            while let Some(claim) = store.queue().claim(&name, MINUTE).await? {
                done.push(claim.body.to::<u64>()?);
                store.queue().ack(&claim.id).await?;
            }
            Ok(done)
        }
    });
    let done = done.await?.into_iter().collect::<Result<Vec<_>, Because>>()?.concat();
    same(done.len(), 60)?;
    same(done.into_iter().collect::<BTreeSet<_>>(), (0..60).collect())
}

async fn a_waiting_worker_wakes_on_a_push_and_on_time(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    let (claim, pushed) =
        both(queue.claim_next(&name, MINUTE), queue.push(&name, message(1, 9)?)).await;
    pushed?;
    let claim = claim?;
    same(claim.body.as_str(), "1")?;
    queue.nack(&claim.id, MINUTE, "later").await?;
    let (claim, ()) = both(queue.claim_next(&name, MINUTE), subject.advance(MINUTE)).await;
    same(claim?.attempt, 2)
}

async fn a_message_that_is_too_large_is_not_written(subject: &dyn Subject) -> Passed {
    let store = subject.store();
    let (queue, name): (_, QueueName) = (store.queue(), "jobs".parse()?);
    let large = NewMessage { body: too_large()?, ..message(0, 1)? };
    let fault = StoreFault::TooLarge { what: SizedItem::Message, size: 1_000_001, max: 1_000_000 };
    same(queue.push(&name, large).await.err(), Some(fault))?;
    same(queue.depth(&name).await?, QueueDepth::default())
}
