//! The server over HTTP: a router that checks tokens, hosts and origins.

pub(crate) mod sessions;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use contract::Digest;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::caller::Principal;
use super::mcp_server::McpServer;
use sessions::{OwnedSessions, SessionLimits, failed};

/// Who may connect over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The principal of each token, by the token's digest. If empty, everyone who reaches the
    /// address counts as the user of this machine, so it must be a loopback address.
    pub tokens: BTreeMap<Digest, Principal>,
    /// Host names of this server besides loopback.
    pub hosts: Vec<String>,
    /// Origins that may call besides this machine's: `https://app.example.com:443`.
    pub origins: Vec<String>,
}

/// The largest request body.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// A router for a path such as `/mcp` that checks tokens, hosts and origins itself. Serve it with
/// TCP_NODELAY, or events wait for their peer's ACK.
pub fn router(server: McpServer, options: HttpOptions) -> Router {
    let HttpOptions { tokens, hosts, origins } = options;
    let here = ["localhost", "127.0.0.1", "[::1]"];
    let hosts: Vec<_> = here.iter().map(|host| (*host).to_owned()).chain(hosts).collect();
    let here = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let origins: Vec<_> = here.iter().map(|one| (*one).to_owned()).chain(origins).collect();
    let config = usual().with_allowed_hosts(hosts).with_allowed_origins(origins);
    let service = service(server, config.enforce_origin_validation());
    Router::new().fallback(authenticate).with_state(Arc::new(AuthState { tokens, service }))
}

/// A router for a server that checks hosts and origins itself. One of its layers must set the
/// [`Principal`]; requests without one are refused.
pub fn inner_router(server: McpServer) -> Router {
    let service = service(server, usual().disable_allowed_hosts());
    Router::new().fallback(require_principal).with_state(Arc::new(service))
}

/// Stateless for current clients, with sessions for older ones.
fn service(server: McpServer, config: StreamableHttpServerConfig) -> OwnedSessions {
    let manager = Arc::new(LocalSessionManager::default());
    let visits = move || Ok(server.for_client());
    let service = StreamableHttpService::new(visits, Arc::clone(&manager), config);
    OwnedSessions::new(service, manager, SessionLimits::machine())
}

fn usual() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES_MAX)
}

async fn require_principal(
    State(sessions): State<Arc<OwnedSessions>>,
    request: Request,
) -> Response {
    match request.extensions().get::<Principal>().cloned() {
        Some(principal) => sessions.handle(&principal, request).await,
        None => refused(),
    }
}

/// The service and the tokens that open it.
struct AuthState {
    tokens: BTreeMap<Digest, Principal>,
    service: OwnedSessions,
}

/// Authenticates a request by its token.
async fn authenticate(State(entry): State<Arc<AuthState>>, mut request: Request) -> Response {
    let Some(principal) = principal(&entry.tokens, &request) else { return refused() };
    // Replaces any extension that is already there, so a client can never supply a principal.
    request.extensions_mut().insert(principal.clone());
    entry.service.handle(&principal, request).await
}

/// The principal of a request, if it has a valid token.
fn principal(tokens: &BTreeMap<Digest, Principal>, request: &Request) -> Option<Principal> {
    if tokens.is_empty() {
        return Some(Principal::anonymous());
    }
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    // Compares digests, so the time taken reveals nothing about a token.
    let digest = Digest::of(token.trim().as_bytes());
    tokens.get(&digest).filter(|_| scheme.eq_ignore_ascii_case("bearer")).cloned()
}

fn refused() -> Response {
    let message = "a token is required: send `Authorization: Bearer TOKEN`";
    let mut response = failed(StatusCode::UNAUTHORIZED, -32000, message);
    let challenge = HeaderValue::from_static("Bearer realm=\"ghosthand\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}
