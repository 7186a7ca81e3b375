//! The calls of programs that are in progress.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::Call;
use engine::{CallContext, CallOrigin, Cancel, Engine, PaidBy, Settled};
use store::{KeyedLock, KeyedLockGuard};
use tokio::sync::watch;

use crate::routes::tools::run_tool::ChunkRecorder;
use crate::server::limits::ServerLimits;
use crate::state::AppState;

pub(crate) struct InFlightCalls {
    turns: AtomicU64,
    running: Arc<watch::Sender<usize>>,
    /// The server shuts down: streams end.
    shutdown: Cancel,
    /// Cancels calls that still run.
    end: Cancel,
    /// A lock for each key with a call in progress.
    locks: KeyedLock,
}

impl InFlightCalls {
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            // Later processes start above earlier ones.
            turns: AtomicU64::new(engine.now().0.saturating_mul(1_000)),
            running: Arc::new(watch::Sender::new(0)),
            shutdown: Cancel::default(),
            end: Cancel::default(),
            locks: KeyedLock::default(),
        }
    }

    pub(crate) fn next_turn(&self) -> u64 {
        self.turns.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> InFlightGuard {
        self.running.send_modify(|running| *running += 1);
        InFlightGuard(Arc::clone(&self.running))
    }

    /// Locks the call of this name.
    pub(crate) async fn alone(&self, name: &str) -> KeyedLockGuard {
        self.locks.lock(name).await
    }

    /// Runs a call; returns its result and what its handler showed.
    pub(crate) async fn settle(
        &self,
        app: &AppState,
        origin: &CallOrigin,
        call: &Call,
        cancel: &Cancel,
    ) -> (Settled, Vec<String>) {
        let recorder = Arc::new(ChunkRecorder::default());
        let context = CallContext {
            surface: recorder.clone(),
            cancel: cancel.clone(),
            ..app.engine.context(PaidBy::Turn)
        };
        let run = app.engine.settle_on(&context, origin, call);
        tokio::pin!(run);
        let settled = tokio::select! {
            settled = &mut run => settled,
            () = self.end.cancelled() => {
                cancel.cancel();
                run.await
            }
        };
        (settled, recorder.shown())
    }

    /// Waits until the server shuts down.
    pub(crate) async fn shutting_down(&self) {
        self.shutdown.cancelled().await;
    }

    /// Lets the calls finish for a while, then cancels them.
    pub(crate) async fn shut_down(&self, limits: ServerLimits) {
        self.shutdown.cancel();
        let mut running = self.running.subscribe();
        let ServerLimits { shutdown_time_max, cancel_time_max, .. } = limits;
        let rest = running.wait_for(|running| *running == 0);
        if tokio::time::timeout(shutdown_time_max, rest).await.is_ok() {
            return;
        }
        self.end.cancel();
        let rest = running.wait_for(|running| *running == 0);
        if tokio::time::timeout(cancel_time_max, rest).await.is_err() {
            tracing::warn!("calls of programs still run at shutdown; aborting them");
        }
    }
}

/// Counts a call in progress until it is dropped.
pub(crate) struct InFlightGuard(Arc<watch::Sender<usize>>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}
