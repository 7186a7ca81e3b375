//! Who is let in: every request passes here first.
//!
//! A page of another site can make a browser send requests here, also under a name of its
//! own that it lets point to this machine. So the `Host` must be one of ours, an `Origin`
//! must be the same as the host, and what changes something must be said to be JSON, which
//! a foreign page cannot send without being asked about it.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::auth::caller::Caller;
use crate::auth::logins::LoginCheck;
use crate::auth::sign_in::token_page;
use crate::auth::tokens::{LOCAL, Tokens};
use crate::extension::StreamLimit;
use crate::fault::{Fault, HandlerResult};
use crate::routes::json_body::whole;
use crate::server::connections::Connection;
use crate::state::AppState;

/// Which names and tokens are ours.
#[derive(Debug)]
pub(crate) struct Authenticator {
    tokens: Tokens,
    /// Names, without a port, under which this server is known.
    names: BTreeSet<String>,
    port: u16,
}

/// Whose request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner(pub String);

impl Authenticator {
    pub(crate) fn new(tokens: Tokens, address: SocketAddr, names: &[String]) -> Self {
        let ours = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = names.iter().map(|name| name.to_ascii_lowercase());
        Self { tokens, names: ours.into_iter().chain(names).collect(), port: address.port() }
    }

    /// Is the host one of ours? Behind tokens any bare address is: nobody's name leads there.
    fn knows(&self, host: &str) -> bool {
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

    /// Whatever is asked, the host must be ours; what is not just a visit must come from our
    /// own page.
    fn check_place(&self, headers: &HeaderMap, visit: Navigation) -> HandlerResult<()> {
        // Of two that differ somebody between us and the sender may have read the other.
        if SINGLE_HEADERS.iter().any(|name| headers.get_all(*name).iter().nth(1).is_some()) {
            return Err(Fault::foreign("a header that is said once was said twice"));
        }
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let host = text(header::HOST).unwrap_or_default();
        if !self.knows(host) {
            return Err(Fault::foreign("this server is not known by that `Host`"));
        }
        let from_elsewhere = match text(header::ORIGIN) {
            None => false,
            Some(origin) => {
                let place = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
                !place.is_some_and(|place| place.eq_ignore_ascii_case(host))
            }
        };
        let site = text(HeaderName::from_static("sec-fetch-site"));
        let is_strange = matches!(site, Some("cross-site" | "same-site"));
        if from_elsewhere || (is_strange && visit == Navigation::No) {
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

    /// Who shows a token of their own, if anybody is asked for one.
    fn bearer(&self, headers: &HeaderMap) -> Credentials {
        let Some(secret) = bearer(headers) else {
            return match self.tokens.is_empty() {
                true => Credentials::Valid(Caller::person(LOCAL)),
                false => Credentials::Missing,
            };
        };
        let program = self.tokens.program_of_bearer(secret).cloned();
        let person = self.tokens.owner_of_bearer(secret).map(Caller::person);
        let asks_nobody = self.tokens.is_empty() && !self.tokens.has_programs();
        match program.or(person).or_else(|| asks_nobody.then(|| Caller::person(LOCAL))) {
            Some(caller) => Credentials::Valid(caller),
            None => Credentials::Invalid,
        }
    }
}

/// What a request shows for itself.
enum Credentials {
    Valid(Caller),
    Invalid,
    Missing,
}

/// Who was let in, and the cookie that lets them in for longer.
pub(crate) struct Authenticated {
    pub caller: Caller,
    pub renewed: Option<HeaderValue>,
}

/// Lets a request in, by its token or its cookie. Wrong ones are counted for each address,
/// and whoever shows too many is told to wait; the right one is never made to.
async fn authenticate(app: &AppState, request: &Parts) -> HandlerResult<Authenticated> {
    let visitor = request.extensions.get::<Arc<Connection>>();
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
            if let Some(visitor) = visitor {
                visitor.mark_authenticated();
            }
            Ok(admitted)
        }
        None => Err(wrong_token(app, visitor.map(|visitor| visitor.peer))),
    }
}

/// The same where no program comes in.
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

/// One wrong token more from this address.
pub(crate) fn wrong_token(app: &AppState, peer: Option<IpAddr>) -> Fault {
    let peer = peer.map(|peer| peer.to_string()).unwrap_or_default();
    match app.wrong_token_rate.take(&peer, Instant::now()) {
        true => Fault::no_token(),
        false => Fault::too_many("too many wrong tokens"),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = given.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

/// Does somebody follow a link to the page? Links may stand on any site; all that follows
/// them is the page itself, which nobody else can read or put into a frame.
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

/// For everything: the place is checked, and what comes back cannot be misread. What a
/// response says of itself holds; a person without a token gets a page to enter one.
pub(crate) async fn place(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api");
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let wants_page = accepted.is_some_and(|kinds| kinds.contains("text/html"));
    let mut response =
        match app.authenticator.check_place(request.headers(), Navigation::of(&request)) {
            Ok(()) => next.run(request).await,
            Err(fault) => fault.into_response(),
        };
    if response.status() == StatusCode::UNAUTHORIZED && wants_page {
        response = token_page(StatusCode::UNAUTHORIZED);
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

/// What decides who is let in.
const SINGLE_HEADERS: [&str; 4] = ["host", "origin", "sec-fetch-site", "authorization"];

const SECURITY_HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("x-frame-options", "DENY"),
];

/// Where programs may come in with tokens of their own.
fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/call/") || !path.starts_with("/api")
}

/// For the API: an owner, who does not ask too often, and JSON where something changes, all
/// of it and in time. A program gets no further than to the tools, so that it never answers
/// its own questions.
pub(crate) async fn owner(
    State(app): State<AppState>,
    request: Request,
    next: Next,
) -> HandlerResult<Response> {
    let (head, body) = request.into_parts();
    let Authenticated { caller, renewed } = authenticate(&app, &head).await?;
    let (path, looks) = (head.uri.path(), head.method.is_safe());
    if caller.is_program() && !is_for_programs(path) {
        return Err(Fault::for_programs());
    }
    let rate = if looks { &app.read_rate } else { &app.write_rate };
    if !rate.take(&caller.name, Instant::now()) {
        return Err(Fault::too_many("too many requests at once"));
    }
    // Other methods that change something are never sent unasked by a foreign page.
    if head.method == Method::POST && !says_json(&head.headers) {
        return Err(Fault::not_json());
    }
    let (bytes_max, time_max) = match app.body_limits.get(path) {
        Some(limit) => (limit.bytes_max, limit.time_max),
        None => (app.limits.body_bytes_max, app.limits.body_time_max),
    };
    let mut request = whole(Request::from_parts(head, body), bytes_max, time_max).await?;
    request.extensions_mut().insert(Owner(caller.owner.clone()));
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(StreamLimit(Arc::clone(&app.streams)));
    let mut response = next.run(request).await;
    if let Some(cookie) = renewed {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

fn says_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

#[cfg(test)]
mod tests;
