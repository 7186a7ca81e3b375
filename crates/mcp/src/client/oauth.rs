//! Tokens for servers that want a login (OAuth 2.1, as MCP asks for it).
//!
//! In: how a server may be logged in to ([`OAuth`]) and what a person agreed to ([`Login`]).
//! Out: a manager that puts a token on each request, and gets a new one when it expires.
//!
//! Must hold: a token is kept in a file of its owner alone, goes to the server it was given
//! for and nowhere else, and is in no message, log or `Debug`.

mod login;
mod login_file;
mod redirect;
mod refusal;

use std::net::IpAddr;
use std::time::Duration;

use contract::Secret;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, ClientCredentialsConfig,
    OAuthClientConfig,
};

pub use login::{Login, LoginFault};
pub use login_file::{LoginFile, LoginState};
pub use redirect::Redirect;
pub(super) use refusal::{refusal_at_start, refusal_of};

/// How a token for a server is got.
#[derive(Clone)]
pub struct OAuth {
    pub grant: Grant,
    /// Known to the server beforehand, or the address of a document that describes us;
    /// without it we register.
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// What to ask for; without any, what the server names.
    pub scopes: Vec<String>,
    /// Where the browser comes back to on this machine, if the server wants it fixed.
    pub redirect_port: Option<u16>,
    /// May the server send us to addresses of a private network to log in?
    pub private_network: bool,
    pub file: LoginFile,
}

/// Who agrees that we may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// A person in a browser.
    Person,
    /// Nobody: the client's own id and secret do.
    Program,
}

const CONNECT_MAX: Duration = Duration::from_secs(30);
const REDIRECTS_MAX: usize = 5;

impl OAuth {
    /// A manager that knows what was agreed to, and gets a token by itself if it may.
    pub(super) async fn manager(&self, url: &str) -> Result<AuthorizationManager, AuthError> {
        let mut manager = self.new_manager(url).await?;
        let _lock = match self.grant {
            Grant::Person => None,
            Grant::Program => Some(self.file.lock().await?),
        };
        if self.file.read()?.is_some_and(|kept| kept.credentials.is_some()) {
            let metadata = discover(&manager, None).await?;
            manager.set_metadata(metadata);
        }
        let known = manager.initialize_from_store().await?;
        match self.grant {
            Grant::Person if known => self.identify(&mut manager)?,
            Grant::Person => {}
            Grant::Program if known && self.file.state() == LoginState::Good => {}
            Grant::Program => self.exchange(&mut manager, url).await?,
        }
        Ok(manager)
    }

    /// A new token in place of one that the server refuses.
    pub(super) async fn renew(&self, url: &str) -> Result<(), AuthError> {
        self.manager(url).await?.refresh_token().await.map(|_| ())
    }

    /// A manager that knows nothing yet. Where a server sends us is looked at before we go.
    async fn new_manager(&self, url: &str) -> Result<AuthorizationManager, AuthError> {
        let mut manager = match self.private_network {
            true => AuthorizationManager::new_allowing_private_addresses(url).await?,
            false => AuthorizationManager::new(url).await?,
        };
        manager.set_credential_store(self.file.clone());
        Ok(manager)
    }

    /// A client with a secret must show it when it gets a new token.
    fn identify(&self, manager: &mut AuthorizationManager) -> Result<(), AuthError> {
        let (id, kept) = self.file.client()?;
        let given = self.client_secret.as_ref().map(|secret| secret.expose().to_owned());
        let (Some(id), Some(secret)) = (id, kept.or(given)) else { return Ok(()) };
        // No browser comes back in a refresh, so the address of the redirect is of no use.
        let client = OAuthClientConfig::new(id, "http://127.0.0.1/callback");
        manager.configure_client(client.with_client_secret(secret))
    }

    /// The client's own id and secret for a token.
    pub(super) async fn exchange(
        &self,
        manager: &mut AuthorizationManager,
        url: &str,
    ) -> Result<(), AuthError> {
        let (Some(id), Some(secret)) = (&self.client_id, &self.client_secret) else {
            let what = "`client_id` and `client_secret_env` are needed".to_owned();
            return Err(AuthError::ClientCredentialsError(what));
        };
        let metadata = discover(manager, None).await?;
        manager.set_metadata(metadata);
        let scopes = self.scopes(manager).await?;
        let credentials = ClientCredentialsConfig::ClientSecret {
            client_id: id.clone(),
            client_secret: secret.expose().to_owned(),
            scopes,
            resource: Some(url.to_owned()),
        };
        manager.validate_client_credentials_metadata(&credentials)?;
        manager.configure_client_credentials(&credentials)?;
        manager.exchange_client_credentials(&credentials).await.map(|_| ())
    }

    /// What to ask for: what the settings or the server say, and what it wanted more since.
    async fn scopes(&self, manager: &AuthorizationManager) -> Result<Vec<String>, AuthError> {
        let mut scopes = match self.scopes.is_empty() {
            true => manager.select_initial_scopes(&[]).await,
            false => self.scopes.clone(),
        };
        let kept = self.file.read()?.unwrap_or_default();
        if !kept.wanted_scopes.is_empty() {
            let granted = kept.credentials.map(|kept| kept.granted_scopes).unwrap_or_default();
            for scope in granted.into_iter().chain(kept.wanted_scopes) {
                if !scopes.contains(&scope) {
                    scopes.push(scope);
                }
            }
        }
        Ok(scopes)
    }
}

/// Who gives tokens for a server, and where; nothing of it may be read on the way.
async fn discover(
    manager: &AuthorizationManager,
    challenge: Option<&str>,
) -> Result<AuthorizationMetadata, AuthError> {
    let found = manager.resolve_metadata_from_challenge(challenge).await?;
    if !found.source.is_discovered() {
        return Err(AuthError::NoAuthorizationSupport);
    }
    let metadata = found.metadata;
    let places = [&metadata.authorization_endpoint, &metadata.token_endpoint];
    for place in places.into_iter().chain(&metadata.registration_endpoint) {
        if !keeps_tokens_private(place) {
            return Err(AuthError::MetadataError(format!("`{place}` has no https")));
        }
    }
    Ok(metadata)
}

/// May a token go to this address? Not where others on the way can read it.
pub fn keeps_tokens_private(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let here = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    url.scheme() == "https" || (url.scheme() == "http" && (here || host == "localhost"))
}

/// A client whose requests carry tokens: it follows no redirect to another place.
pub(super) fn http_client() -> Result<reqwest::Client, reqwest::Error> {
    let policy = reqwest::redirect::Policy::custom(|attempt| {
        let start = attempt.previous().first().map(reqwest::Url::origin);
        let same_place = start.is_some_and(|start| start == attempt.url().origin());
        let same_body = matches!(attempt.status().as_u16(), 307 | 308);
        match same_place && same_body && attempt.previous().len() <= REDIRECTS_MAX {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    });
    // A connection that the server has just closed would cost the call that is sent on it.
    let client = reqwest::Client::builder().pool_max_idle_per_host(0);
    client.redirect(policy).connect_timeout(CONNECT_MAX).build()
}

#[cfg(test)]
mod tests;
