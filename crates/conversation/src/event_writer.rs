//! Writes the events of one turn in order, without making the turn wait.
//!
//! After a crash the turn continues from the events on disk. A call that writes starts only when
//! the reply that requests it is on disk ([`EventSink::flush`]): asked again, the model could
//! request another write, which the ledger would not recognise. Nor does it start if the lease was
//! lost: another process may have asked the model again.

use std::sync::Arc;

use policy::{BoxFuture, Timestamp};
use store::{Clock, DedupKey, Json, LogName, Store, StoreFault};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::conversations::lease::held_key::Hold;
use crate::event::ConversationEvent;
use crate::fault::ConversationFault;
use crate::record::encode;

/// Where the events of a turn go.
pub(crate) trait EventSink: Send + Sync {
    fn write(&self, event: &ConversationEvent);

    /// Waits until every event so far is on disk; fails if another process may go on with the turn.
    fn flush(&self) -> BoxFuture<'_, Result<(), ConversationFault>>;

    /// Whether another process may go on with the turn.
    fn is_lost(&self) -> bool;

    /// Waits until another process may go on with the turn.
    fn lost(&self) -> BoxFuture<'_, ()>;
}

/// Appends the events to a log.
pub(crate) struct EventWriter {
    sender: mpsc::UnboundedSender<Command>,
    writer: JoinHandle<()>,
    clock: Arc<dyn Clock>,
    hold: Hold,
}

enum Command {
    Event { body: Json, key: DedupKey },
    Flush(oneshot::Sender<Result<(), StoreFault>>),
}

impl EventWriter {
    /// Writes under a lease.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        log: LogName,
        hold: Hold,
    ) -> Self {
        let held = hold.clone();
        // Bounded by the turn: its rounds, calls and chunks all have limits.
        let (sender, mut commands) = mpsc::unbounded_channel();
        let writer = tokio::spawn(async move {
            let mut failed: Option<StoreFault> = None;
            let mut batch = Vec::new();
            while commands.recv_many(&mut batch, 64).await > 0 {
                let mut writes = Vec::new();
                let mut waiting = Vec::new();
                for command in batch.drain(..) {
                    match command {
                        // A log has no gaps: nothing is written after a failure.
                        Command::Event { .. } if failed.is_some() => {}
                        Command::Event { body, key } => {
                            writes.push((body, Some(key)));
                        }
                        Command::Flush(done) => waiting.push(done),
                    }
                }
                // What a process writes that lost its lease would not count.
                if !writes.is_empty() && held.is_good() {
                    failed = store.log().append_all(&log, writes).await.err();
                }
                for done in waiting {
                    // The caller may have been dropped.
                    let _ = done.send(failed.clone().map_or(Ok(()), Err));
                }
            }
        });
        Self { sender, writer, clock, hold }
    }
}

impl EventSink for EventWriter {
    /// The event is on disk at the latest after the next [`EventSink::flush`].
    fn write(&self, event: &ConversationEvent) {
        let at = Timestamp(self.clock.now().as_millis());
        match encode(at, Some(self.hold.fence()), event) {
            // `flush` reports a writer that has ended.
            Ok((body, key)) => drop(self.sender.send(Command::Event { body, key })),
            Err(fault) => tracing::error!(%fault, "an event cannot be written"),
        }
    }

    fn flush(&self) -> BoxFuture<'_, Result<(), ConversationFault>> {
        let gone = || StoreFault::Unusable { because: "the conversation's writer ended".into() };
        Box::pin(async move {
            let (done, flushed) = oneshot::channel();
            self.sender.send(Command::Flush(done)).map_err(|_| gone())?;
            flushed.await.map_err(|_| gone())??;
            self.hold.confirm().await
        })
    }

    fn is_lost(&self) -> bool {
        !self.hold.is_good()
    }

    fn lost(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.hold.lost())
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        self.writer.abort();
    }
}
