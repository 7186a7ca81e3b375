//! Writes the events of one turn in their order, without making the turn wait.
//!
//! What is not on the disk when the process dies is done again from the log that is. A call
//! that writes is made only when its reply is there ([`Pen::dry`]): asked again, the model
//! could want another write, and the ledger knows calls by what they want.

use std::sync::Arc;

use policy::{BoxFuture, Timestamp};
use serde::Serialize;
use store::{BadName, Clock, DedupKey, Json, LogName, Store, StoreFault};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::event::TalkEvent;

/// Where the events of a turn go.
pub(super) trait Pen: Send + Sync {
    fn write(&self, event: &TalkEvent);

    /// Waits until everything so far is on the disk.
    fn dry(&self) -> BoxFuture<'_, Result<(), StoreFault>>;
}

/// The pen that writes to the log.
pub(crate) struct Ink {
    sender: mpsc::UnboundedSender<Stroke>,
    writer: JoinHandle<()>,
    clock: Arc<dyn Clock>,
}

enum Stroke {
    Event { body: Json, key: DedupKey },
    Dry(oneshot::Sender<Result<(), StoreFault>>),
}

/// An event as it stands in the log.
#[derive(Serialize)]
struct Stamped<'a> {
    at: Timestamp,
    #[serde(flatten)]
    event: &'a TalkEvent,
}

impl Ink {
    pub(crate) fn start(store: Arc<dyn Store>, clock: Arc<dyn Clock>, log: LogName) -> Self {
        // Bounded by the turn: its rounds, calls and chunks all have limits.
        let (sender, mut strokes) = mpsc::unbounded_channel();
        let writer = tokio::spawn(async move {
            let mut failed: Option<StoreFault> = None;
            let mut batch = Vec::new();
            while strokes.recv_many(&mut batch, 64).await > 0 {
                let mut writes = Vec::new();
                let mut waiting = Vec::new();
                for stroke in batch.drain(..) {
                    match stroke {
                        // After a gap nothing more is written: a log has no holes.
                        Stroke::Event { .. } if failed.is_some() => {}
                        Stroke::Event { body, key } => {
                            writes.push((body, Some(key)));
                        }
                        Stroke::Dry(told) => waiting.push(told),
                    }
                }
                if !writes.is_empty() {
                    failed = store.log().append_all(&log, writes).await.err();
                }
                for told in waiting {
                    // Whoever asked may be gone.
                    let _ = told.send(failed.clone().map_or(Ok(()), Err));
                }
            }
        });
        Self { sender, writer, clock }
    }
}

impl Pen for Ink {
    /// At the latest by the next [`Pen::dry`].
    fn write(&self, event: &TalkEvent) {
        let at = Timestamp(self.clock.now().as_millis());
        match entry(at, event) {
            // A writer that is gone says so when the ink should dry.
            Ok((body, key)) => drop(self.sender.send(Stroke::Event { body, key })),
            Err(fault) => tracing::error!(%fault, "an event cannot be written"),
        }
    }

    fn dry(&self) -> BoxFuture<'_, Result<(), StoreFault>> {
        let gone = || StoreFault::Unusable { because: "the conversation's writer ended".into() };
        Box::pin(async move {
            let (told, dry) = oneshot::channel();
            self.sender.send(Stroke::Dry(told)).map_err(|_| gone())?;
            dry.await.map_err(|_| gone())?
        })
    }
}

/// An event as it goes into the log: its body, and the name by which it stands there once.
pub(super) fn entry(at: Timestamp, event: &TalkEvent) -> Result<(Json, DedupKey), StoreFault> {
    let unusable = |because: String| StoreFault::Unusable { because };
    let body = Json::of(&Stamped { at, event }).map_err(|bad| unusable(bad.to_string()))?;
    let key = event.name().parse().map_err(|bad: BadName| unusable(bad.to_string()))?;
    Ok((body, key))
}

impl Drop for Ink {
    fn drop(&mut self) {
        self.writer.abort();
    }
}
