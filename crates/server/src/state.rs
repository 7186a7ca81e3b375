//! What every request shares.

use std::sync::Arc;

use contract::Model;
use engine::Engine;

use crate::auth::concurrency::Seats;
use crate::auth::logins::Logins;
use crate::auth::middleware::Door;
use crate::auth::rate_limit::Rate;
use crate::cards::workers::Workers;
use crate::conversations::conversation_index::Shelf;
use crate::conversations::turns::Runner;
use crate::render::render_pool::Renderers;
use crate::routes::call_tool::Calls;
use crate::server::limits::ServerLimits;
use crate::stream::condition_clock::Pulse;
use crate::stream::side_events::Lookouts;
use crate::telemetry::Exporter;

/// The state of a server. Clones share it.
#[derive(Clone)]
pub(crate) struct App(Arc<Parts>);

pub(crate) struct Parts {
    pub engine: Engine,
    pub model: Arc<dyn Model>,
    /// What the model is told first, where the owner says nothing else.
    pub system: String,
    pub rounds_max: u32,
    pub shelf: Shelf,
    pub runner: Runner,
    pub door: Door,
    /// Requests that look at something, those that change something, and wrong tokens.
    pub looks: Rate,
    pub acts: Rate,
    pub wrong_tokens: Rate,
    pub logins: Logins,
    pub seats: Seats,
    /// Who renders Markdown.
    pub renderers: Renderers,
    pub exporter: Option<Exporter>,
    pub helpers: Seats,
    pub lookouts: Lookouts,
    /// Calls of programs.
    pub calls: Calls,
    /// Where the page is.
    pub page: String,
    /// Runs of flashcards.
    pub workers: Workers,
    pub pulse: Arc<dyn Pulse>,
    pub limits: ServerLimits,
}

impl App {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
