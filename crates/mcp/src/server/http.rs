//! The door over HTTP: a router to nest anywhere, with tokens, hosts and origins checked.

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
use super::door::Door;
use super::sessions::{SessionLimits, Sessions, failed};

/// Who may come in over HTTP.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Whom each token stands for, by the token's digest. Empty: everybody who reaches the
    /// address is the person at this machine, so it must be a loopback address.
    pub tokens: BTreeMap<Digest, Principal>,
    /// Names under which this server is reached, beside loopback ones.
    pub hosts: Vec<String>,
    /// Pages that may call, beside those of this machine: `https://app.example.com:443`.
    pub origins: Vec<String>,
}

/// The largest request.
const REQUEST_BYTES_MAX: usize = 4 << 20;

/// The service for a path such as `/mcp`, with its own look at tokens, hosts and origins.
/// Serve it with TCP_NODELAY, or events wait for their peer's ACK.
pub fn router(door: Door, options: HttpOptions) -> Router {
    let HttpOptions { tokens, hosts, origins } = options;
    let here = ["localhost", "127.0.0.1", "[::1]"];
    let hosts: Vec<_> = here.iter().map(|host| (*host).to_owned()).chain(hosts).collect();
    let here = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let origins: Vec<_> = here.iter().map(|one| (*one).to_owned()).chain(origins).collect();
    let config = usual().with_allowed_hosts(hosts).with_allowed_origins(origins);
    let service = service(door, config.enforce_origin_validation());
    Router::new().fallback(admit).with_state(Arc::new(Entry { tokens, service }))
}

/// The same inside a server that looks at hosts and origins itself, and says whose each
/// request is: a layer of it sets the [`Principal`], and nobody else is let in.
pub fn inner_router(door: Door) -> Router {
    let service = service(door, usual().disable_allowed_hosts());
    Router::new().fallback(known_alone).with_state(Arc::new(service))
}

/// Stateless in the new era, with sessions for clients of the old one.
fn service(door: Door, config: StreamableHttpServerConfig) -> Sessions {
    let manager = Arc::new(LocalSessionManager::default());
    let visits = move || Ok(door.visited());
    let service = StreamableHttpService::new(visits, Arc::clone(&manager), config);
    Sessions::new(service, manager, SessionLimits::machine())
}

fn usual() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES_MAX)
}

async fn known_alone(State(sessions): State<Arc<Sessions>>, request: Request) -> Response {
    match request.extensions().get::<Principal>().cloned() {
        Some(principal) => sessions.handle(&principal, request).await,
        None => refused(),
    }
}

/// What stands behind the address, and who may come in.
struct Entry {
    tokens: BTreeMap<Digest, Principal>,
    service: Sessions,
}

/// Lets a request in as the principal of its token.
async fn admit(State(entry): State<Arc<Entry>>, mut request: Request) -> Response {
    let Some(principal) = principal(&entry.tokens, &request) else { return refused() };
    // What a client sends can never be a principal: this takes the place of whatever is there.
    request.extensions_mut().insert(principal.clone());
    entry.service.handle(&principal, request).await
}

/// Whom a request speaks for, if it may come in.
fn principal(tokens: &BTreeMap<Digest, Principal>, request: &Request) -> Option<Principal> {
    if tokens.is_empty() {
        return Some(Principal::nobody_known());
    }
    let given = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = given.split_once(' ')?;
    // Digests are compared, not tokens: the time it takes says nothing about a token.
    let digest = Digest::of(token.trim().as_bytes());
    tokens.get(&digest).filter(|_| scheme.eq_ignore_ascii_case("bearer")).cloned()
}

fn refused() -> Response {
    let message = "a token is needed: send `Authorization: Bearer TOKEN`";
    let mut response = failed(StatusCode::UNAUTHORIZED, -32000, message);
    let challenge = HeaderValue::from_static("Bearer realm=\"ghosthand\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}
