//! Limits how many texts are rendered at the same time, on threads for blocking work.

use std::sync::Arc;

use tokio::sync::Semaphore;

/// The permits to render. Clones share them.
#[derive(Debug, Clone)]
pub struct RenderPool(Arc<Semaphore>);

/// The rendering task panicked or was aborted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("rendering failed")]
pub struct NotRendered;

impl RenderPool {
    pub fn new(at_once_max: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once_max)))
    }

    /// Runs the work on a blocking thread as soon as there is a permit.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotRendered> {
        let permit = Arc::clone(&self.0).acquire_owned().await.map_err(|_| NotRendered)?;
        let work = tokio::task::spawn_blocking(move || {
            // Held until the work ends, even if the caller no longer waits for it.
            let _permit = permit;
            work()
        });
        work.await.map_err(|_| NotRendered)
    }
}
