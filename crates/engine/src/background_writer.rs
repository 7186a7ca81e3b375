//! The background writer of audit lines, in their order, and of session states.
//!
//! It writes at once while there are few tasks, and pauses between two commits while there are
//! many, so that one commit takes the lines of many calls. A flush ends the pause.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use policy::{BoxFuture, ConversationId};
use store::{Expected, Expiry, Json, Store, StoreFault, submit_all};
use tokio::sync::{Notify, mpsc, oneshot};

use crate::session::SessionStates;
use crate::store_keys;

/// A handle to the writer's task.
pub(crate) struct BackgroundWriter {
    sender: mpsc::Sender<Task>,
    /// A caller waits: ends the pause.
    end_pause: Arc<Notify>,
}

pub(crate) enum Task {
    /// A line of the audit.
    Audit(Json),
    /// The session state of a conversation changed.
    SessionState(ConversationId),
    /// Answered when everything before it is written.
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

/// How many tasks may be queued; the next one makes its call wait.
const QUEUED_MAX: usize = 4_096;
/// The time between two commits, unless a caller waits.
const COMMIT_PAUSE: Duration = Duration::from_millis(10);
/// Session states are written after this time without new tasks, so that one write serves many
/// calls. Losing the latest changes does no harm.
const STATES_IDLE: Duration = Duration::from_millis(50);
/// Under steady load, session states are written this often.
const STATES_DELAY_MAX: Duration = Duration::from_secs(1);

impl BackgroundWriter {
    /// Starts the writer on the current runtime. It ends when the engine is dropped.
    pub(crate) fn start(store: Arc<dyn Store>, sessions: Arc<SessionStates>) -> Self {
        let (sender, mut tasks) = mpsc::channel(QUEUED_MAX);
        let end_pause = Arc::new(Notify::new());
        let flushed = Arc::clone(&end_pause);
        tokio::spawn(async move {
            let mut committed = None;
            let mut batch = Vec::new();
            let mut changed = BTreeSet::new();
            let mut written = Instant::now();
            loop {
                let more = tasks.recv_many(&mut batch, QUEUED_MAX);
                let (is_over, are_due) = match changed.is_empty() {
                    true => (more.await == 0, false),
                    false => match tokio::time::timeout(STATES_IDLE, more).await {
                        Ok(count) => {
                            (count == 0, count == 0 || written.elapsed() > STATES_DELAY_MAX)
                        }
                        Err(_) => (false, true),
                    },
                };
                if are_due || changed.is_empty() {
                    written = Instant::now();
                }
                pause(committed, &mut tasks, &mut batch, &flushed).await;
                write(batch.drain(..), &mut changed, are_due, store.as_ref(), &sessions).await;
                committed = Some(Instant::now());
                if is_over {
                    return;
                }
            }
        });
        Self { sender, end_pause }
    }

    pub(crate) async fn put(&self, task: Task) {
        if self.sender.send(task).await.is_err() {
            tracing::error!(
                "the background writer has ended; an audit line or a session state is lost"
            );
        }
    }

    /// Waits until everything put before is written.
    pub(crate) async fn flush(&self) {
        let (done, written) = oneshot::channel();
        self.put(Task::Flush(done)).await;
        self.end_pause.notify_one();
        // An error means that the writer has ended, which is logged.
        let _ = written.await;
    }
}

/// Collects more tasks until the last commit is long enough ago, unless a caller waits.
async fn pause(
    committed: Option<Instant>,
    tasks: &mut mpsc::Receiver<Task>,
    batch: &mut Vec<Task>,
    end_pause: &Notify,
) {
    let past = committed.map_or(COMMIT_PAUSE, |committed: Instant| committed.elapsed());
    let left = COMMIT_PAUSE.saturating_sub(past);
    if left.is_zero() || batch.iter().any(Task::is_waited_for) {
        return;
    }
    // Whether it ends by time or by a flush makes no difference.
    let _ = tokio::time::timeout(left, end_pause.notified()).await;
    while batch.len() < QUEUED_MAX
        && let Ok(task) = tasks.try_recv()
    {
        batch.push(task);
    }
}

/// Writes a batch. Changed session states are written if they are due or a caller waits.
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
        // One append for all: a single line costs the store as much as twenty.
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
    submit_all(writes).await.into_iter().for_each(log_fault);
    for done in waiting {
        // The caller may have gone.
        let _ = done.send(());
    }
}

fn log_fault(written: Result<(), StoreFault>) {
    if let Err(fault) = written {
        tracing::error!(%fault, "an audit line or a session state was not written");
    }
}

#[cfg(test)]
mod tests;
