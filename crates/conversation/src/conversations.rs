//! The conversations of a store, and what can be done with them.

pub(crate) mod delete;
mod files;
mod follow;
mod import;
pub(crate) mod lease;
pub(crate) mod open;
pub(crate) mod questions;
pub(crate) mod rewind;
pub(crate) mod text_answer;

use attachments::{AttachmentLimits, Attachments};
use engine::Engine;
pub use follow::EventFeed;

use lease::Leases;

/// All conversations of an engine's store. Clones share the leases, so a process needs one and
/// its clones.
#[derive(Clone)]
pub struct Conversations {
    pub(crate) engine: Engine,
    pub(crate) attachments: Attachments,
    leases: Leases,
}

impl Conversations {
    pub fn new(engine: Engine) -> Self {
        let limits = AttachmentLimits::machine();
        let attachments = Attachments::new(engine.shared_store(), engine.clock(), limits);
        Self { engine, attachments, leases: Leases::default() }
    }

    /// With other limits of files.
    #[must_use]
    pub fn with_attachments(self, attachments: Attachments) -> Self {
        Self { attachments, ..self }
    }

    /// The files of messages.
    pub fn attachments(&self) -> &Attachments {
        &self.attachments
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
