//! The children of a host: some that are ready, and a keeper for each place that replaces
//! the one it lost.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::child::{Charter, Child, Manners, Numbers};
use crate::sandbox::Fence;
use crate::spawn::Role;

use super::JsHostConfig;

/// The pause after a failure doubles between these.
const PAUSE_MIN: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// A child that lived so long was healthy; the next pause starts small again.
const HEALTHY: Duration = Duration::from_secs(10);

pub(crate) struct Pool {
    places: Arc<Places>,
    _keepers: JoinSet<()>,
}

/// A child for one call; it may have others.
pub(crate) struct Picked(Arc<Child>);

impl AsRef<Arc<Child>> for Picked {
    fn as_ref(&self) -> &Arc<Child> {
        &self.0
    }
}

struct Places {
    places: Mutex<Vec<Place>>,
    changed: watch::Sender<()>,
}

enum Place {
    Starting,
    Ready(Arc<Child>),
    /// It could not be started; the keeper goes on trying.
    Failed(String),
}

impl Pool {
    pub(crate) fn start(config: JsHostConfig) -> Self {
        let count = config.children.max(1);
        let charter = Arc::new(charter(config));
        let places = Arc::new(Places {
            places: Mutex::new((0..count).map(|_| Place::Starting).collect()),
            changed: watch::Sender::new(()),
        });
        let mut keepers = JoinSet::new();
        for index in 0..count {
            keepers.spawn(keep(Arc::clone(&places), index, Arc::clone(&charter)));
        }
        Self { places, _keepers: keepers }
    }

    /// The child with the least to do. Waits while one is being started; the error says
    /// why none can be.
    pub(crate) async fn pick(&self) -> Result<Picked, String> {
        let mut changed = self.places.changed.subscribe();
        loop {
            if let Some(outcome) = self.places.pick() {
                return outcome.map(Picked);
            }
            if changed.changed().await.is_err() {
                return Err("the host has ended".to_owned());
            }
        }
    }

    pub(crate) fn children(&self) -> Vec<Arc<Child>> {
        let places = self.places.lock();
        let ready = places.iter().filter_map(|place| match place {
            Place::Ready(child) => Some(Arc::clone(child)),
            Place::Starting | Place::Failed(_) => None,
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

impl Places {
    fn pick(&self) -> Option<Result<Arc<Child>, String>> {
        let places = self.lock();
        let mut ready: Option<(usize, &Arc<Child>)> = None;
        let mut failure = None;
        let mut is_starting = false;
        // Among equals it is the first: its memory is warm.
        for place in places.iter() {
            match place {
                Place::Ready(child) => {
                    let load = child.load();
                    if ready.is_none_or(|(least, _)| load < least) {
                        ready = Some((load, child));
                    }
                }
                Place::Starting => is_starting = true,
                Place::Failed(because) => failure = Some(because),
            }
        }
        match (ready, is_starting, failure) {
            (Some((_, child)), _, _) => Some(Ok(Arc::clone(child))),
            (None, false, Some(because)) => Some(Err(because.clone())),
            (None, _, _) => None,
        }
    }

    fn set(&self, index: usize, place: Place) {
        if let Some(held) = self.lock().get_mut(index) {
            *held = place;
        }
        self.changed.send_replace(());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn charter(config: JsHostConfig) -> (Charter, Manners) {
    let manners = Manners {
        flood: config.limits.flood.clone(),
        stop_grace: config.stop_grace,
        drain_max: config.drain_max,
        silence_max: None,
        numbers: Numbers::Counted,
    };
    let charter = Charter {
        program: config.program,
        fence: Fence::engine(config.child_memory_bytes_max),
        sandbox: config.sandbox,
        boot: None,
        role: Role::Worker(config.limits),
    };
    (charter, manners)
}

/// Keeps one place filled, for ever.
async fn keep(places: Arc<Places>, index: usize, charter: Arc<(Charter, Manners)>) {
    let mut pause = Duration::ZERO;
    loop {
        tokio::time::sleep(pause).await;
        match Child::start(&charter.0, charter.1.clone()).await {
            Ok(child) => {
                let born = Instant::now();
                places.set(index, Place::Ready(Arc::clone(&child)));
                child.retired().await;
                places.set(index, Place::Starting);
                // The first one to go is replaced at once.
                pause = if born.elapsed() >= HEALTHY || pause == Duration::ZERO {
                    Duration::ZERO
                } else {
                    (pause * 2).clamp(PAUSE_MIN, PAUSE_MAX)
                };
            }
            Err(because) => {
                tracing::error!(%because, "a child for JavaScript could not be started");
                places.set(index, Place::Failed(because));
                pause = (pause * 2).clamp(PAUSE_MIN, PAUSE_MAX);
            }
        }
    }
}
