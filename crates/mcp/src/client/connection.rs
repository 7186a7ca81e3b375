//! One line to one server, shared by all calls: opened when needed, opened again when it
//! broke, and left alone for a while when it keeps breaking.

mod request;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use policy::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, ProgressNotificationParam};
use rmcp::service::Peer;

use super::connect::Connection;
use super::definition::Definition;
use super::line_fault::LineFault;
use super::listing::Listing;
use super::neighbour::{Neighbour, Reach};
use super::oauth::Grant;

/// What is done with a report of progress.
pub(super) type Say = dyn Fn(ProgressNotificationParam) -> BoxFuture<'static, ()> + Send + Sync;

/// The line to one server.
pub struct Line {
    pub(super) neighbour: Neighbour,
    /// Held while the line is opened, so that it is opened once.
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    live: Option<Arc<Live>>,
    failures: u32,
    /// No new try before this.
    rest_until: Option<Instant>,
    last: String,
}

/// An open line.
struct Live {
    connection: Mutex<Connection>,
    peer: Peer<RoleClient>,
    ear: super::ear::Ear,
    /// What the server has, and when it said so.
    tools: Mutex<(Listing, Instant)>,
    /// Has a call succeeded on it?
    served: AtomicBool,
}

/// The first rest, doubled with each failure.
const REST_FIRST: Duration = Duration::from_millis(250);
const REST_MAX: Duration = Duration::from_secs(60);
/// One accident is no habit: the first failures are followed by a new try at once.
const FAILURES_FREE: u32 = 1;
/// A list older than this is asked for again before a call.
const LIST_AGE_MAX: Duration = Duration::from_secs(300);

impl Line {
    pub fn new(neighbour: Neighbour) -> Self {
        Self { neighbour, state: tokio::sync::Mutex::default() }
    }

    pub fn neighbour(&self) -> &Neighbour {
        &self.neighbour
    }

    /// What the server has now.
    pub async fn listing(&self) -> Result<Listing, LineFault> {
        let listed = match self.list_now().await {
            Err(fault) if self.may_try_again(&fault, false).await => self.list_now().await,
            listed => listed,
        };
        self.note_wanted(&listed).await;
        listed
    }

    async fn list_now(&self) -> Result<Listing, LineFault> {
        let live = self.live().await?;
        self.refresh(&live).await?;
        Ok(live.tools().0.clone())
    }

    /// The process of the server, if it is a child of ours and runs.
    pub async fn pid(&self) -> Option<u32> {
        let state = self.state.lock().await;
        state.live.as_ref().and_then(|live| live.connection().pid())
    }

    /// Calls a tool, if it still is what was approved. Dropping the future cancels the call.
    pub(super) async fn call(
        &self,
        pinned: &Definition,
        args: JsonObject,
        say: &Say,
    ) -> Result<CallToolResult, LineFault> {
        let was_open = self.state.lock().await.live.is_some();
        let called = match self.call_once(pinned, args.clone(), say).await {
            Err(fault) if self.may_try_again(&fault, was_open).await => {
                self.call_once(pinned, args, say).await
            }
            called => called,
        };
        self.note_wanted(&called).await;
        called
    }

    async fn call_once(
        &self,
        pinned: &Definition,
        args: JsonObject,
        say: &Say,
    ) -> Result<CallToolResult, LineFault> {
        let live = self.live().await?;
        let is_old = live.tools().1.elapsed() > LIST_AGE_MAX;
        if live.ear.take_changed() || is_old {
            self.refresh(&live).await?;
        }
        let digest =
            live.tools().0.tools.iter().find(|tool| tool.name == pinned.name).map(|t| t.digest());
        match digest {
            None => return Err(LineFault::Gone),
            Some(digest) if digest != pinned.digest() => return Err(LineFault::Changed),
            Some(_) => {}
        }
        let params = CallToolRequestParams::new(pinned.name.clone()).with_arguments(args);
        let result = self.request(&live, params, say).await;
        if result.is_ok() {
            live.served.store(true, Ordering::Relaxed);
            self.state.lock().await.failures = 0;
        }
        result
    }

    /// Is a second try worth it? Only where a token was refused, so that nothing has run.
    async fn may_try_again(&self, fault: &LineFault, was_open: bool) -> bool {
        let LineFault::NeedsLogin { was_renewed, .. } = fault else { return false };
        let Reach::Address { url, oauth: Some(oauth), .. } = &self.neighbour.reach else {
            return false;
        };
        self.state.lock().await.live = None;
        match oauth.grant {
            // Somebody may have logged in since the line was opened.
            Grant::Person => (!was_renewed && oauth.renew(url).await.is_ok()) || was_open,
            Grant::Program => oauth.file.drop_tokens().await.is_ok(),
        }
    }

    /// Keeps what the server wants more, so that the next login asks for it.
    async fn note_wanted<T>(&self, result: &Result<T, LineFault>) {
        let Err(LineFault::NeedsScope { scope: Some(scope), .. }) = result else { return };
        let Reach::Address { oauth: Some(oauth), .. } = &self.neighbour.reach else { return };
        if let Err(fault) = oauth.file.want(scope).await {
            tracing::warn!(%fault, "what a server wants more was not kept");
        }
    }

    async fn refresh(&self, live: &Live) -> Result<(), LineFault> {
        let listed = self.list(&live.peer).await?;
        *live.tools() = (listed, Instant::now());
        Ok(())
    }

    /// The open line, or a new one.
    async fn live(&self) -> Result<Arc<Live>, LineFault> {
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
        if let Some(wait) = state.rest_left() {
            let (times, last) = (state.failures, state.last.clone());
            return Err(LineFault::Resting { times, wait, last });
        }
        match self.open().await {
            Ok(live) => {
                state.live = Some(Arc::clone(&live));
                Ok(live)
            }
            Err(fault) => {
                // A person who has logged in does not wait.
                if !fault.is_about_login() {
                    state.failed(fault.to_string());
                }
                Err(fault)
            }
        }
    }

    async fn open(&self) -> Result<Arc<Live>, LineFault> {
        let connection = Connection::open(&self.neighbour).await?;
        let (peer, ear) = (connection.peer().clone(), connection.ear.clone());
        let listed = self.list(&peer).await?;
        Ok(Arc::new(Live {
            connection: Mutex::new(connection),
            peer,
            ear,
            tools: Mutex::new((listed, Instant::now())),
            served: AtomicBool::new(false),
        }))
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<Listing, LineFault> {
        let limit = self.neighbour.limits.start;
        let listed = tokio::time::timeout(limit, Listing::ask(peer, &self.neighbour)).await;
        listed.unwrap_or(Err(LineFault::SlowStart(limit)))
    }
}

impl Live {
    fn connection(&self) -> MutexGuard<'_, Connection> {
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
        if self.failures > FAILURES_FREE {
            let doublings = (self.failures - FAILURES_FREE - 1).min(16);
            let rest = REST_FIRST.saturating_mul(1 << doublings).min(REST_MAX);
            self.rest_until = Some(Instant::now() + rest);
        }
    }

    fn rest_left(&self) -> Option<Duration> {
        let left = self.rest_until?.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests;
