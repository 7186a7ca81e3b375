//! What a call runs on: who hears its handler, and who may stop it.

use std::sync::Arc;

use tokio::sync::watch;

use crate::services::Surface;

/// The surface of one call or one turn. Clones share it.
#[derive(Clone)]
pub struct Stage {
    pub surface: Arc<dyn Surface>,
    pub cancel: Cancel,
}

/// A switch that a person throws once: whatever runs on it stops. Clones share it.
#[derive(Debug, Clone)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::channel(false).0))
    }
}

impl Cancel {
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Are they clones of one switch?
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Waits until it is thrown.
    pub async fn cancelled(&self) {
        let mut thrown = self.0.subscribe();
        // The sender lives in `self`, so the wait ends only when it is thrown.
        let _ = thrown.wait_for(|cancelled| *cancelled).await;
    }
}
