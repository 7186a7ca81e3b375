//! The conversations of a store, and what can be done with them.

pub(crate) mod delete;
mod follow;
mod import;
pub(crate) mod lease;
pub(crate) mod open;
pub(crate) mod rewind;
pub(crate) mod text_answer;

use engine::Engine;
pub use follow::EventFeed;

use lease::Leases;

/// All conversations of an engine's store. Clones share the leases, so a process needs one and
/// its clones.
#[derive(Clone)]
pub struct Conversations {
    pub(crate) engine: Engine,
    leases: Leases,
}

impl Conversations {
    pub fn new(engine: Engine) -> Self {
        Self { engine, leases: Leases::default() }
    }

    /// The engine that settles the calls of these conversations.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Releases the leases that no turn uses, and waits until the engine has written every audit
    /// line and session state so far.
    pub async fn flush(&self) {
        self.leases.release_all().await;
        self.engine.flush().await;
    }
}
