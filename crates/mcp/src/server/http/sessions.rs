//! Whose a session of the old era is. Its id is sent with every request and shown in logs of
//! proxies, so it opens nothing by itself: a session is its token's and its owner's, and to
//! everybody else it does not exist.

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

use super::caller::Principal;
use super::door::Door;

pub(super) type Service = StreamableHttpService<Door, LocalSessionManager>;

/// The service, and whose its sessions are.
pub(super) struct Sessions {
    service: Service,
    manager: Arc<LocalSessionManager>,
    /// Locked for a look.
    owners: Mutex<BTreeMap<String, Whose>>,
    limits: SessionLimits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Whose {
    token: String,
    owner: String,
}

/// How many sessions there are at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct SessionLimits {
    pub all_max: usize,
    pub each_max: usize,
}

impl SessionLimits {
    /// A session that nobody uses ends after five minutes.
    pub(super) fn machine() -> Self {
        Self { all_max: 1_024, each_max: 256 }
    }
}

const SESSION: &str = "mcp-session-id";

impl Sessions {
    pub(super) fn new(
        service: Service,
        manager: Arc<LocalSessionManager>,
        limits: SessionLimits,
    ) -> Self {
        Self { service, manager, owners: Mutex::default(), limits }
    }

    /// Answers a request of this principal.
    pub(super) async fn handle(&self, principal: &Principal, request: Request) -> Response {
        let whose = Whose { token: principal.name.clone(), owner: principal.client.clone() };
        let given = session_of(request.headers());
        if let Some(id) = &given
            && self.owners().get(id) != Some(&whose)
        {
            return not_found();
        }
        let response = self.service.handle(request).await.map(Body::new);
        match (given, session_of(response.headers())) {
            (Some(id), _) => {
                self.forget_ended(&id).await;
                response
            }
            (None, Some(new)) => match self.bind(&new, whose).await {
                true => response,
                false => too_many(),
            },
            (None, None) => response,
        }
    }

    /// A new session is whose request made it. One too many is closed at once.
    async fn bind(&self, id: &str, whose: Whose) -> bool {
        if !self.has_room(&whose) {
            self.sweep().await;
        }
        let fits = self.has_room(&whose);
        match fits {
            true => drop(self.owners().insert(id.to_owned(), whose)),
            false => drop(self.manager.close_session(&id.to_owned().into()).await),
        }
        fits
    }

    fn has_room(&self, whose: &Whose) -> bool {
        let owners = self.owners();
        let own = owners.values().filter(|one| *one == whose).count();
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

    /// Forgets sessions that ended by themselves.
    async fn sweep(&self) {
        let known: Vec<_> = self.owners().keys().cloned().collect();
        for id in known {
            self.forget_ended(&id).await;
        }
    }

    fn owners(&self) -> MutexGuard<'_, BTreeMap<String, Whose>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    // One that cannot be read is nobody's.
    headers.get(SESSION).map(|id| id.to_str().unwrap_or("?").to_owned())
}

/// The same for a session that never was and for somebody else's.
fn not_found() -> Response {
    failed(StatusCode::NOT_FOUND, -32001, "there is no such session; begin with `initialize`")
}

fn too_many() -> Response {
    let message = "too many sessions are open; close some with DELETE, or wait";
    let mut response = failed(StatusCode::TOO_MANY_REQUESTS, -32002, message);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("60"));
    response
}

/// A fault that concerns no request of the protocol.
pub(super) fn failed(status: StatusCode, code: i32, message: &str) -> Response {
    let body =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } });
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}
