//! Logins of browsers: each has a cookie of its own.
//!
//! Must hold: only the digest of a login is stored; a login is valid for the host and port
//! where it was made, while its token is, for thirty days after its last use, and not after a
//! sign-out. Logins are in the store, so open pages survive a restart.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use contract::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, Pages, Prefix, Store};

use crate::auth::tokens::{Tokens, random_name};
use crate::fault::{Fault, HandlerResult};

pub(crate) struct Logins {
    store: Arc<dyn Store>,
}

/// What is stored of a login.
#[derive(Debug, Serialize, Deserialize)]
struct Login {
    /// The digest of the token that the browser sent.
    token: String,
    /// The `Host` of the request that signed in.
    host: String,
    /// The day of the last use.
    day: u64,
    /// When the browser signed in, in milliseconds since 1970; none before this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begun: Option<u64>,
    /// What the browser called itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    browser: Option<String>,
}

/// A login as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginLine {
    pub id: String,
    /// Whether the request came from this browser.
    pub is_this: bool,
    /// The address by which the browser knows the server.
    pub host: String,
    /// Its `User-Agent`; missing for logins of earlier versions.
    pub browser: Option<String>,
    /// In milliseconds since 1970.
    pub begun: Option<u64>,
    /// The beginning of the day of its last use, in UTC.
    pub last_used: u64,
}

/// The result of checking a cookie.
pub(crate) enum LoginCheck {
    Owner {
        owner: String,
        /// The cookie with a later expiry.
        renewed: Option<HeaderValue>,
    },
    Missing,
    Invalid,
}

const LIFE: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const DAY_SECONDS: u64 = 24 * 60 * 60;
/// How many characters of a `User-Agent` are kept, and of a login's digest shown.
const BROWSER_CHARS_MAX: usize = 200;
const ID_CHARS: usize = 16;
/// How many logins of an owner are listed.
const LOGINS_MAX: usize = 200;

impl Logins {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// Creates a login for the token with this digest and returns its cookie.
    pub(crate) async fn begin(
        &self,
        token: &str,
        headers: &HeaderMap,
    ) -> HandlerResult<HeaderValue> {
        let held = random_name().map_err(|fault| Fault::ours(&fault))?;
        let held = format!("{held}{}", random_name().map_err(|fault| Fault::ours(&fault))?);
        let (token, host, browser) = (token.to_owned(), host(headers), browser(headers));
        let begun = u64::try_from(jiff::Timestamp::now().as_millisecond()).ok();
        let login = Login { token, host, day: today(), begun, browser };
        self.keep(&held, &login).await?;
        cookie(headers, &held, LIFE)
    }

    /// Checks the cookie of a request.
    pub(crate) async fn who(
        &self,
        headers: &HeaderMap,
        tokens: &Tokens,
    ) -> HandlerResult<LoginCheck> {
        let Some(held) = self.held(headers) else { return Ok(LoginCheck::Missing) };
        let entry = self.store.kv().get(&key(held)?).await?;
        let login = entry.and_then(|entry| entry.value.to::<Login>().ok());
        let Some(mut login) = login.filter(|login| login.host == host(headers)) else {
            return Ok(LoginCheck::Invalid);
        };
        let Some(owner) = tokens.owner_of_digest(&login.token).map(str::to_owned) else {
            return Ok(LoginCheck::Invalid);
        };
        let mut renewed = None;
        if login.day != today() {
            login.day = today();
            self.keep(held, &login).await?;
            renewed = Some(cookie(headers, held, LIFE)?);
        }
        Ok(LoginCheck::Owner { owner, renewed })
    }

    /// Ends the login and returns the cookie that clears the browser's.
    pub(crate) async fn end(&self, headers: &HeaderMap) -> HandlerResult<HeaderValue> {
        if let Some(held) = self.held(headers) {
            self.store.kv().delete(&key(held)?, Expected::Any).await?;
        }
        cookie(headers, "", Duration::ZERO)
    }

    /// The logins of an owner, the newest first.
    pub(crate) async fn list(
        &self,
        owner: &str,
        tokens: &Tokens,
        headers: &HeaderMap,
    ) -> HandlerResult<Vec<LoginLine>> {
        let this = self.held(headers).map(key).transpose()?;
        let line = |(at, login): (Key, Login)| LoginLine {
            id: id_of(&at),
            is_this: this.as_ref() == Some(&at),
            host: login.host,
            browser: login.browser,
            begun: login.begun,
            last_used: login.day * DAY_SECONDS * 1_000,
        };
        let mut lines: Vec<_> = self.of(owner, tokens).await?.into_iter().map(line).collect();
        lines.sort_by_key(|line| std::cmp::Reverse((line.is_this, line.last_used, line.begun)));
        lines.truncate(LOGINS_MAX);
        Ok(lines)
    }

    /// Ends the login with this id, or all logins of the owner; returns how many there were.
    pub(crate) async fn end_of(
        &self,
        owner: &str,
        tokens: &Tokens,
        id: Option<&str>,
    ) -> HandlerResult<usize> {
        let mut count = 0;
        for (at, _) in self.of(owner, tokens).await? {
            if id.is_none_or(|id| id == id_of(&at)) {
                self.store.kv().delete(&at, Expected::Any).await?;
                count += 1;
            }
        }
        Ok(count)
    }

    async fn of(&self, owner: &str, tokens: &Tokens) -> HandlerResult<Vec<(Key, Login)>> {
        let prefix: Prefix = PREFIX.parse()?;
        let (mut found, mut pages) = (Vec::new(), Pages::of(500));
        while let Some(request) = pages.request() {
            for entry in pages.items(self.store.kv().list(&prefix, request).await?) {
                let Ok(login) = entry.value.to::<Login>() else { continue };
                if tokens.owner_of_digest(&login.token) == Some(owner) {
                    found.push((entry.key, login));
                }
            }
        }
        Ok(found)
    }

    /// The browser's cookie for this server.
    pub(crate) fn held<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let name = cookie_name(headers);
        let all = headers.get_all(header::COOKIE).into_iter();
        all.filter_map(|cookies| cookies.to_str().ok())
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|cookie| cookie.trim().split_once('='))
            .find(|(known, _)| *known == name)
            .map(|(_, held)| held)
    }

    async fn keep(&self, held: &str, login: &Login) -> HandlerResult<()> {
        let value = Json::of(login)?;
        self.store.kv().set(&key(held)?, value, Expected::Any, Expiry::After(LIFE)).await?;
        Ok(())
    }
}

/// Browsers send cookies of all ports of a host, so the name contains the port, as the browser
/// knows it: servers behind a proxy share their logins, whatever ports they listen on.
fn cookie_name(headers: &HeaderMap) -> String {
    let host = host(headers);
    match host.rsplit_once(':') {
        Some((_, port)) if !port.ends_with(']') => format!("ghosthand-{port}"),
        Some(_) | None => "ghosthand-site".to_owned(),
    }
}

fn cookie(headers: &HeaderMap, held: &str, life: Duration) -> HandlerResult<HeaderValue> {
    let (name, seconds) = (cookie_name(headers), life.as_secs());
    let cookie = format!("{name}={held}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}");
    HeaderValue::try_from(cookie).map_err(|fault| Fault::ours(&fault))
}

const PREFIX: &str = "login/";

fn key(held: &str) -> HandlerResult<Key> {
    let digest = Digest::of(format!("login\n{held}").as_bytes());
    Ok(format!("{PREFIX}{}", digest.hex(64)).parse()?)
}

/// The beginning of the digest in the key: enough to tell logins apart.
fn id_of(key: &Key) -> String {
    let digest = key.as_str().strip_prefix(PREFIX).unwrap_or_default();
    digest.chars().take(ID_CHARS).collect()
}

fn browser(headers: &HeaderMap) -> Option<String> {
    let name = headers.get(header::USER_AGENT)?.to_str().ok()?;
    Some(name.chars().take(BROWSER_CHARS_MAX).collect())
}

/// The middleware has validated it.
fn host(headers: &HeaderMap) -> String {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    host.unwrap_or_default().to_ascii_lowercase()
}

fn today() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default() / DAY_SECONDS
}
