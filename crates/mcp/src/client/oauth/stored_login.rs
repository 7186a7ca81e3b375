//! What is stored of a login, wherever it is kept.

use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::auth::StoredCredentials;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether a call can be attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginState {
    /// There is a token, or it can be renewed.
    Good,
    Needed,
}

/// The tokens of one login, and the client that they were issued to.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoredLogin {
    format: u32,
    server: String,
    /// From the dynamic registration.
    pub client_secret: Option<String>,
    pub credentials: Option<StoredCredentials>,
    /// Scopes that the server asked for beyond the granted ones.
    #[serde(default)]
    pub wanted_scopes: Vec<String>,
}

/// A login that cannot be read. Without the parser's message, which would quote secrets.
pub(crate) struct Damaged;

const FORMAT: u32 = 1;
const SCOPES_MAX: usize = 64;
/// A token that expires sooner is renewed first.
const EXPIRY_MARGIN_S: u64 = 30;

impl StoredLogin {
    /// Reads a login; none if it is for another server.
    pub(crate) fn parse(bytes: &[u8], server: &str) -> Result<Option<Self>, Damaged> {
        let stored: Self = serde_json::from_slice(bytes).map_err(|_| Damaged)?;
        Ok((stored.format == FORMAT && stored.server == server).then_some(stored))
    }

    /// Names the server that the tokens are for.
    pub(crate) fn belongs_to(&mut self, server: &str) {
        (self.format, self.server) = (FORMAT, server.to_owned());
    }

    pub(crate) fn state(&self) -> LoginState {
        let credentials = self.credentials.as_ref();
        let Some(token) = credentials.and_then(|stored| stored.token_response.as_ref()) else {
            return LoginState::Needed;
        };
        let token = serde_json::to_value(token).unwrap_or_default();
        let received = credentials.and_then(|stored| stored.token_received_at);
        let lasts = token.get("expires_in").and_then(Value::as_u64);
        let is_over = received.zip(lasts).is_some_and(|(from, lasts)| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            from.saturating_add(lasts) < now.saturating_add(EXPIRY_MARGIN_S)
        });
        match is_over && token.get("refresh_token").is_none_or(Value::is_null) {
            true => LoginState::Needed,
            false => LoginState::Good,
        }
    }

    /// Remembers the scopes that the server asks for, for the next login.
    pub(crate) fn want(&mut self, scope: &str) {
        for scope in scope.split_whitespace().take(SCOPES_MAX) {
            if !self.wanted_scopes.iter().any(|wanted| wanted == scope) {
                self.wanted_scopes.push(scope.to_owned());
            }
        }
        self.wanted_scopes.truncate(SCOPES_MAX);
    }

    /// Drops tokens that were rejected, unless somebody has logged in again meanwhile.
    pub(crate) fn drop_if(&mut self, rejected: &StoredCredentials) {
        let text = |credentials: &StoredCredentials| serde_json::to_value(credentials).ok();
        if self.credentials.as_ref().and_then(text) == text(rejected) {
            self.credentials = None;
        }
    }
}
