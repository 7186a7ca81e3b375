//! Writes what need not be waited for: audit lines in order, and the newest notes.
//!
//! A write comes at once while there are few, and rests between two commits while there are
//! many: then one commit takes the lines of many calls. Whoever waits is not made to wait for
//! the rest.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use policy::{BoxFuture, ConversationId};
use store::{Expected, Expiry, Json, Store, StoreFault};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::join::submit_all;
use crate::session::SessionStates;
use crate::store_keys;

/// The one who writes behind.
pub(crate) struct BackgroundWriter {
    sender: mpsc::Sender<Task>,
    /// Somebody waits: the rest is over.
    hurry: Arc<Notify>,
}

pub(crate) enum Task {
    /// A line of the audit.
    Audit(Json),
    /// The notes of a conversation changed.
    SessionState(ConversationId),
    /// Everything before this is written when the sender is told.
    Flush(oneshot::Sender<()>),
}

impl Task {
    fn is_waited_for(&self) -> bool {
        match self {
            Task::Flush(_) => true,
            Task::Audit(_) | Task::SessionState(_) => false,
        }
    }
}

/// How many writes may wait; one more makes the call wait, so memory has an end.
const WAITING_MAX: usize = 4_096;
/// How far two commits lie apart, if nobody waits.
const COMMITS_APART: Duration = Duration::from_millis(10);
/// Notes are written when nothing was put for so long: a call more or less in them is no
/// harm, and one write serves for many calls.
const NOTES_EVERY: Duration = Duration::from_millis(50);
/// However busy it is, notes are not older than this.
const NOTES_LATEST: Duration = Duration::from_secs(1);

impl BackgroundWriter {
    /// Starts the writer on the current runtime. It ends when the engine is dropped.
    pub(crate) fn start(store: Arc<dyn Store>, sessions: Arc<SessionStates>) -> Self {
        let (sender, mut tasks) = mpsc::channel(WAITING_MAX);
        let hurry = Arc::new(Notify::new());
        let hurried = Arc::clone(&hurry);
        tokio::spawn(async move {
            let mut committed = None;
            let mut batch = Vec::new();
            let mut changed = BTreeSet::new();
            let mut written = Instant::now();
            loop {
                let more = tasks.recv_many(&mut batch, WAITING_MAX);
                let (is_over, are_due) = match changed.is_empty() {
                    true => (more.await == 0, false),
                    false => match tokio::time::timeout(NOTES_EVERY, more).await {
                        Ok(count) => (count == 0, count == 0 || written.elapsed() > NOTES_LATEST),
                        Err(_) => (false, true),
                    },
                };
                if are_due || changed.is_empty() {
                    written = Instant::now();
                }
                rest(committed, &mut tasks, &mut batch, &hurried).await;
                write(batch.drain(..), &mut changed, are_due, store.as_ref(), &sessions).await;
                committed = Some(Instant::now());
                if is_over {
                    return;
                }
            }
        });
        Self { sender, hurry }
    }

    pub(crate) async fn put(&self, task: Task) {
        if self.sender.send(task).await.is_err() {
            tracing::error!("the writer has ended; an audit line or a note is lost");
        }
    }

    /// Waits until everything put before is written.
    pub(crate) async fn flush(&self) {
        let (done, told) = oneshot::channel();
        self.put(Task::Flush(done)).await;
        self.hurry.notify_one();
        // An error means that the writer ended; it has said so.
        let _ = told.await;
    }
}

/// Lets more come in until the last commit is long enough ago, unless somebody waits.
async fn rest(
    committed: Option<Instant>,
    tasks: &mut mpsc::Receiver<Task>,
    batch: &mut Vec<Task>,
    hurry: &Notify,
) {
    let past = committed.map_or(COMMITS_APART, |committed: Instant| committed.elapsed());
    let rest = COMMITS_APART.saturating_sub(past);
    if rest.is_zero() || batch.iter().any(Task::is_waited_for) {
        return;
    }
    // It ends by the time or by somebody's hurry, which is the same here.
    let _ = tokio::time::timeout(rest, hurry.notified()).await;
    while batch.len() < WAITING_MAX
        && let Ok(task) = tasks.try_recv()
    {
        batch.push(task);
    }
}

/// Writes a batch. Notes that changed wait until they are due or somebody waits for them.
async fn write(
    batch: impl Iterator<Item = Task>,
    changed: &mut BTreeSet<ConversationId>,
    are_due: bool,
    store: &dyn Store,
    sessions: &SessionStates,
) {
    let (mut lines, mut waiting) = (Vec::new(), Vec::new());
    for task in batch {
        match task {
            Task::Audit(line) => lines.push((line, None)),
            Task::SessionState(conversation) => drop(changed.insert(conversation)),
            Task::Flush(done) => waiting.push(done),
        }
    }
    let mut writes: Vec<BoxFuture<'_, Result<(), StoreFault>>> = Vec::new();
    if let (false, Ok(log)) = (lines.is_empty(), store_keys::audit()) {
        // One step for all of them: a line alone would cost the store as much as twenty.
        writes.push(Box::pin(async move { store.log().append_all(&log, lines).await.map(drop) }));
    }
    let due =
        if are_due || !waiting.is_empty() { std::mem::take(changed) } else { BTreeSet::new() };
    for conversation in due {
        if let (Some(json), Ok(key)) =
            (sessions.json(&conversation), store_keys::session_state(&conversation))
        {
            let (any, never) = (Expected::Any, Expiry::Never);
            writes.push(Box::pin(
                async move { store.kv().set(&key, json, any, never).await.map(drop) },
            ));
        }
    }
    submit_all(writes).await.into_iter().for_each(said);
    for done in waiting {
        // Whoever asked may have gone.
        let _ = done.send(());
    }
}

fn said(written: Result<(), StoreFault>) {
    if let Err(fault) = written {
        tracing::error!(%fault, "an audit line or a note was not written");
    }
}

#[cfg(test)]
mod tests;
