//! The calls of programs that are being settled.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use contract::Call;
use engine::{CallContext, CallOrigin, Cancel, Engine, KeyedLock, KeyedLockGuard, PaidBy, Settled};
use tokio::sync::watch;

use crate::routes::tools::run_tool::ChunkRecorder;
use crate::server::limits::ServerLimits;
use crate::state::AppState;

pub(crate) struct InFlightCalls {
    turns: AtomicU64,
    running: Arc<watch::Sender<usize>>,
    /// The server ends: nobody waits for news any more.
    shutdown: Cancel,
    /// InFlightCalls that still run are stopped.
    end: Cancel,
    /// One gate for each key under which a call is being settled.
    locks: KeyedLock,
}

impl InFlightCalls {
    pub(crate) fn new(desk: &Desk) -> Self {
        Self {
            // Later processes begin above earlier ones.
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

    /// The right to settle the call of this name; others wait for it.
    pub(crate) async fn alone(&self, name: &str) -> KeyedLockGuard {
        self.locks.lock(name).await
    }

    /// Settles a call, and gives what its handler showed meanwhile.
    pub(crate) async fn settle(
        &self,
        app: &AppState,
        room: &Room,
        call: &Call,
        cancel: &Cancel,
    ) -> (Settled, Vec<String>) {
        let heard = Arc::new(ChunkRecorder::default());
        let paid_by = PaidBy::Turn;
        let context = CallContext { surface: heard.clone(), cancel: cancel.clone(), paid_by };
        let run = app.engine.settle_on(&context, origin, call);
        tokio::pin!(run);
        let settled = tokio::select! {
            settled = &mut run => settled,
            () = self.end.cancelled() => {
                cancel.cancel();
                run.await
            }
        };
        (settled, heard.shown())
    }

    /// Waits until the server ends.
    pub(crate) async fn shutting_down(&self) {
        self.shutdown.cancelled().await;
    }

    /// Lets the calls finish for a while, then stops them.
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
            tracing::warn!("calls of programs are cut off");
        }
    }
}

/// A call that is being settled, for as long as this lives.
pub(crate) struct InFlightGuard(Arc<watch::Sender<usize>>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.send_modify(|running| *running -= 1);
    }
}
