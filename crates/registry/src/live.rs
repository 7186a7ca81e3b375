//! The registry of a running program.
//!
//! A turn takes a [`Lease`] and sees one registry from beginning to end. A new registry counts at
//! once for every turn that begins after it; turns that run keep theirs.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::registry::{Registry, RegistryVersion};

/// The registry in use. Clones share it.
#[derive(Debug, Clone)]
pub struct LiveRegistry {
    /// Locked briefly to read or swap, never while a turn runs.
    current: Arc<Mutex<Arc<Registry>>>,
}

/// Why a registry was not replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReloadFault {
    #[error("registry {current} is still in use by {turns} turns")]
    InUse { turns: usize, current: RegistryVersion },
}

impl LiveRegistry {
    pub fn new(registry: Registry) -> Self {
        Self { current: Arc::new(Mutex::new(Arc::new(registry))) }
    }

    /// The registry for one turn; it does not change while the lease lives.
    pub fn lease(&self) -> Lease {
        Lease { registry: Arc::clone(&self.current()) }
    }

    /// Replaces the registry, or fails if a turn is using it.
    pub fn reload(&self, registry: Registry) -> Result<(), ReloadFault> {
        let mut current = self.current();
        match Arc::strong_count(&current) - 1 {
            0 => {
                *current = Arc::new(registry);
                Ok(())
            }
            turns => Err(ReloadFault::InUse { turns, current: current.version().clone() }),
        }
    }

    /// Replaces the registry for all turns that begin from now on.
    pub fn offer(&self, registry: Registry) {
        *self.current() = Arc::new(registry);
    }

    /// Changes the newest registry, as [`Self::offer`] does. Nothing that is offered meanwhile is
    /// lost.
    pub fn update(&self, change: impl FnOnce(&Registry) -> Registry) {
        let mut current = self.current();
        let changed = change(&current);
        *current = Arc::new(changed);
    }

    pub fn version(&self) -> RegistryVersion {
        self.current().version().clone()
    }

    fn current(&self) -> MutexGuard<'_, Arc<Registry>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One turn's hold on a registry. Clones hold the same one.
#[derive(Debug, Clone)]
pub struct Lease {
    registry: Arc<Registry>,
}

impl Deref for Lease {
    type Target = Registry;
    fn deref(&self) -> &Registry {
        &self.registry
    }
}
