//! The door over HTTP: a router to nest anywhere, with tokens, hosts and origins checked.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use contract::Digest;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::caller::Principal;
use super::door::Door;

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

/// The service for a path such as `/mcp`: stateless in the new era, with sessions for
/// clients of the old one. Serve it with TCP_NODELAY, or events wait for their peer's ACK.
pub fn router(door: Door, options: HttpOptions) -> Router {
    let HttpOptions { tokens, hosts, origins } = options;
    let here = ["localhost", "127.0.0.1", "[::1]"];
    let hosts: Vec<_> = here.iter().map(|host| (*host).to_owned()).chain(hosts).collect();
    let here = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
    let origins: Vec<_> = here.iter().map(|one| (*one).to_owned()).chain(origins).collect();
    let config = StreamableHttpServerConfig::default()
        .with_json_response(true)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(REQUEST_BYTES_MAX);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(door.clone()), sessions, config);
    let tokens = Arc::new(tokens);
    Router::new().fallback_service(service).layer(middleware::from_fn_with_state(tokens, admit))
}

/// Lets a request in as the principal of its token.
async fn admit(
    State(tokens): State<Arc<BTreeMap<Digest, Principal>>>,
    mut request: Request,
    next: Next,
) -> Response {
    // What a client sends can never be a principal.
    request.extensions_mut().remove::<Principal>();
    if tokens.is_empty() {
        request.extensions_mut().insert(Principal::local());
        return next.run(request).await;
    }
    let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given
        .and_then(|given| given.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    // Digests are compared, not tokens: the time it takes says nothing about a token.
    match token.and_then(|(_, token)| tokens.get(&Digest::of(token.trim().as_bytes()))) {
        Some(principal) => {
            request.extensions_mut().insert(principal.clone());
            next.run(request).await
        }
        None => refused(),
    }
}

fn refused() -> Response {
    let message = "a token is needed: send `Authorization: Bearer TOKEN`";
    let mut response = (StatusCode::UNAUTHORIZED, message).into_response();
    let challenge = HeaderValue::from_static("Bearer realm=\"ghosthand\"");
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}
