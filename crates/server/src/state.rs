//! What every request shares.

use std::sync::Arc;

use contract::Model;
use engine::Engine;

use crate::auth::concurrency::ConcurrencyLimit;
use crate::auth::logins::Logins;
use crate::auth::middleware::Authenticator;
use crate::auth::rate_limit::RateLimit;
use crate::cards::workers::Workers;
use crate::conversations::conversation_index::ConversationIndex;
use crate::conversations::turns::TurnRunner;
use crate::render::render_pool::RenderPool;
use crate::routes::call_tool::InFlightCalls;
use crate::server::limits::ServerLimits;
use crate::stream::condition_clock::ConditionClock;
use crate::stream::side_events::SideEvents;
use crate::telemetry::Exporter;

/// The state of a server. Clones share it.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Parts>);

pub(crate) struct Parts {
    pub engine: Engine,
    pub model: Arc<dyn Model>,
    /// What the model is told first, where the owner says nothing else.
    pub system: String,
    pub rounds_max: u32,
    pub shelf: ConversationIndex,
    pub runner: TurnRunner,
    pub door: Authenticator,
    /// Requests that look at something, those that change something, and wrong tokens.
    pub looks: RateLimit,
    pub acts: RateLimit,
    pub wrong_tokens: RateLimit,
    pub logins: Logins,
    pub seats: ConcurrencyLimit,
    /// Who renders Markdown.
    pub renderers: RenderPool,
    pub exporter: Option<Exporter>,
    pub helpers: ConcurrencyLimit,
    pub lookouts: SideEvents,
    /// InFlightCalls of programs.
    pub calls: InFlightCalls,
    /// Where the page is.
    pub page: String,
    /// Runs of flashcards.
    pub workers: Workers,
    pub pulse: Arc<dyn ConditionClock>,
    pub limits: ServerLimits,
}

impl AppState {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for AppState {
    type Target = Parts;
    fn deref(&self) -> &Parts {
        &self.0
    }
}
