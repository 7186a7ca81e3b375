//! The only writer: a thread that commits all waiting writes in one transaction.
//!
//! While a commit waits for the disk, further writes queue up; the next transaction takes
//! them all. So a single caller waits for the disk once per write, and many share the wait.
//!
//! Must hold: a write returns after the commit that contains it; a write that fails leaves
//! nothing in the transaction; once damage was found, nothing more is written.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::expiry::{SweepResult, sweep};
use super::{LOOK_EVERY, LOOK_EVERY_IDLE};
use crate::clock::{Clock, Timestamp};
use crate::engine::{Topic, Topics};
use crate::fault::StoreFault;
use crate::limits::Limits;

/// The maximum number of writes in one transaction, so that the first need not wait long.
const WRITES_PER_COMMIT_MAX: usize = 1_024;
/// The unit in which the size of waiting writes is counted.
const WEIGHT_BYTES: usize = 1_000;

/// One write inside the transaction.
pub(super) struct Step<'a> {
    pub connection: &'a Connection,
    pub now: Timestamp,
    pub limits: &'a Limits,
    touched: &'a mut HashSet<Topic>,
    damage: &'a mut Option<StoreFault>,
}

impl Step<'_> {
    /// Marks a topic as changed; its subscriptions are woken after the commit.
    pub(super) fn touch(&mut self, topic: Topic) {
        self.touched.insert(topic);
    }
}

/// A write, run in a transaction or with the fault that prevented one.
type Run = Box<dyn FnOnce(Result<&mut Step<'_>, StoreFault>) -> Reply + Send>;
/// Passes the result of the commit to the caller.
type Reply = Box<dyn FnOnce(Result<(), StoreFault>) + Send>;

enum WriterMessage {
    Write { run: Run, _weight: OwnedSemaphorePermit },
    Wake,
}

/// The handle to the writer's thread.
pub(super) struct Writer {
    /// `None` only while it is being dropped, which ends the thread.
    orders: Option<Sender<WriterMessage>>,
    thread: Option<JoinHandle<()>>,
    room: Arc<Semaphore>,
    weight_max: usize,
}

impl Writer {
    pub(super) fn start(thread: WriterThread) -> std::io::Result<Self> {
        let weight_max = thread.limits.writes_waiting_bytes_max.div_ceil(WEIGHT_BYTES).max(1);
        let (orders, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || thread.work(&inbox))?;
        let room = Arc::new(Semaphore::new(weight_max));
        Ok(Self { orders: Some(orders), thread: Some(thread), room, weight_max })
    }

    /// Submits a write and waits for its commit.
    pub(super) async fn submit<T: Send + 'static>(
        &self,
        bytes: usize,
        run: impl FnOnce(&mut Step<'_>) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let weight = (bytes / WEIGHT_BYTES + 1).min(self.weight_max);
        let weight = u32::try_from(weight).unwrap_or(u32::MAX);
        let weight = Arc::clone(&self.room).acquire_many_owned(weight).await;
        let _weight = weight.map_err(|_| StoreFault::Closed)?;
        let (answer, answered) = oneshot::channel();
        let run: Run = Box::new(move |step| {
            let result = step.and_then(|step| within_savepoint(step, run));
            Box::new(move |commit| {
                // The caller may be gone; the write is still valid.
                let _ = answer.send(result.and_then(|value| commit.map(|()| value)));
            })
        });
        self.order(WriterMessage::Write { run, _weight })?;
        answered.await.map_err(|_| StoreFault::Closed)?
    }

    /// Wakes the writer's thread, because a subscription began to wait.
    pub(super) fn wake(&self) {
        let _ = self.order(WriterMessage::Wake);
    }

    fn order(&self, order: WriterMessage) -> Result<(), StoreFault> {
        let sent = self.orders.as_ref().and_then(|orders| orders.send(order).ok());
        sent.ok_or(StoreFault::Closed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn within_savepoint<T>(
    step: &mut Step<'_>,
    run: impl FnOnce(&mut Step<'_>) -> Result<T, StoreFault>,
) -> Result<T, StoreFault> {
    step.connection.prepare_cached("SAVEPOINT step")?.execute([])?;
    let result = run(step);
    if let Err(fault @ StoreFault::Damaged { .. }) = &result {
        *step.damage = Some(fault.clone());
    }
    // A fault of the disk may already have rolled the whole transaction back.
    if result.is_err() && !step.connection.is_autocommit() {
        step.connection.prepare_cached("ROLLBACK TO step")?.execute([])?;
    }
    if !step.connection.is_autocommit() {
        step.connection.prepare_cached("RELEASE step")?.execute([])?;
    }
    result
}

/// The state of the writer's thread.
pub(super) struct WriterThread {
    pub connection: Connection,
    pub topics: Arc<Topics>,
    pub clock: Arc<dyn Clock>,
    pub limits: Limits,
    pub deletions_kept: Duration,
}

impl WriterThread {
    fn work(self, inbox: &Receiver<WriterMessage>) {
        let mut damage = None;
        let mut seen = data_version(&self.connection);
        let mut looked = Instant::now();
        loop {
            let every = if self.topics.is_watched() { LOOK_EVERY } else { LOOK_EVERY_IDLE };
            match inbox.recv_timeout(every.saturating_sub(looked.elapsed())) {
                Ok(WriterMessage::Write { run, .. }) => self.commit(run, inbox, &mut damage),
                Ok(WriterMessage::Wake) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if looked.elapsed() >= every {
                looked = Instant::now();
                self.look_around(&mut seen, &mut damage);
            }
        }
        self.topics.close();
    }

    /// One transaction: the given write and all waiting ones.
    fn commit(&self, first: Run, inbox: &Receiver<WriterMessage>, damage: &mut Option<StoreFault>) {
        let begun = damage.clone().map_or_else(|| begin(&self.connection), Err);
        if let Err(fault) = begun {
            first(Err(fault.clone()))(Err(fault));
            return;
        }
        let (mut replies, mut touched, mut next) = (Vec::new(), HashSet::new(), Some(first));
        while let Some(run) = next.take() {
            let (connection, limits) = (&self.connection, &self.limits);
            let now = self.clock.now();
            let mut step = Step { connection, now, limits, touched: &mut touched, damage };
            replies.push(run(Ok(&mut step)));
            let goes_on = damage.is_none() && !self.connection.is_autocommit();
            next = match goes_on && replies.len() < WRITES_PER_COMMIT_MAX {
                true => next_write(inbox),
                false => None,
            };
        }
        let ended = match damage {
            Some(fault) => rollback(&self.connection, fault.clone()),
            None => commit(&self.connection),
        };
        match &ended {
            Ok(()) => self.topics.touch(&touched),
            Err(fault @ StoreFault::Damaged { .. }) => *damage = Some(fault.clone()),
            Err(_) => {}
        }
        replies.into_iter().for_each(|reply| reply(ended.clone()));
    }

    /// Handles writes of other processes and expired values.
    fn look_around(&self, seen: &mut Option<i64>, damage: &mut Option<StoreFault>) {
        let version = data_version(&self.connection);
        if *seen != version {
            *seen = version;
            self.topics.touch_all();
        }
        self.topics.touch_queues();
        if damage.is_some() {
            return;
        }
        match sweep(&self.connection, self.clock.now(), self.deletions_kept) {
            Ok(SweepResult::Some) => self.topics.touch(&HashSet::from([Topic::Kv])),
            Ok(SweepResult::Nothing) => {}
            Err(fault @ StoreFault::Damaged { .. }) => *damage = Some(fault),
            // Busy or out of space: the next round retries.
            Err(_) => {}
        }
    }
}

/// A number that changes when another connection has written.
fn data_version(connection: &Connection) -> Option<i64> {
    let mut statement = connection.prepare_cached("PRAGMA data_version").ok()?;
    statement.query_row([], |row| row.get(0)).ok()
}

fn next_write(inbox: &Receiver<WriterMessage>) -> Option<Run> {
    inbox.try_iter().find_map(|order| match order {
        WriterMessage::Write { run, .. } => Some(run),
        WriterMessage::Wake => None,
    })
}

pub(super) fn begin(connection: &Connection) -> Result<(), StoreFault> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    Ok(())
}

/// Commits the transaction. On failure it is rolled back; after a disk failure it is unknown
/// what a later start finds.
pub(super) fn commit(connection: &Connection) -> Result<(), StoreFault> {
    if connection.is_autocommit() {
        let because = "the transaction was rolled back".to_owned();
        return Err(StoreFault::Unusable { because });
    }
    let committed = connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
    let Err(error) = committed else { return Ok(()) };
    let fault = StoreFault::from(error);
    match matches!(fault, StoreFault::Damaged { .. }) {
        true => rollback(connection, fault),
        false => rollback(connection, StoreFault::Unsure { because: fault.to_string() }),
    }
}

/// Rolls the transaction back because of `fault`.
fn rollback(connection: &Connection, fault: StoreFault) -> Result<(), StoreFault> {
    if !connection.is_autocommit() {
        connection.execute_batch("ROLLBACK")?;
    }
    Err(fault)
}
