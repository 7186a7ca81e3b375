//! Who renders texts: threads of their own, as many as there are seats, so that a long text
//! costs nobody else their turn.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// The seats of those who render. Clones share them.
#[derive(Debug, Clone)]
pub struct RenderPool(Arc<Semaphore>);

/// The work could not be done: it broke down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a text could not be rendered")]
pub struct NotRendered;

impl RenderPool {
    pub fn new(at_once_max: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once_max)))
    }

    /// Does the work on a thread where it may take its time, when there is a seat.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotRendered> {
        let seat = Arc::clone(&self.0).acquire_owned().await.map_err(|_| NotRendered)?;
        let work = tokio::task::spawn_blocking(move || {
            // Held until the work is done, though nobody may wait for it any more.
            let _permit = seat;
            work()
        });
        work.await.map_err(|_| NotRendered)
    }
}
