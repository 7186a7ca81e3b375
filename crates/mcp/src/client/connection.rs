//! The connection to one server, shared by all calls: opened on demand, reopened after a failure,
//! and paused with backoff after repeated failures.

pub(crate) mod client_handler;
pub(crate) mod elicitation;
pub(crate) mod error_text;
pub(crate) mod fault;
pub(crate) mod line_length_limit;
pub(crate) mod ordered_progress;
mod request;
pub(crate) mod transport;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use policy::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, ProgressNotificationParam};
use rmcp::service::Peer;

use super::definition::Definition;
use super::listing::Listing;
use super::oauth::Grant;
use super::server_config::{Endpoint, ServerConfig};
use fault::ConnectionFault;
use transport::Transport;

/// Receives progress notifications.
pub(crate) type OnProgress =
    dyn Fn(ProgressNotificationParam) -> BoxFuture<'static, ()> + Send + Sync;

/// The connection to one server.
pub struct Connection {
    pub(crate) config: ServerConfig,
    /// Held while connecting, so that only one call connects.
    state: tokio::sync::Mutex<State>,
    on_listing: Option<Arc<OnListing>>,
}

/// Is told of every list that the server sends.
pub type OnListing = dyn Fn(&Listing) + Send + Sync;

/// What is known of a connection, without asking the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// It was not needed yet, or has ended.
    Closed,
    Open,
    /// The last attempt failed.
    Failed(String),
}

#[derive(Default)]
struct State {
    live: Option<Arc<OpenConnection>>,
    failures: u32,
    /// No new attempt before this.
    retry_at: Option<Instant>,
    last: String,
}

/// An open connection.
struct OpenConnection {
    connection: Mutex<Transport>,
    peer: Peer<RoleClient>,
    handler: client_handler::McpClientHandler,
    /// The server's tools, and when they were listed.
    tools: Mutex<(Listing, Instant)>,
    /// Whether a call has succeeded on it.
    served: AtomicBool,
}

/// The first pause, doubled with each failure.
const BACKOFF_FIRST: Duration = Duration::from_millis(250);
const BACKOFF_MAX: Duration = Duration::from_secs(60);
/// Failures that are retried at once.
const FAILURES_WITHOUT_BACKOFF: u32 = 1;
/// An older list is refreshed before a call.
const LIST_AGE_MAX: Duration = Duration::from_secs(300);

impl Connection {
    pub fn new(config: ServerConfig) -> Self {
        Self { config, state: tokio::sync::Mutex::default(), on_listing: None }
    }

    /// Tells `on_listing` of every list of tools that is read.
    #[must_use]
    pub fn listened_to(mut self, on_listing: Arc<OnListing>) -> Self {
        self.on_listing = Some(on_listing);
        self
    }

    /// What is known without asking the server; a connection that is being opened is closed.
    pub fn state(&self) -> ConnectionState {
        let Ok(state) = self.state.try_lock() else { return ConnectionState::Closed };
        match &state.live {
            Some(live) if !live.connection().is_closed() => ConnectionState::Open,
            Some(_) | None if state.failures > 0 => ConnectionState::Failed(state.last.clone()),
            Some(_) | None => ConnectionState::Closed,
        }
    }

    pub fn config(&self) -> &ServerConfig {
        &self.config
    }

    /// Lists the server's tools.
    pub async fn listing(&self) -> Result<Listing, ConnectionFault> {
        let listed = match self.list_now().await {
            Err(fault) if self.should_retry(&fault, false).await => self.list_now().await,
            listed => listed,
        };
        self.store_wanted_scope(&listed).await;
        listed
    }

    async fn list_now(&self) -> Result<Listing, ConnectionFault> {
        let live = self.live().await?;
        self.refresh(&live).await?;
        Ok(live.tools().0.clone())
    }

    /// The server's process id, if it runs as our child.
    pub async fn pid(&self) -> Option<u32> {
        let state = self.state.lock().await;
        state.live.as_ref().and_then(|live| live.connection().pid())
    }

    /// Calls a tool if it still has its approved definition. Dropping the future cancels the
    /// call.
    pub(crate) async fn call(
        &self,
        pinned: &Definition,
        args: JsonObject,
        on_progress: &OnProgress,
    ) -> Result<CallToolResult, ConnectionFault> {
        let was_open = self.state.lock().await.live.is_some();
        let called = match self.call_once(pinned, args.clone(), on_progress).await {
            Err(fault) if self.should_retry(&fault, was_open).await => {
                self.call_once(pinned, args, on_progress).await
            }
            called => called,
        };
        self.store_wanted_scope(&called).await;
        called
    }

    async fn call_once(
        &self,
        pinned: &Definition,
        args: JsonObject,
        on_progress: &OnProgress,
    ) -> Result<CallToolResult, ConnectionFault> {
        let live = self.live().await?;
        let is_old = live.tools().1.elapsed() > LIST_AGE_MAX;
        if live.handler.take_changed() || is_old {
            self.refresh(&live).await?;
        }
        let digest =
            live.tools().0.tools.iter().find(|tool| tool.name == pinned.name).map(|t| t.digest());
        match digest {
            None => return Err(ConnectionFault::Gone),
            Some(digest) if digest != pinned.digest() => return Err(ConnectionFault::Changed),
            Some(_) => {}
        }
        let params = CallToolRequestParams::new(pinned.name.clone()).with_arguments(args);
        let result = self.request(&live, params, on_progress).await;
        if result.is_ok() {
            live.served.store(true, Ordering::Relaxed);
            self.state.lock().await.failures = 0;
        }
        result
    }

    /// Whether to retry: only if a token was refused, because then nothing has run.
    async fn should_retry(&self, fault: &ConnectionFault, was_open: bool) -> bool {
        let ConnectionFault::NeedsLogin { was_renewed, .. } = fault else { return false };
        let Endpoint::Http { url, oauth: Some(oauth), .. } = &self.config.endpoint else {
            return false;
        };
        self.state.lock().await.live = None;
        match oauth.grant {
            // Somebody may have logged in since the connection was opened.
            Grant::Person => (!was_renewed && oauth.renew(url).await.is_ok()) || was_open,
            Grant::Program => oauth.store.drop_tokens().await.is_ok(),
        }
    }

    /// Stores the scope that the server asks for, so that the next login requests it.
    async fn store_wanted_scope<T>(&self, result: &Result<T, ConnectionFault>) {
        let Err(ConnectionFault::NeedsScope { scope: Some(scope), .. }) = result else { return };
        let Endpoint::Http { oauth: Some(oauth), .. } = &self.config.endpoint else { return };
        if let Err(fault) = oauth.store.want(scope).await {
            tracing::warn!(%fault, "failed to store the scope that a server asks for");
        }
    }

    async fn refresh(&self, live: &OpenConnection) -> Result<(), ConnectionFault> {
        let listed = self.list(&live.peer).await?;
        *live.tools() = (listed, Instant::now());
        Ok(())
    }

    /// The open connection, or a new one.
    async fn live(&self) -> Result<Arc<OpenConnection>, ConnectionFault> {
        let mut state = self.state.lock().await;
        if let Some(live) = state.live.take() {
            if !live.connection().is_closed() {
                state.live = Some(Arc::clone(&live));
                return Ok(live);
            }
            if !live.served.load(Ordering::Relaxed) {
                let words = live.connection().last_words();
                state.failed(words.unwrap_or_else(|| "it ended".to_owned()));
            }
        }
        if let Some(wait) = state.backoff_left() {
            let (times, last) = (state.failures, state.last.clone());
            return Err(ConnectionFault::BackingOff { times, wait, last });
        }
        match self.open().await {
            Ok(live) => {
                state.live = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(fault) => {
                // A missing login causes no backoff, so a new login takes effect at once.
                if !fault.is_about_login() {
                    state.failed(fault.to_string());
                }
                Err(fault)
            }
        }
    }

    async fn open(&self) -> Result<Arc<OpenConnection>, ConnectionFault> {
        let connection = Transport::open(&self.config).await?;
        let (peer, handler) = (connection.peer().clone(), connection.handler.clone());
        let listed = self.list(&peer).await?;
        Ok(Arc::new(OpenConnection {
            connection: Mutex::new(connection),
            peer,
            handler,
            tools: Mutex::new((listed, Instant::now())),
            served: AtomicBool::new(false),
        }))
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<Listing, ConnectionFault> {
        let limit = self.config.limits.start;
        let listed = tokio::time::timeout(limit, Listing::ask(peer, &self.config)).await;
        let listed = listed.unwrap_or(Err(ConnectionFault::SlowStart(limit)))?;
        if let Some(on_listing) = &self.on_listing {
            on_listing(&listed);
        }
        Ok(listed)
    }
}

impl OpenConnection {
    fn connection(&self) -> MutexGuard<'_, Transport> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tools(&self) -> MutexGuard<'_, (Listing, Instant)> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn failed(&mut self, why: String) {
        self.failures += 1;
        self.last = why;
        if self.failures > FAILURES_WITHOUT_BACKOFF {
            let doublings = (self.failures - FAILURES_WITHOUT_BACKOFF - 1).min(16);
            let rest = BACKOFF_FIRST.saturating_mul(1 << doublings).min(BACKOFF_MAX);
            self.retry_at = Some(Instant::now() + rest);
        }
    }

    fn backoff_left(&self) -> Option<Duration> {
        let left = self.retry_at?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests;
