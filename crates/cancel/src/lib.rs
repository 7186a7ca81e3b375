//! A cancellation signal for turns, calls and runs.
//!
//! In: a person stops the work ([`Cancel::cancel`]), or the program shuts down
//! ([`Cancel::leave`]). Out: the work checks or awaits the signal. Must hold: a signal only
//! rises, from running over shutting down to cancelled, and all clones share it.

use std::sync::Arc;

use tokio::sync::watch;

/// Stops whatever runs under it. Clones share the signal.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<Signal>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Signal {
    Running,
    /// The program shuts down: a turn stays where its log ends, and calls may finish.
    ShuttingDown,
    /// A person stopped the work.
    Cancelled,
}

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::channel(Signal::Running).0))
    }
}

impl Cancel {
    /// A person stops the work.
    pub fn cancel(&self) {
        self.0.send_replace(Signal::Cancelled);
    }

    /// The program shuts down: work that waits for a model is left to the next process.
    pub fn leave(&self) {
        self.0.send_modify(|signal| *signal = (*signal).max(Signal::ShuttingDown));
    }

    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow() == Signal::Cancelled
    }

    /// Whether the program is shutting down, and the work is not cancelled.
    pub fn is_left(&self) -> bool {
        *self.0.borrow() == Signal::ShuttingDown
    }

    /// Whether they are clones of one signal.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits until a person stops the work.
    pub async fn cancelled(&self) {
        self.at_least(Signal::Cancelled).await;
    }

    /// Waits until a person stops the work or the program shuts down.
    pub async fn cancelled_or_left(&self) {
        self.at_least(Signal::ShuttingDown).await;
    }

    async fn at_least(&self, wanted: Signal) {
        let mut signals = self.0.subscribe();
        // The sender lives in `self`, so the wait ends only with this signal.
        let _ = signals.wait_for(|signal| *signal >= wanted).await;
    }
}
