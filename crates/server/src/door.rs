//! Who is let in: every request passes here first.
//!
//! A page of another site can make a browser send requests here, also under a name of its
//! own that it lets point to this machine. So the `Host` must be one of ours, an `Origin`
//! must be the same as the host, and what changes something must be said to be JSON, which
//! a foreign page cannot send without being asked about it.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use crate::app::App;
use crate::caller::Caller;
use crate::fault::{Answer, Fault};
use crate::tokens::{LOCAL, Tokens, cookie};

/// Which names and tokens are ours.
#[derive(Debug)]
pub(crate) struct Door {
    tokens: Tokens,
    /// Names, without a port, under which this server is known.
    names: BTreeSet<String>,
    port: u16,
}

/// Whose request it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner(pub String);

const COOKIE: &str = "ghosthand";

impl Door {
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
    fn check_place(&self, headers: &HeaderMap, visit: Visit) -> Answer<()> {
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
        if from_elsewhere || (is_strange && visit == Visit::No) {
            return Err(Fault::foreign("the request comes from a page of another site"));
        }
        Ok(())
    }

    pub(crate) fn is_operator(&self, Owner(owner): &Owner) -> bool {
        self.tokens.is_operator(owner)
    }

    /// Who asks: a person, or a program with a token of its own. Where no person needs a
    /// token, a wrong one is refused only if there are right ones.
    fn caller(&self, headers: &HeaderMap) -> Answer<Caller> {
        let bearer = bearer(headers);
        let program = bearer.and_then(|secret| self.tokens.program_of_bearer(secret));
        match (program, bearer) {
            (Some(program), _) => Ok(program.clone()),
            (None, Some(_)) if self.tokens.is_empty() && self.tokens.has_programs() => {
                Err(Fault::no_token())
            }
            (None, _) => self.owner(headers).map(|Owner(owner)| Caller::person(&owner)),
        }
    }

    pub(crate) fn owner(&self, headers: &HeaderMap) -> Answer<Owner> {
        if self.tokens.is_empty() {
            return Ok(Owner(LOCAL.to_owned()));
        }
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = bearer(headers);
        let owner = match bearer {
            Some(secret) => self.tokens.owner_of_bearer(secret),
            None => text(header::COOKIE)
                .into_iter()
                .flat_map(|cookies| cookies.split(';'))
                .filter_map(|cookie| cookie.trim().split_once('='))
                .find(|(name, _)| *name == COOKIE)
                .and_then(|(_, value)| self.tokens.owner_of_cookie(value)),
        };
        owner.map(|owner| Owner(owner.to_owned())).ok_or_else(Fault::no_token)
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
enum Visit {
    Yes,
    No,
}

impl Visit {
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
pub(crate) async fn place(State(app): State<App>, request: Request, next: Next) -> Response {
    let is_api = request.uri().path().starts_with("/api");
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let wants_page = accepted.is_some_and(|kinds| kinds.contains("text/html"));
    let mut response = match app.door.check_place(request.headers(), Visit::of(&request)) {
        Ok(()) => next.run(request).await,
        Err(fault) => fault.into_response(),
    };
    if response.status() == StatusCode::UNAUTHORIZED && wants_page {
        response = token_page();
    }
    let headers = response.headers_mut();
    for (name, value) in SAFE_HEADERS {
        let name = HeaderName::from_static(name);
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

const SAFE_HEADERS: [(&str, &str); 6] = [
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

/// Where a token can be entered. Without a referrer policy of its own, the browser would
/// send the form from nowhere.
fn token_page() -> Response {
    let policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
                  form-action 'self'; frame-ancestors 'none'";
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (StatusCode::UNAUTHORIZED, headers, TOKEN_PAGE).into_response()
}

const TOKEN_PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Ghostpad: token</title>
  <link rel="icon" href="/assets/ghost.svg" type="image/svg+xml">
  <link rel="stylesheet" href="/assets/app.css">
</head>
<body>
  <main class="token">
    <h1>Ghostpad</h1>
    <form class="stack" method="post" action="/login">
      <label for="token">This server asks for a token</label>
      <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
      <button class="primary">Open</button>
    </form>
    <p>The program has printed a link with the token when it started.</p>
  </main>
</body>
</html>
"#;

/// Where programs may come in with tokens of their own.
fn is_for_programs(path: &str) -> bool {
    path.starts_with("/api/call/") || !path.starts_with("/api")
}

/// For the API: an owner, who does not ask too often, and JSON where something changes. A
/// program gets no further than to the tools, so that it never answers its own questions.
pub(crate) async fn owner(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Answer<Response> {
    let caller = app.door.caller(request.headers())?;
    if caller.is_program() && !is_for_programs(request.uri().path()) {
        return Err(Fault::for_programs());
    }
    if !app.rate.take(&caller.name, Instant::now()) {
        return Err(Fault::too_many("too many requests at once"));
    }
    // Other methods that change something are never sent unasked by a foreign page.
    if request.method() == Method::POST && !says_json(request.headers()) {
        return Err(Fault::not_json());
    }
    request.extensions_mut().insert(Owner(caller.owner.clone()));
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

fn says_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    kind.and_then(|kind| kind.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

#[derive(Deserialize)]
pub(crate) struct Login {
    token: String,
}

/// The link that is printed once: it gives the browser a cookie and leads to the page.
pub(crate) async fn login(State(app): State<App>, Query(login): Query<Login>) -> Answer<Response> {
    let_in(&app, &login)
}

/// The same from the page where a token is entered.
pub(crate) async fn login_by_form(State(app): State<App>, form: String) -> Answer<Response> {
    let unreadable = || Fault::bad_request("the form cannot be read", "give `token`");
    // A form is spelt like the query of an address.
    let address = format!("/?{form}").parse().map_err(|_| unreadable())?;
    let Query(login) = Query::try_from_uri(&address).map_err(|_| unreadable())?;
    let_in(&app, &login)
}

fn let_in(app: &App, Login { token }: &Login) -> Answer<Response> {
    if !app.rate.take("", Instant::now()) {
        return Err(Fault::too_many("too many attempts"));
    }
    let token = token.trim();
    app.door.tokens.owner_of_bearer(token).ok_or_else(Fault::no_token)?;
    let held = cookie(token);
    let cookie = format!("{COOKIE}={held}; Path=/; HttpOnly; SameSite=Lax; Max-Age=31536000");
    let to = [(header::LOCATION, "/".to_owned()), (header::SET_COOKIE, cookie)];
    Ok((StatusCode::SEE_OTHER, to).into_response())
}

#[cfg(test)]
mod tests;
