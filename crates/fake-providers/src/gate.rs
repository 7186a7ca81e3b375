//! A gate in the middle of an answer that only the test opens.
//!
//! Must hold: nothing passes before [`Gate::open`], everything after it; no clock is read.

use std::sync::Arc;

use tokio::sync::watch;

/// Clones share the gate.
#[derive(Debug, Clone)]
pub struct Gate {
    opened: Arc<watch::Sender<bool>>,
    arrived: Arc<watch::Sender<bool>>,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self {
            opened: Arc::new(watch::Sender::new(false)),
            arrived: Arc::new(watch::Sender::new(false)),
        }
    }

    pub fn open(&self) {
        self.opened.send_replace(true);
    }

    /// Returns once an answer waits at the gate, or has passed it.
    pub async fn reached(&self) {
        wait(&self.arrived).await;
    }

    /// Waits until the gate is open.
    pub async fn pass(&self) {
        self.arrived.send_replace(true);
        wait(&self.opened).await;
    }
}

async fn wait(flag: &watch::Sender<bool>) {
    // The sender outlives this borrow, so the channel cannot close meanwhile.
    let _ = flag.subscribe().wait_for(|set| *set).await;
}
