//! Authenticates every request.
//!
//! A page of another site can make a browser send requests here, also through a DNS name that
//! it points to this machine. So `Host` must be one of ours, `Origin` must equal it, and
//! requests that change something must be declared as JSON, which other sites cannot send
//! without a preflight.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::assets::words::Language;
use crate::auth::caller::Caller;
use crate::auth::logins::LoginCheck;
use crate::auth::sign_in::token_page;
use crate::auth::tokens::{LOCAL, Tokens};
use crate::conversations::taken::OwnConversations;
use crate::extension::{BodyArrives, StreamLimit};
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::{read_whole, with_time_limit};
use crate::routes::openapi::Access;
use crate::server::connections::Connection;
use crate::state::AppState;

/// The names and tokens of this server.
#[derive(Debug)]
pub(crate) struct Authenticator {
    tokens: Tokens,
    /// Host names of this server, without ports.
    names: BTreeSet<String>,
    port: u16,
}

/// The owner of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner(pub String);

impl Authenticator {
    pub(crate) fn new(tokens: Tokens, address: SocketAddr, names: &[String]) -> Self {
        let ours = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = names.iter().map(|name| name.to_ascii_lowercase());
        Self { tokens, names: ours.into_iter().chain(names).collect(), port: address.port() }
    }

    /// Whether requests need a token.
    pub(crate) fn access(&self) -> Access {
        Access::of(!self.tokens.is_empty())
    }

    /// Whether the host is ours. With tokens, IP literals pass: DNS rebinding needs a name.
    fn is_own_host(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            Some(_) | None => (host.as_str(), None),
        };
        let port_fits = match port {
            Some(port) => port.parse() == Ok(self.port),
            None => self.port == 80 || !self.tokens.is_empty(),
        };
        let bare = name.trim_start_matches('[').trim_end_matches(']');
        let is_address = !self.tokens.is_empty() && bare.parse::<IpAddr>().is_ok();
        port_fits && (self.names.contains(name) || is_address)
    }

    /// Checks `Host` and, unless a person follows a link, that the request comes from our own
    /// page.
    fn check_origin(&self, headers: &HeaderMap, navigation: Navigation) -> HandlerResult<()> {
        // With two different values, a proxy may have checked the other one.
        if SINGLE_HEADERS.iter().any(|name| headers.get_all(*name).iter().nth(1).is_some()) {
            return Err(Fault::foreign("a header that must be unique is repeated"));
        }
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let host = text(header::HOST).unwrap_or_default();
        if !self.is_own_host(host) {
            return Err(Fault::foreign("unknown `Host`"));
        }
        let is_cross_origin = match text(header::ORIGIN) {
            None => false,
            Some(origin) => {
                let place = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
                !place.is_some_and(|place| place.eq_ignore_ascii_case(host))
            }
        };
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let is_cross_site = matches!(site, Some("cross-site" | "same-site"));
        if is_cross_origin || (is_cross_site && navigation == Navigation::No) {
            return Err(Fault::foreign("the request comes from a page of another site"));
        }
        Ok(())
    }

    pub(crate) fn is_operator(&self, Owner(owner): &Owner) -> bool {
        self.tokens.is_operator(owner)
    }

    pub(crate) fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Checks the bearer token; without any tokens, everybody is the local owner.
    fn bearer(&self, headers: &HeaderMap) -> Credentials {
        let Some(secret) = bearer(headers) else {
            return match self.tokens.is_empty() {
                true => Credentials::Valid(Caller::person(LOCAL)),
                false => Credentials::Missing,
            };
        };
        let program = self.tokens.program_of_bearer(secret).cloned();
        let person = self.tokens.owner_of_bearer(secret).map(Caller::person);
        let is_open = self.tokens.is_empty() && !self.tokens.has_programs();
        match program.or(person).or_else(|| is_open.then(|| Caller::person(LOCAL))) {
            Some(caller) => Credentials::Valid(caller),
            None => Credentials::Invalid,
        }
    }
}

/// The credentials of a request.
enum Credentials {
    Valid(Caller),
    Invalid,
    Missing,
}

/// The caller, and the renewed cookie.
pub(crate) struct Authenticated {
    pub caller: Caller,
    pub renewed: Option<HeaderValue>,
}

/// Authenticates a request by its token or cookie. Failures are counted for each address, and
/// too many are refused for a while; valid credentials are never refused.
async fn authenticate(app: &AppState, request: &Parts) -> HandlerResult<Authenticated> {
    let connection = request.extensions.get::<Arc<Connection>>();
    let admitted = match app.authenticator.bearer(&request.headers) {
        Credentials::Valid(caller) => Some(Authenticated { caller, renewed: None }),
        Credentials::Invalid => None,
        Credentials::Missing => {
            match app.logins.who(&request.headers, app.authenticator.tokens()).await? {
                LoginCheck::Missing => return Err(Fault::no_token()),
                LoginCheck::Invalid => None,
                LoginCheck::Owner { owner, renewed } => {
                    Some(Authenticated { caller: Caller::person(&owner), renewed })
                }
            }
        }
    };
    match admitted {
        Some(admitted) => {
            if let Some(connection) = connection {
                connection.mark_authenticated();
            }
            Ok(admitted)
        }
        None => Err(wrong_token(app, connection.map(|connection| connection.peer))),
    }
}

/// Like [`authenticate`], but refuses programs.
pub(crate) async fn authenticate_person(
    app: &AppState,
    request: &Parts,
) -> HandlerResult<Authenticated> {
    let admitted = authenticate(app, request).await?;
    match admitted.caller.is_program() {
        true => Err(Fault::for_programs()),
        false => Ok(admitted),
    }
}

/// Counts a wrong token from this address.
pub(crate) fn wrong_token(app: &AppState, peer: Option<IpAddr>) -> Fault {
    let peer = peer.map(|peer| peer.to_string()).unwrap_or_default();
    match app.wrong_token_rate.take(&peer, Instant::now()) {
        true => Fault::no_token(),
        false => Fault::too_many("too many wrong tokens"),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// Whether the browser follows a link to a page. Other sites may link here; they can neither
/// read the page nor frame it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Navigation {
    Yes,
    No,
}

impl Navigation {
    fn of(request: &Request) -> Self {
        let mode = request.headers().get("sec-fetch-mode").and_then(|mode| mode.to_str().ok());
        let is_api = request.uri().path().starts_with("/api");
        match request.method() == Method::GET && !is_api && mode == Some("navigate") {
            true => Self::Yes,
            false => Self::No,
        }
    }
}

/// For all requests: checks where they come from and adds the security headers that the
/// response does not set. A person without a token gets the sign-in page.
pub(crate) async fn check_request(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> Response {
    let is_api = request.uri().path().starts_with("/api");
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let wants_page = accepted.is_some_and(|kinds| kinds.contains("text/html"));
    let language = Language::of_browser(request.headers());
    let mut response =
        match app.authenticator.check_origin(request.headers(), Navigation::of(&request)) {
            Ok(()) => next.run(request).await,
            Err(fault) => fault.into_response(),
        };
    if response.status() == StatusCode::UNAUTHORIZED && wants_page {
        response = token_page(StatusCode::UNAUTHORIZED, language);
    }
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        let name = HeaderName::from_static(name);
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Headers that decide about access.
const SINGLE_HEADERS: [&str; 4] = ["host", "origin", "sec-fetch-site", "authorization"];

/// What a page may load and run.
pub(crate) const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                                      img-src 'self' data:; font-src 'self'; connect-src 'self'; \
                                      frame-src 'self'; manifest-src 'self'; base-uri 'none'; \
                                      form-action 'none'; frame-ancestors 'none'";

const SECURITY_HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", PAGE_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// Paths that accept the tokens of programs.
fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/call/") || !path.starts_with("/api")
}

/// For the API: authenticates, limits the rate, and reads the whole body in time. Programs
/// only reach the tools, so that they cannot answer their own questions.
pub(crate) async fn authenticated(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> HandlerResult<Response> {
    let (head, body) = request.into_parts();
    let Authenticated { caller, renewed } = authenticate(&app, &head).await?;
    let (path, is_read) = (head.uri.path(), head.method.is_safe());
    if caller.is_program() && !is_for_programs(path) {
        return Err(Fault::for_programs());
    }
    let rate = if is_read { &app.read_rate } else { &app.write_rate };
    if !rate.take(&caller.name, Instant::now()) {
        return Err(Fault::too_many("too many requests at once"));
    }
    let (bytes_max, time_max, arrives) = match app.body_limits.get(path) {
        Some(limit) => (limit.bytes_max, limit.time_max, limit.arrives),
        None => (app.limits.body_bytes_max, app.limits.body_time_max, BodyArrives::Whole),
    };
    // Browsers send other unsafe methods only after a preflight.
    let is_post = head.method == Method::POST;
    let request = |body| Request::from_parts(head.clone(), body);
    let mut request = match arrives {
        BodyArrives::Whole if is_post && !is_type(&head.headers, JSON) => {
            return Err(Fault::not_json());
        }
        BodyArrives::Streamed if is_post && !is_type(&head.headers, BYTES) => {
            return Err(Fault::not_bytes());
        }
        BodyArrives::Whole => read_whole(request(body), bytes_max, time_max).await?,
        BodyArrives::Streamed => with_time_limit(request(body), time_max),
    };
    request.extensions_mut().insert(Owner(caller.owner.clone()));
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(StreamLimit(Arc::clone(&app.streams)));
    request.extensions_mut().insert(OwnConversations(app.clone()));
    let mut response = next.run(request).await;
    if let Some(cookie) = renewed {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

fn is_type(headers: &HeaderMap, wanted: &str) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case(wanted))
}

#[cfg(test)]
mod tests;
