//! One line to one server, shared by all calls: opened when needed, opened again when it
//! broke, and left alone for a while when it keeps breaking.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use policy::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam,
    ClientRequest, JsonObject, ProgressNotificationParam, RequestId, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};

use super::connect::{Connection, definitions};
use super::definition::Definition;
use super::neighbour::{Neighbour, Reach};
use super::oauth::refusal_of;
use super::questions::answers;

/// Why a server's tool gave no result, sorted by what can be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineFault {
    #[error("the server could not be started: {0}")]
    NotStarted(String),
    #[error("the server was not ready after {} s", .0.as_secs())]
    SlowStart(Duration),
    #[error("`{0}` is no header, or its value cannot be sent")]
    BadHeader(String),
    #[error("the server does not say what it has: {0}")]
    NoList(String),
    #[error("the server broke down {times} times; it is tried again in {} s: {last}", wait.as_secs() + 1)]
    Resting { times: u32, wait: Duration, last: String },
    #[error("its definition is not the one that was approved; `ghosthand diff` shows it")]
    Changed,
    #[error("the server no longer has it")]
    Gone,
    #[error("no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("the connection broke: {0}")]
    Lost(String),
    #[error("its answer has more than {0} bytes")]
    TooLong(usize),
    #[error("{0}")]
    Refused(String),
    #[error("it asks for something that is not given here: {0}")]
    Unsupported(&'static str),
    #[error("it wants a login; run `ghosthand mcp login {0}`")]
    NeedsLogin(String),
    #[error("the login does not allow this{}; run `ghosthand mcp login {server}`", wanted(scope.as_deref()))]
    NeedsScope { server: String, scope: Option<String> },
    #[error(
        "it wants a login; write `auth = \"oauth\"` into [mcp.{server}], or a token into its headers"
    )]
    NoLogin {
        server: String,
        /// What it says about how one logs in.
        challenge: Option<String>,
    },
}

impl LineFault {
    /// Can a login mend it? Then nothing has run.
    pub fn is_about_login(&self) -> bool {
        matches!(self, Self::NeedsLogin(_) | Self::NeedsScope { .. } | Self::NoLogin { .. })
    }
}

fn wanted(scope: Option<&str>) -> String {
    let shown = |scope: &str| format!(" (it wants `{}`)", super::clean::clean(scope, 200));
    scope.map(shown).unwrap_or_default()
}

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
    tools: Mutex<(Vec<Definition>, Instant)>,
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
/// How often one call may be answered with a question.
const ROUNDS_MAX: usize = 8;
/// Before an unfinished call that asks nothing is tried again.
const ROUND_PAUSE: Duration = Duration::from_millis(250);

impl Line {
    pub fn new(neighbour: Neighbour) -> Self {
        Self { neighbour, state: tokio::sync::Mutex::default() }
    }

    pub fn neighbour(&self) -> &Neighbour {
        &self.neighbour
    }

    /// What the server has now.
    pub async fn definitions(&self) -> Result<Vec<Definition>, LineFault> {
        let listed = match self.live().await {
            Ok(live) => self.refresh(&live).await.map(|()| live.tools().0.clone()),
            Err(fault) => Err(fault),
        };
        if let Err(LineFault::NeedsScope { scope: Some(scope), .. }) = &listed {
            self.want(scope).await;
        }
        listed
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
        let mut called = self.call_once(pinned, args.clone(), say).await;
        if let Err(LineFault::NeedsLogin(_)) = called {
            // Somebody may have logged in again since the line was opened.
            self.state.lock().await.live = None;
            called = self.call_once(pinned, args, say).await;
        }
        if let Err(LineFault::NeedsScope { scope: Some(scope), .. }) = &called {
            self.want(scope).await;
        }
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
            live.tools().0.iter().find(|tool| tool.name == pinned.name).map(|t| t.digest());
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

    /// Keeps what the server wants more, so that the next login asks for it.
    async fn want(&self, scope: &str) {
        let Reach::Address { oauth: Some(oauth), .. } = &self.neighbour.reach else { return };
        if let Err(fault) = oauth.file.want(scope).await {
            tracing::warn!(%fault, "what a server wants more was not kept");
        }
    }

    /// One call; a server that asks something meanwhile is answered, and asked again.
    async fn request(
        &self,
        live: &Live,
        mut params: CallToolRequestParams,
        say: &Say,
    ) -> Result<CallToolResult, LineFault> {
        for _ in 0..ROUNDS_MAX {
            let result = self.round(live, params.clone(), say).await?;
            if let ServerResult::CallToolResult(result) = result {
                return Ok(result);
            }
            if let ServerResult::CreateTaskResult(_) = result {
                return Err(LineFault::Unsupported("a task to wait for"));
            }
            let ServerResult::InputRequiredResult(unfinished) = result else {
                return Err(LineFault::Refused("the server answered something else".to_owned()));
            };
            let asked = unfinished.input_requests.unwrap_or_default();
            if asked.is_empty() {
                tokio::time::sleep(ROUND_PAUSE).await;
            }
            let answers = answers(self.neighbour.questions, &asked);
            let answers = answers.ok_or(LineFault::Unsupported("a model or files of ours"))?;
            params.input_responses = (!answers.is_empty()).then_some(answers);
            params.request_state = unfinished.request_state;
        }
        Err(LineFault::Unsupported("one answer after the other"))
    }

    async fn round(
        &self,
        live: &Live,
        params: CallToolRequestParams,
        say: &Say,
    ) -> Result<ServerResult, LineFault> {
        let limits = self.neighbour.limits;
        let options = PeerRequestOptions::with_timeout(limits.idle)
            .reset_timeout_on_progress()
            .with_max_total_timeout(limits.total);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let sent = live.peer.send_cancellable_request(request, options).await;
        let handle = sent.map_err(|fault| self.fault(live, &fault))?;
        let mut listening = live.ear.listen(handle.progress_token.clone());
        let mut abandoned = Abandoned { peer: live.peer.clone(), id: Some(handle.id.clone()) };
        let response = handle.await_response();
        tokio::pin!(response);
        let answered = loop {
            tokio::select! {
                answered = &mut response => break answered,
                Some(said) = listening.events.recv() => say(said).await,
            }
        };
        abandoned.id = None;
        while let Ok(said) = listening.events.try_recv() {
            say(said).await;
        }
        answered.map_err(|fault| self.fault(live, &fault))
    }

    fn fault(&self, live: &Live, fault: &ServiceError) -> LineFault {
        if let Some(refusal) = refusal_of(fault) {
            return refusal.fault(&self.neighbour);
        }
        if let ServiceError::McpError(error) = fault {
            return LineFault::Refused(super::clean::clean(&error.message, 2_000));
        }
        if let ServiceError::Timeout { timeout } = fault {
            return LineFault::TimedOut(*timeout);
        }
        let mut connection = live.connection();
        if connection.was_too_long() {
            return LineFault::TooLong(self.neighbour.limits.result_bytes_max);
        }
        LineFault::Lost(match connection.last_words() {
            Some(words) => format!("{fault}; the server {words}"),
            None => fault.to_string(),
        })
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

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<Vec<Definition>, LineFault> {
        let limit = self.neighbour.limits.start;
        let listed = tokio::time::timeout(limit, definitions(peer, &self.neighbour)).await;
        listed.unwrap_or(Err(LineFault::SlowStart(limit)))
    }
}

impl Live {
    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tools(&self) -> MutexGuard<'_, (Vec<Definition>, Instant)> {
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

/// A request that nobody waits for any more is cancelled at the server.
struct Abandoned {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        tokio::spawn(async move {
            let reason = "nobody waits for it any more".to_owned();
            let notice = CancelledNotificationParam::new(Some(id), Some(reason));
            // A server that is gone needs no telling.
            let _ = peer.notify_cancelled(notice).await;
        });
    }
}

#[cfg(test)]
mod tests;
