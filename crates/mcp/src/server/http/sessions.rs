//! Binds sessions of the session-based protocol to their owners. A session id is sent with every
//! request and appears in proxy logs, so it is not a credential: to other tokens and owners the
//! session does not exist.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::json;

use crate::server::caller::Principal;
use crate::server::mcp_server::McpServer;

pub(crate) type Service = StreamableHttpService<McpServer, LocalSessionManager>;

/// The service and the owners of its sessions.
pub(crate) struct OwnedSessions {
    service: Service,
    manager: Arc<LocalSessionManager>,
    /// Held only briefly.
    owners: Mutex<BTreeMap<String, SessionOwner>>,
    limits: SessionLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SessionOwner {
    token: String,
    owner: String,
}

/// How many sessions may be open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SessionLimits {
    pub all_max: usize,
    pub each_max: usize,
}

impl SessionLimits {
    /// Idle sessions end after five minutes.
    pub(crate) fn machine() -> Self {
        Self { all_max: 1_024, each_max: 256 }
    }
}

const SESSION: &str = "mcp-session-id";

impl OwnedSessions {
    pub(crate) fn new(
        service: Service,
        manager: Arc<LocalSessionManager>,
        limits: SessionLimits,
    ) -> Self {
        Self { service, manager, owners: Mutex::default(), limits }
    }

    /// Handles a request of this principal.
    pub(crate) async fn handle(&self, principal: &Principal, request: Request) -> Response {
        let owner = SessionOwner { token: principal.name.clone(), owner: principal.client.clone() };
        let session = session_of(request.headers());
        if let Some(id) = &session
            && self.owners().get(id) != Some(&owner)
        {
            return not_found();
        }
        let response = self.service.handle(request).await.map(Body::new);
        match (session, session_of(response.headers())) {
            (Some(id), _) => {
                self.forget_ended(&id).await;
                response
            }
            (None, Some(new)) => match self.bind(&new, owner).await {
                true => response,
                false => too_many(),
            },
            (None, None) => response,
        }
    }

    /// Binds a new session to the principal that opened it; closes it if there are too many.
    async fn bind(&self, id: &str, owner: SessionOwner) -> bool {
        if !self.has_room(&owner) {
            self.sweep().await;
        }
        let fits = self.has_room(&owner);
        match fits {
            true => drop(self.owners().insert(id.to_owned(), owner)),
            false => drop(self.manager.close_session(&id.to_owned().into()).await),
        }
        fits
    }

    fn has_room(&self, owner: &SessionOwner) -> bool {
        let owners = self.owners();
        let own = owners.values().filter(|one| *one == owner).count();
        owners.len() < self.limits.all_max && own < self.limits.each_max
    }

    async fn forget_ended(&self, id: &str) {
        if !self.is_alive(id).await {
            self.owners().remove(id);
        }
    }

    async fn is_alive(&self, id: &str) -> bool {
        self.manager.has_session(&id.to_owned().into()).await.unwrap_or(false)
    }

    /// Forgets sessions that have ended.
    async fn sweep(&self) {
        let known: Vec<_> = self.owners().keys().cloned().collect();
        for id in known {
            self.forget_ended(&id).await;
        }
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<String, SessionOwner>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    // An unreadable id has no owner.
    headers.get(SESSION).map(|id| id.to_str().unwrap_or("?").to_owned())
}

/// The same answer for an unknown session and for that of another owner.
fn not_found() -> Response {
    failed(StatusCode::NOT_FOUND, -32001, "unknown session; start with `initialize`")
}

fn too_many() -> Response {
    let message = "too many sessions are open; close some with DELETE, or wait";
    let mut response = failed(StatusCode::TOO_MANY_REQUESTS, -32002, message);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    response
}

/// An error that does not answer a request of the protocol.
pub(crate) fn failed(status: StatusCode, code: i32, message: &str) -> Response {
    let body =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}
