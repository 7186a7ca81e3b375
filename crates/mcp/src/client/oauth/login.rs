//! An interactive login: the link that a person follows, and the redirect that completes it.

use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, InMemoryStateStore, OAuthClientConfig,
    StateStore,
};
use serde_json::Value;

use super::{Grant, LoginStore, OAuth, discover};
use crate::client::connection::fault::ConnectionFault;
use crate::client::connection::transport;
use crate::client::sanitize::sanitize;
use crate::client::server_config::{Endpoint, ServerConfig};

/// A login that waits for a person.
pub struct Login {
    manager: AuthorizationManager,
    link: String,
    /// To compare the `state` of the redirect with.
    states: InMemoryStateStore,
    store: LoginStore,
    client_secret: Option<String>,
}

/// Why a login failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginFault {
    #[error("its settings have no `auth = \"oauth\"`")]
    NotConfigured,
    #[error("found no login at the server")]
    NoneOffered,
    #[error(
        "it refuses automatic registration ({0}); create a client there and set its `client_id`"
    )]
    NotRegistered(String),
    #[error(
        "its login does not announce PKCE with `S256` in `code_challenge_methods_supported`, so the \
         authorization code could be stolen"
    )]
    NoPkce,
    #[error("the login was refused: {0}")]
    Refused(String),
    #[error("the login failed: {0}")]
    Failed(String),
    #[error("{0}")]
    Unreachable(ConnectionFault),
}

const MESSAGE_CHARS_MAX: usize = 500;
const CLIENT_NAME: &str = "Ghosthand";

impl Login {
    /// Prepares a login whose browser returns to `redirect`.
    pub async fn begin(config: &ServerConfig, redirect: &str) -> Result<Self, LoginFault> {
        let (url, oauth) = settings(config)?;
        transport::provide_tls();
        let challenge = transport::challenge(config).await.map_err(LoginFault::Unreachable)?;
        let mut manager = oauth.new_manager(url).await?;
        let states = InMemoryStateStore::new();
        manager.set_state_store(states.clone());
        let metadata = discover(&manager, challenge.as_deref()).await?;
        // MCP requires PKCE. A server that does not announce it may ignore the challenge
        // unnoticed.
        let methods = metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
        if !methods.iter().any(|method| method == "S256") {
            return Err(LoginFault::NoPkce);
        }
        let flag = metadata.additional_fields.get("client_id_metadata_document_supported");
        let takes_documents = flag == Some(&Value::Bool(true));
        manager.set_metadata(metadata);
        let scopes = oauth.scopes(&manager).await?;
        let scopes: Vec<_> = scopes.iter().map(String::as_str).collect();
        let client_secret = match oauth.client_id.as_ref() {
            Some(id) if takes_documents || !id.starts_with("https://") => {
                manager.configure_client(known_client(id, oauth, redirect))?;
                None
            }
            // The secret from the registration is needed for every renewal.
            Some(_) | None => {
                let client = manager.register_client(CLIENT_NAME, redirect, &scopes).await?;
                client.client_secret
            }
        };
        let link = manager.get_authorization_url(&scopes).await?;
        Ok(Self { manager, link, states, store: oauth.store.clone(), client_secret })
    }

    /// The URL where the person grants access.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// The `state` that the redirect must carry.
    pub fn state(&self) -> Option<String> {
        let query = self.link.split_once('?')?.1;
        // The server's URL may have parameters; ours come last.
        query.rsplit('&').find_map(|pair| pair.strip_prefix("state=")).map(str::to_owned)
    }

    /// Exchanges the redirect for tokens and stores them.
    pub async fn finish(self, redirect_url: &str) -> Result<(), LoginFault> {
        if let Some(why) = refusal(redirect_url) {
            return Err(LoginFault::Refused(sanitize(&why, MESSAGE_CHARS_MAX)));
        }
        let callback = AuthorizationCallback::from_redirect_url(redirect_url)?;
        let AuthorizationCallback { code, csrf_token, issuer, .. } = callback;
        let _lock = self.store.lock().await?;
        let state = self.states.load(&csrf_token).await?;
        let exchange = || {
            self.manager.exchange_code_for_token_with_issuer(&code, &csrf_token, issuer.as_deref())
        };
        let mut exchanged = exchange().await;
        if let (true, Some(state)) = (is_closed_connection(&exchanged), state) {
            self.states.save(&csrf_token, state).await?;
            exchanged = exchange().await;
        }
        exchanged?;
        let client_secret = self.client_secret;
        let finished = self.store.change(|stored| {
            stored.client_secret = client_secret;
            stored.wanted_scopes.clear();
        });
        Ok(finished.await?)
    }

    /// Logs in with the client's own id and secret.
    pub async fn with_client_credentials(config: &ServerConfig) -> Result<(), LoginFault> {
        let (url, oauth) = settings(config)?;
        transport::provide_tls();
        let mut manager = oauth.new_manager(url).await?;
        let _lock = oauth.store.lock().await?;
        Ok(oauth.exchange(&mut manager, url).await?)
    }

    /// Who has to grant access.
    pub fn grant(config: &ServerConfig) -> Result<Grant, LoginFault> {
        settings(config).map(|(_, oauth)| oauth.grant)
    }
}

fn settings(config: &ServerConfig) -> Result<(&str, &OAuth), LoginFault> {
    match &config.endpoint {
        Endpoint::Http { url, oauth: Some(oauth), .. } => Ok((url, oauth)),
        Endpoint::Http { oauth: None, .. } | Endpoint::Program(_) => Err(LoginFault::NotConfigured),
    }
}

/// A registered client, or one with a metadata document.
fn known_client(id: &str, oauth: &OAuth, redirect: &str) -> OAuthClientConfig {
    let client = OAuthClientConfig::new(id, redirect);
    match &oauth.client_secret {
        Some(secret) => client.with_client_secret(secret.expose()),
        None => client,
    }
}

/// A server may close the connection while the person decides; the next request notices it.
fn is_closed_connection<T>(exchanged: &Result<T, AuthError>) -> bool {
    matches!(exchanged, Err(AuthError::TokenExchangeFailed(why)) if why.starts_with("Request failed"))
}

/// The error that the server put into the redirect, if any.
fn refusal(redirect_url: &str) -> Option<String> {
    let url = reqwest::Url::parse(redirect_url).ok()?;
    let find = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, text)| text);
    let error = find("error")?;
    let more = find("error_description").map(|text| format!(": {text}")).unwrap_or_default();
    Some(format!("{error}{more}"))
}

impl From<AuthError> for LoginFault {
    fn from(fault: AuthError) -> Self {
        if let AuthError::NoAuthorizationSupport = fault {
            return Self::NoneOffered;
        }
        if let AuthError::RegistrationFailed(why) = fault {
            return Self::NotRegistered(sanitize(&why, MESSAGE_CHARS_MAX));
        }
        Self::Failed(sanitize(&fault.to_string(), MESSAGE_CHARS_MAX))
    }
}
