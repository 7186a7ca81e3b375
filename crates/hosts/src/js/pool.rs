//! The pool of children; a task for each slot replaces a child that was lost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::child::{CallNumbering, Child, ChildConfig, ChildLimits};
use crate::sandbox::Sandbox;
use crate::spawn::Role;

use super::JsHostConfig;

/// The pause after a failure doubles between these.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// A child that lived this long was healthy, which resets the pause.
const HEALTHY: Duration = Duration::from_secs(10);

pub(crate) struct Pool {
    slots: Arc<Slots>,
    _maintainers: JoinSet<()>,
}

/// A child for one call; it may run others too.
pub(crate) struct Picked(Arc<Child>);

impl AsRef<Arc<Child>> for Picked {
    fn as_ref(&self) -> &Arc<Child> {
        &self.0
    }
}

struct Slots {
    slots: Mutex<Vec<Slot>>,
    changed: watch::Sender<()>,
}

enum Slot {
    Starting,
    Ready(Arc<Child>),
    /// It could not be started; the task keeps trying.
    Failed(String),
}

impl Pool {
    pub(crate) fn start(config: JsHostConfig) -> Self {
        let count = config.children.max(1);
        let config = Arc::new(child_config(config));
        let slots = Arc::new(Slots {
            slots: Mutex::new((0..count).map(|_| Slot::Starting).collect()),
            changed: watch::Sender::new(()),
        });
        let mut maintainers = JoinSet::new();
        for index in 0..count {
            maintainers.spawn(maintain(Arc::clone(&slots), index, Arc::clone(&config)));
        }
        Self { slots, _maintainers: maintainers }
    }

    /// The child with the fewest calls. Waits while one is starting; the error says why none can
    /// be.
    pub(crate) async fn pick(&self) -> Result<Picked, String> {
        let mut changed = self.slots.changed.subscribe();
        loop {
            if let Some(outcome) = self.slots.pick() {
                return outcome.map(Picked);
            }
            if changed.changed().await.is_err() {
                return Err("the host has ended".to_owned());
            }
        }
    }

    pub(crate) fn children(&self) -> Vec<Arc<Child>> {
        let slots = self.slots.lock();
        let ready = slots.iter().filter_map(|slot| match slot {
            Slot::Ready(child) => Some(Arc::clone(child)),
            Slot::Starting | Slot::Failed(_) => None,
        });
        ready.collect()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for child in self.children() {
            child.kill();
        }
    }
}

impl Slots {
    fn pick(&self) -> Option<Result<Arc<Child>, String>> {
        let slots = self.lock();
        let mut ready: Option<(usize, &Arc<Child>)> = None;
        let mut failure = None;
        let mut is_starting = false;
        // Prefer the first: its memory is warm.
        for slot in slots.iter() {
            match slot {
                Slot::Ready(child) => {
                    let load = child.load();
                    if ready.is_none_or(|(least, _)| load < least) {
                        ready = Some((load, child));
                    }
                }
                Slot::Starting => is_starting = true,
                Slot::Failed(because) => failure = Some(because),
            }
        }
        match (ready, is_starting, failure) {
            (Some((_, child)), _, _) => Some(Ok(Arc::clone(child))),
            (None, false, Some(because)) => Some(Err(because.clone())),
            (None, _, _) => None,
        }
    }

    fn set(&self, index: usize, slot: Slot) {
        if let Some(held) = self.lock().get_mut(index) {
            *held = slot;
        }
        self.changed.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn child_config(host: JsHostConfig) -> (ChildConfig, ChildLimits) {
    let child_limits = ChildLimits {
        flood: host.limits.flood.clone(),
        stop_grace: host.stop_grace,
        drain_max: host.drain_max,
        silence_max: None,
        numbering: CallNumbering::Counted,
    };
    let config = ChildConfig {
        program: host.program,
        sandbox: Sandbox::engine(host.child_memory_bytes_max),
        sandbox_policy: host.sandbox,
        boot: None,
        role: Role::Worker(host.limits),
    };
    (config, child_limits)
}

/// Keeps one slot filled, forever.
async fn maintain(slots: Arc<Slots>, index: usize, config: Arc<(ChildConfig, ChildLimits)>) {
    let mut pause = Duration::ZERO;
    loop {
        tokio::time::sleep(pause).await;
        match Child::start(&config.0, config.1.clone()).await {
            Ok(child) => {
                let born = Instant::now();
                slots.set(index, Slot::Ready(Arc::clone(&child)));
                child.retired().await;
                slots.set(index, Slot::Starting);
                // The first loss is replaced at once.
                pause = if born.elapsed() >= HEALTHY || pause == Duration::ZERO {
                    Duration::ZERO
                } else {
                    (pause * 2).clamp(PAUSE_MIN, PAUSE_MAX)
                };
            }
            Err(because) => {
                tracing::error!(%because, "cannot start a JavaScript child");
                slots.set(index, Slot::Failed(because));
                pause = (pause * 2).clamp(PAUSE_MIN, PAUSE_MAX);
            }
        }
    }
}
