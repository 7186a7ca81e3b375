//! Tells open connections to finish, and waits for them.

use tokio::sync::watch;

/// The end of all connections. One that became a WebSocket is not among them any more.
pub(crate) struct Graceful {
    ending: watch::Sender<bool>,
}

/// What one connection has of it, until it is closed.
pub(crate) struct Ending(watch::Receiver<bool>);

impl Graceful {
    pub(crate) fn new() -> Self {
        Self { ending: watch::channel(false).0 }
    }

    pub(crate) fn watcher(&self) -> Ending {
        Ending(self.ending.subscribe())
    }

    /// Waits until every connection is closed.
    pub(crate) async fn shutdown(self) {
        self.ending.send_replace(true);
        self.ending.closed().await;
    }
}

impl Ending {
    /// Waits until the connection is asked to finish.
    pub(crate) async fn asked(&mut self) {
        if self.0.wait_for(|ending| *ending).await.is_err() {
            // Nobody will ask.
            std::future::pending::<()>().await;
        }
    }
}
