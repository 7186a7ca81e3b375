//! Tokens for servers that require a login (OAuth 2.1 as MCP specifies it).
//!
//! In: the login settings of a server ([`OAuth`]) and a person's consent ([`Login`]). Out: a
//! manager that adds a token to each request and renews it when it expires.
//!
//! Must hold: a token is kept where only its owner can read it, is sent only to the server it
//! was issued for, and never appears in a message, log or `Debug`.

mod login;
mod login_file;
mod login_store;
mod redirect;
mod refusal;
mod stored_login;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use addresses::AddressGuard;
use contract::Secret;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, ClientCredentialsConfig,
    OAuthClientConfig,
};

pub use login::{Login, LoginFault};
pub use login_file::LoginFile;
pub use login_store::{KeeperLock, KeepsLogin, KeptLogin, LoginStore};
pub use redirect::Redirect;
pub(crate) use refusal::{refusal_at_start, refusal_of};
pub use stored_login::LoginState;

/// How to get a token for a server.
#[derive(Clone)]
pub struct OAuth {
    pub grant: Grant,
    /// A registered client id, or the URL of a client metadata document; without one we register
    /// dynamically.
    pub client_id: Option<String>,
    pub client_secret: Option<Secret>,
    /// The scopes to request; if empty, those that the server names.
    pub scopes: Vec<String>,
    /// A fixed local port for the redirect, if the server needs one.
    pub redirect_port: Option<u16>,
    /// Whether the server may send us to private addresses to log in.
    pub private_network: bool,
    pub store: LoginStore,
}

/// Who grants access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// A person in a browser.
    Person,
    /// The client's own id and secret.
    Program,
}

const CONNECT_MAX: Duration = Duration::from_secs(30);
const REDIRECTS_MAX: usize = 5;

impl OAuth {
    /// A manager with the stored login. Requests a token if no person is needed for it.
    pub(crate) async fn manager(&self, url: &str) -> Result<AuthorizationManager, AuthError> {
        let mut manager = self.new_manager(url).await?;
        let _lock = match self.grant {
            Grant::Person => None,
            Grant::Program => Some(self.store.lock().await?),
        };
        if self.store.read().await?.is_some_and(|stored| stored.credentials.is_some()) {
            let metadata = discover(&manager, None).await?;
            manager.set_metadata(metadata);
        }
        let known = manager.initialize_from_store().await?;
        match self.grant {
            Grant::Person if known => self.identify(&mut manager).await?,
            Grant::Person => {}
            Grant::Program if known && self.store.state().await == LoginState::Good => {}
            Grant::Program => self.exchange(&mut manager, url).await?,
        }
        Ok(manager)
    }

    /// Replaces a token that the server refuses.
    pub(crate) async fn renew(&self, url: &str) -> Result<(), AuthError> {
        self.manager(url).await?.refresh_token().await.map(|_| ())
    }

    /// An empty manager. It checks the addresses that a server sends us to before it connects.
    async fn new_manager(&self, url: &str) -> Result<AuthorizationManager, AuthError> {
        let mut manager = match self.private_network {
            true => AuthorizationManager::new_allowing_private_addresses(url).await?,
            false => AuthorizationManager::new(url).await?,
        };
        manager.set_credential_store(self.store.clone());
        Ok(manager)
    }

    /// A confidential client authenticates when it renews a token.
    async fn identify(&self, manager: &mut AuthorizationManager) -> Result<(), AuthError> {
        let (id, stored) = self.store.client().await?;
        let configured = self.client_secret.as_ref().map(|secret| secret.expose().to_owned());
        let (Some(id), Some(secret)) = (id, stored.or(configured)) else { return Ok(()) };
        // A refresh does not use the redirect URI.
        let client = OAuthClientConfig::new(id, "http://127.0.0.1/callback");
        manager.configure_client(client.with_client_secret(secret))
    }

    /// Gets a token with the client's id and secret.
    pub(crate) async fn exchange(
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

    /// The scopes to request: from the settings or the server, plus those that the server asked
    /// for since.
    async fn scopes(&self, manager: &AuthorizationManager) -> Result<Vec<String>, AuthError> {
        let mut scopes = match self.scopes.is_empty() {
            true => manager.select_initial_scopes(&[]).await,
            false => self.scopes.clone(),
        };
        let stored = self.store.read().await?.unwrap_or_default();
        if !stored.wanted_scopes.is_empty() {
            let granted =
                stored.credentials.map(|stored| stored.granted_scopes).unwrap_or_default();
            for scope in granted.into_iter().chain(stored.wanted_scopes) {
                if !scopes.contains(&scope) {
                    scopes.push(scope);
                }
            }
        }
        Ok(scopes)
    }
}

/// Finds the authorization server; all its endpoints must be confidential.
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
            return Err(AuthError::MetadataError(format!("`{place}` does not use https")));
        }
    }
    Ok(metadata)
}

/// Whether tokens sent to this URL stay confidential.
pub fn keeps_tokens_private(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default();
    let here = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    url.scheme() == "https" || (url.scheme() == "http" && (here || host == "localhost"))
}

/// An HTTP client for requests with tokens; it does not follow redirects to another origin. With
/// a guard it connects only to addresses that the guard allows.
pub(crate) fn http_client(
    url: &str,
    guard: Option<&AddressGuard>,
) -> Result<reqwest::Client, String> {
    let policy = reqwest::redirect::Policy::custom(|attempt| {
        let start = attempt.previous().first().map(reqwest::Url::origin);
        let same_place = start.is_some_and(|start| start == attempt.url().origin());
        let same_body = matches!(attempt.status().as_u16(), 307 | 308);
        match same_place && same_body && attempt.previous().len() <= REDIRECTS_MAX {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    });
    // A pooled connection that the server has just closed would fail the call.
    let client = reqwest::Client::builder().pool_max_idle_per_host(0);
    let mut client = client.redirect(policy).connect_timeout(CONNECT_MAX);
    if let Some(guard) = guard {
        let host = reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        guard.check_literal(host.as_deref().unwrap_or_default()).map_err(|bad| bad.to_string())?;
        // A proxy would resolve the name itself.
        client = client.no_proxy().dns_resolver(Arc::new(Guarded(guard.clone())));
    }
    client.build().map_err(|fault| fault.to_string())
}

/// Resolves names for a client; it connects only to what is answered.
struct Guarded(AddressGuard);

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.0.clone();
        Box::pin(async move {
            let found = guard.resolve(name.as_str()).await?;
            let places = found.into_iter().map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(places) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests;
