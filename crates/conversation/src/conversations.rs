//! The conversations of a store, and what can be done with them.

pub(crate) mod delete;
mod files;
mod follow;
mod import;
pub(crate) mod lease;
pub(crate) mod log_cache;
pub(crate) mod open;
pub(crate) mod questions;
pub(crate) mod rewind;
pub(crate) mod text_answer;

use attachments::{AttachmentLimits, Attachments};
use engine::Engine;
pub use follow::EventFeed;

use lease::Leases;
use log_cache::LogCache;

/// All conversations of an engine's store. Clones share the leases and the logs in memory, so a process
/// needs one and its clones.
#[derive(Clone)]
pub struct Conversations {
    pub(crate) engine: Engine,
    pub(crate) attachments: Attachments,
    leases: Leases,
    logs: LogCache,
    /// The server that these conversations belong to.
    node: Option<String>,
}

impl Conversations {
    pub fn new(engine: Engine) -> Self {
        let limits = AttachmentLimits::machine();
        let attachments = Attachments::new(engine.shared_store(), engine.clock(), limits);
        let (leases, logs) = (Leases::default(), LogCache::default());
        Self { engine, attachments, leases, logs, node: None }
    }

    /// With other limits of files.
    #[must_use]
    pub fn with_attachments(self, attachments: Attachments) -> Self {
        Self { attachments, ..self }
    }

    /// For a server of this name: others know by it who answers.
    #[must_use]
    pub fn with_node(self, node: &str) -> Self {
        Self { node: Some(node.to_owned()), ..self }
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
