//! Writes what need not be waited for: audit lines in order, and the newest notes.

use std::collections::BTreeSet;
use std::sync::Arc;

use policy::{BoxFuture, ConversationId};
use store::{Expected, Expiry, Json, LogName, Store, StoreFault};
use tokio::sync::{mpsc, oneshot};

use crate::join::submit_all;
use crate::keys;
use crate::notes::Notebook;

/// The one who writes behind.
pub(crate) struct Behind {
    sender: mpsc::Sender<Task>,
}

pub(crate) enum Task {
    Append(LogName, Json),
    /// The notes of a conversation changed.
    Notes(ConversationId),
    /// Everything before this is written when the sender is told.
    Flush(oneshot::Sender<()>),
}

/// How many writes may wait; one more makes the call wait, so memory has an end.
const WAITING_MAX: usize = 4_096;

impl Behind {
    /// Starts the writer on the current runtime. It ends when the desk is dropped.
    pub(crate) fn start(store: Arc<dyn Store>, notebook: Arc<Notebook>) -> Self {
        let (sender, mut tasks) = mpsc::channel(WAITING_MAX);
        tokio::spawn(async move {
            let mut batch = Vec::new();
            while tasks.recv_many(&mut batch, WAITING_MAX).await > 0 {
                write(batch.drain(..), store.as_ref(), &notebook).await;
            }
        });
        Self { sender }
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
        // An error means that the writer ended; it has said so.
        let _ = told.await;
    }
}

/// Writes a batch; notes that changed several times in it are written once.
async fn write(batch: impl Iterator<Item = Task>, store: &dyn Store, notebook: &Notebook) {
    let mut changed = BTreeSet::new();
    let mut waiting = Vec::new();
    let mut writes: Vec<BoxFuture<'_, Result<(), StoreFault>>> = Vec::new();
    for task in batch {
        match task {
            Task::Append(log, body) => writes.push(Box::pin(async move {
                store.log().append(&log, body, None).await.map(drop)
            })),
            Task::Notes(conversation) => drop(changed.insert(conversation)),
            Task::Flush(done) => waiting.push(done),
        }
    }
    for conversation in changed {
        if let (Some(json), Ok(key)) = (notebook.json(&conversation), keys::notes(&conversation)) {
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
