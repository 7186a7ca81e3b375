//! The registry of a running program, which changes only between turns.
//!
//! A turn takes a [`Lease`] and sees one registry from beginning to end. A new registry takes
//! effect at once when no turn runs, and otherwise as soon as the last lease ends.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::registry::{Registry, RegistryVersion};

/// The registry in use. Clones share it.
#[derive(Debug, Clone)]
pub struct LiveRegistry {
    /// Locked briefly to read or swap, never while a turn runs.
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    current: Arc<Registry>,
    /// Turns that hold a lease on `current`.
    leases: usize,
    /// Taken when the last lease ends.
    next: Option<Arc<Registry>>,
}

/// Why a registry was not replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReloadFault {
    #[error(
        "registry {current} is still in use; it changes when the last of its turns ends ({turns})"
    )]
    InUse { turns: usize, current: RegistryVersion },
}

impl LiveRegistry {
    pub fn new(registry: Registry) -> Self {
        let state = State { current: Arc::new(registry), leases: 0, next: None };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// The registry for one turn; it does not change while the lease lives.
    pub fn lease(&self) -> Lease {
        let mut state = self.state();
        state.leases += 1;
        Lease { registry: Arc::clone(&state.current), live: self.clone() }
    }

    /// Replaces the registry now, or fails if a turn is using it.
    pub fn reload(&self, registry: Registry) -> Result<(), ReloadFault> {
        let mut state = self.state();
        match state.leases {
            0 => {
                state.current = Arc::new(registry);
                state.next = None;
                Ok(())
            }
            turns => {
                let current = state.current.version().clone();
                Err(ReloadFault::InUse { turns, current })
            }
        }
    }

    /// Replaces the registry as soon as no turn uses it; a newer offer replaces
    /// an older one.
    pub fn offer(&self, registry: Registry) {
        let mut state = self.state();
        state.next = Some(Arc::new(registry));
        state.settle();
    }

    /// Changes the newest registry, the one that waits if there is one, as [`Self::offer`] does.
    /// Nothing that is offered meanwhile is lost.
    pub fn update(&self, change: impl FnOnce(&Registry) -> Registry) {
        let mut state = self.state();
        let newest = Arc::clone(state.next.as_ref().unwrap_or(&state.current));
        state.next = Some(Arc::new(change(&newest)));
        state.settle();
    }

    pub fn version(&self) -> RegistryVersion {
        self.state().current.version().clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn settle(&mut self) {
        if self.leases == 0
            && let Some(next) = self.next.take()
        {
            self.current = next;
        }
    }
}

/// One turn's hold on a registry.
#[derive(Debug)]
pub struct Lease {
    registry: Arc<Registry>,
    live: LiveRegistry,
}

impl Deref for Lease {
    type Target = Registry;
    fn deref(&self) -> &Registry {
        &self.registry
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.live.state();
        state.leases -= 1;
        state.settle();
    }
}
