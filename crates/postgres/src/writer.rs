//! The only writer of this process: a task that commits all waiting writes in one transaction.
//!
//! While a commit waits for the server, further writes queue up; the next transaction takes them
//! all. So the row of revisions, which a transaction holds until its commit, is locked once for
//! many writes (`writer/batch.rs`).
//!
//! Must hold: a write returns after the commit that contains it; a write of unknown fate returns
//! [`StoreFault::Unsure`]; what the server refuses in one write fails no other.

mod batch;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use store::engine::{Topic, Topics};
use store::{Key, Limits, ListEdit, ListEditResult, LogName, StoreFault};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio_postgres::Row;

use crate::connect::{Connector, Link, Param};
use crate::fault::Trouble;
use crate::listener::Announcer;
use crate::retry::Retry;
use batch::Ended;

/// The maximum number of writes in one transaction, so that the first need not wait long.
const WRITES_PER_COMMIT_MAX: usize = 512;
/// The unit in which the size of waiting writes is counted.
const WEIGHT_BYTES: usize = 1_000;

/// What a write runs.
pub(crate) enum Step {
    /// One call.
    Call { sql: &'static str, params: Vec<Param> },
    /// A list is read, changed here and written.
    Edit { key: Key, edit: ListEdit, now: Option<i64> },
}

/// What a write locks until the commit.
pub(crate) enum Lock {
    /// The row of revisions.
    Keys,
    Log(LogName),
    /// The rows that it finds.
    Rows,
}

/// What a step gave.
pub(crate) enum Outcome {
    Rows(Vec<Row>),
    Edited(Result<ListEditResult, StoreFault>),
}

type Reply = Box<dyn FnOnce(Result<Outcome, StoreFault>) + Send + Sync>;

/// A write that waits for its transaction.
struct Order {
    step: Step,
    lock: Lock,
    topic: Option<Topic>,
    reply: Reply,
    _weight: OwnedSemaphorePermit,
}

/// The handle to the writer's task.
pub(crate) struct Writer {
    /// `None` after it was closed, which ends the task.
    orders: Mutex<Option<UnboundedSender<Order>>>,
    room: Arc<Semaphore>,
    weight_max: usize,
}

impl Writer {
    pub(crate) fn new(limits: &Limits) -> (Self, WriterInbox) {
        let weight_max = limits.writes_waiting_bytes_max.div_ceil(WEIGHT_BYTES).max(1);
        let (orders, inbox) = unbounded_channel();
        let room = Arc::new(Semaphore::new(weight_max));
        (Self { orders: Mutex::new(Some(orders)), room, weight_max }, WriterInbox(inbox))
    }

    /// Submits a call of about `bytes` and waits for its commit.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        bytes: usize,
        write: Write,
        decode: impl FnOnce(&[Row]) -> Result<T, StoreFault> + Send + Sync + 'static,
    ) -> Result<T, StoreFault> {
        let outcome = self.submit(bytes, write, |outcome| match outcome {
            Outcome::Rows(rows) => decode(&rows),
            Outcome::Edited(_) => Err(StoreFault::Closed),
        });
        outcome.await
    }

    pub(crate) async fn edit(
        &self,
        bytes: usize,
        write: Write,
    ) -> Result<ListEditResult, StoreFault> {
        let outcome = self.submit(bytes, write, |outcome| match outcome {
            Outcome::Edited(edited) => edited,
            Outcome::Rows(_) => Err(StoreFault::Closed),
        });
        outcome.await
    }

    async fn submit<T: Send + 'static>(
        &self,
        bytes: usize,
        write: Write,
        decode: impl FnOnce(Outcome) -> Result<T, StoreFault> + Send + Sync + 'static,
    ) -> Result<T, StoreFault> {
        let weight = (bytes / WEIGHT_BYTES + 1).min(self.weight_max);
        let weight = u32::try_from(weight).unwrap_or(u32::MAX);
        let weight = Arc::clone(&self.room).acquire_many_owned(weight).await;
        let _weight = weight.map_err(|_| StoreFault::Closed)?;
        let (answer, answered) = oneshot::channel();
        let reply: Reply = Box::new(move |outcome| {
            // The caller may be gone; the write is still valid.
            let _ = answer.send(outcome.and_then(decode));
        });
        let Write { step, lock, topic } = write;
        let sent = match &*self.orders.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(orders) => orders.send(Order { step, lock, topic, reply, _weight }).is_ok(),
            None => false,
        };
        match sent {
            // Only the end of the runtime drops an accepted write.
            true => answered.await.unwrap_or_else(|_| {
                let because = "the program ended before the answer came".to_owned();
                Err(StoreFault::Unsure { because })
            }),
            false => Err(StoreFault::Closed),
        }
    }

    /// Accepts no more writes.
    pub(crate) fn close(&self) {
        *self.orders.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A write to submit.
pub(crate) struct Write {
    pub step: Step,
    pub lock: Lock,
    /// What it changes, for subscriptions.
    pub topic: Option<Topic>,
}

pub(crate) struct WriterInbox(UnboundedReceiver<Order>);

/// The state of the writer's task.
pub(crate) struct WriterTask {
    pub connector: Arc<Connector>,
    pub topics: Arc<Topics>,
    pub announcer: Announcer,
    pub limits: Limits,
    pub patience: Duration,
    pub link: Option<Link>,
}

impl WriterTask {
    /// Commits until the store is closed and nothing waits any more.
    pub(crate) async fn work(mut self, inbox: WriterInbox) {
        let WriterInbox(mut inbox) = inbox;
        while let Some(first) = inbox.recv().await {
            let mut orders = vec![first];
            while orders.len() < WRITES_PER_COMMIT_MAX
                && let Ok(next) = inbox.try_recv()
            {
                orders.push(next);
            }
            self.commit(orders).await;
        }
        self.topics.close();
    }

    async fn commit(&mut self, orders: Vec<Order>) {
        match self.transact(&orders).await {
            Ok(outcomes) => {
                let touched: HashSet<Topic> =
                    orders.iter().filter_map(|order| order.topic.clone()).collect();
                self.topics.touch(&touched);
                for (order, outcome) in orders.into_iter().zip(outcomes) {
                    (order.reply)(Ok(outcome));
                }
                self.announcer.announce(touched);
            }
            // One of them may have spoiled it for the others.
            Err(StoreFault::Unusable { .. } | StoreFault::Damaged { .. }) if orders.len() > 1 => {
                for order in orders {
                    Box::pin(self.commit(vec![order])).await;
                }
            }
            Err(fault) => orders.into_iter().for_each(|order| (order.reply)(Err(fault.clone()))),
        }
    }

    /// One transaction, repeated until its fate is known or patience ends.
    async fn transact(&mut self, orders: &[Order]) -> Result<Vec<Outcome>, StoreFault> {
        let mut retry = Retry::within(self.patience);
        loop {
            let link = match self.link.take().filter(|link| !link.is_closed()) {
                Some(link) => Ok(link),
                None => self.connector.connect().await,
            };
            let trouble = match link {
                Ok(link) => match batch::run(&link, orders, &self.limits).await {
                    Ended::Committed(outcomes) => {
                        self.link = Some(link);
                        return Ok(outcomes);
                    }
                    Ended::Unsure(because) => return Err(StoreFault::Unsure { because }),
                    Ended::NotWritten(trouble @ Trouble::Lost(_)) => trouble,
                    Ended::NotWritten(trouble @ (Trouble::Repeat(_) | Trouble::Fault(_))) => {
                        // The connection is dropped if it cannot even do this.
                        self.link = link.batch("rollback").await.is_ok().then_some(link);
                        trouble
                    }
                },
                Err(trouble) => trouble,
            };
            tracing::debug!(because = trouble.because(), "a transaction is repeated or given up");
            retry.pause(trouble).await?;
        }
    }
}
