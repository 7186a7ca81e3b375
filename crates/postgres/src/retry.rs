//! Repeats what a lost connection has interrupted, with growing pauses, for a limited time.

use std::time::Duration;

use store::StoreFault;
use tokio::time::Instant;

use crate::fault::Trouble;

const PAUSE_FIRST: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_millis(1_000);

/// The tries of one call.
pub(crate) struct Retry {
    until: Instant,
    pause: Duration,
}

impl Retry {
    pub(crate) fn within(patience: Duration) -> Self {
        Self { until: Instant::now() + patience, pause: PAUSE_FIRST }
    }

    /// Waits before the next try; a fault if there is none.
    pub(crate) async fn pause(&mut self, trouble: Trouble) -> Result<(), StoreFault> {
        match &trouble {
            Trouble::Lost(_) | Trouble::Repeat(_) if Instant::now() + self.pause < self.until => {
                tokio::time::sleep(self.pause).await;
                self.pause = (self.pause * 2).min(PAUSE_MAX);
                Ok(())
            }
            Trouble::Lost(_) | Trouble::Repeat(_) | Trouble::Fault(_) => Err(trouble.into_fault()),
        }
    }
}
