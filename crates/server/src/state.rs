//! What all request handlers share.

use std::collections::BTreeMap;
use std::sync::Arc;

use conversation::Conversations;
use engine::Engine;
use providers::Providers;
use serde_json::Value;

use crate::assets::static_files::StaticFiles;
use crate::auth::concurrency::ConcurrencyLimit;
use crate::auth::logins::Logins;
use crate::auth::middleware::Authenticator;
use crate::auth::rate_limit::RateLimit;
use crate::cluster::Cluster;
use crate::conversations::conversation_index::ConversationIndex;
use crate::conversations::shares::Shares;
use crate::conversations::temporary::Temporary;
use crate::conversations::turns::TurnRunner;
use crate::extension::BodyLimit;
use crate::render::render_pool::RenderPool;
use crate::routes::call_tool::InFlightCalls;
use crate::server::limits::ServerLimits;
use crate::stream::condition_clock::ConditionClock;
use crate::stream::side_events::SideEvents;
use crate::telemetry::Exporter;

/// The state of a server. Clones share it.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Shared>);

pub(crate) struct Shared {
    pub engine: Engine,
    pub conversations: Conversations,
    pub providers: Providers,
    /// The system prompt of new conversations, unless the owner's settings have one.
    pub system_prompt: String,
    pub rounds_max: u32,
    pub index: ConversationIndex,
    pub turns: TurnRunner,
    /// This server among those that share its store.
    pub cluster: Arc<Cluster>,
    pub temporary: Temporary,
    pub shares: Shares,
    pub authenticator: Authenticator,
    pub logins: Logins,
    /// Requests with a safe method, all other requests, and wrong tokens.
    pub read_rate: RateLimit,
    pub write_rate: RateLimit,
    pub wrong_token_rate: RateLimit,
    /// Requests for shared pages, by address.
    pub shared_rate: RateLimit,
    /// Open streams of each owner.
    pub streams: Arc<ConcurrencyLimit>,
    /// Texts of each owner that the model edits or suggests.
    pub ai_edits: ConcurrencyLimit,
    pub render_pool: RenderPool,
    pub exporter: Option<Exporter>,
    pub side_events: SideEvents,
    /// Calls of programs.
    pub in_flight: InFlightCalls,
    pub files: StaticFiles,
    pub openapi: Value,
    /// Paths whose bodies have limits of their own.
    pub body_limits: BTreeMap<&'static str, BodyLimit>,
    pub page_url: String,
    pub condition_clock: Arc<dyn ConditionClock>,
    pub limits: ServerLimits,
}

impl AppState {
    pub(crate) fn new(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }
}

impl std::ops::Deref for AppState {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}
