//! A pool of read-only connections, used on blocking threads.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;

use super::open;
use crate::fault::StoreFault;

/// A pool of read-only connections, opened when first needed.
pub(super) struct Readers {
    path: PathBuf,
    /// How many reads may run; the others wait here without a thread.
    permits: Arc<Semaphore>,
    /// Idle connections. Locked to take one or return one.
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, readers_max: usize) -> Self {
        let permits = Arc::new(Semaphore::new(readers_max.max(1)));
        Self { path, permits, idle: Arc::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a read on a blocking thread. After a fault the connection is closed.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Connection) -> Result<T, StoreFault> + Send + 'static,
    ) -> Result<T, StoreFault> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| StoreFault::Closed)?;
        let (idle, path) = (Arc::clone(&self.idle), self.path.clone());
        let task = tokio::task::spawn_blocking(move || {
            let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let connection = match taken {
                Some(connection) => connection,
                None => open::reader(&path)?,
            };
            let answer = run(&connection)?;
            idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            drop(permit);
            Ok(answer)
        });
        // It ends without an answer only if the runtime shuts down.
        task.await.map_err(|_| StoreFault::Closed)?
    }
}
