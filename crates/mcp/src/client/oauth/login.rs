//! A login: the link a person follows, and what comes back.

use rmcp::transport::auth::{
    AuthError, AuthorizationCallback, AuthorizationManager, InMemoryStateStore, OAuthClientConfig,
    StateStore,
};
use serde_json::Value;

use super::{Grant, LoginFile, OAuth, discover};
use crate::import::clean::clean;
use crate::import::connect;
use crate::import::line_fault::LineFault;
use crate::import::neighbour::{Neighbour, Reach};

/// A login that waits for a person.
pub struct Login {
    manager: AuthorizationManager,
    link: String,
    /// What the answer is compared with.
    states: InMemoryStateStore,
    file: LoginFile,
    client_secret: Option<String>,
}

/// Why there is no login.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoginFault {
    #[error("its settings have no `auth = \"oauth\"`")]
    NotConfigured,
    #[error("the server offers no login that could be found")]
    NoneOffered,
    #[error(
        "it does not register us by itself ({0}); make a client there, and write its `client_id`"
    )]
    NotRegistered(String),
    #[error(
        "its login does not say that it checks who asked for a token (PKCE with `S256`, in \
         `code_challenge_methods_supported`), so somebody on the way could take ours"
    )]
    NoPkce,
    #[error("the login was refused: {0}")]
    Refused(String),
    #[error("the login failed: {0}")]
    Failed(String),
    #[error("{0}")]
    Unreachable(LineFault),
}

const MESSAGE_CHARS_MAX: usize = 500;
const CLIENT_NAME: &str = "Ghosthand";

impl Login {
    /// Finds out where one logs in; the browser is to come back to `redirect`.
    pub async fn begin(neighbour: &Neighbour, redirect: &str) -> Result<Self, LoginFault> {
        let (url, oauth) = settings(neighbour)?;
        connect::provide_tls();
        let challenge = connect::challenge(neighbour).await.map_err(LoginFault::Unreachable)?;
        let mut manager = oauth.new_manager(url).await?;
        let states = InMemoryStateStore::new();
        manager.set_state_store(states.clone());
        let metadata = discover(&manager, challenge.as_deref()).await?;
        // MCP asks for this: who does not say it may not do it, and nobody would notice.
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
            // What registering brings is needed for every new token.
            Some(_) | None => {
                let client = manager.register_client(CLIENT_NAME, redirect, &scopes).await?;
                client.client_secret
            }
        };
        let link = manager.get_authorization_url(&scopes).await?;
        Ok(Self { manager, link, states, file: oauth.file.clone(), client_secret })
    }

    /// Where the person agrees.
    pub fn link(&self) -> &str {
        &self.link
    }

    /// What the answer must carry, so that nobody else's is taken for it.
    pub fn state(&self) -> Option<String> {
        let query = self.link.split_once('?')?.1;
        // The server's own address may have parameters; ours come after them.
        query.rsplit('&').find_map(|pair| pair.strip_prefix("state=")).map(str::to_owned)
    }

    /// Turns the address that the browser came back to into tokens, and keeps them.
    pub async fn finish(self, came_back_to: &str) -> Result<(), LoginFault> {
        if let Some(why) = refusal(came_back_to) {
            return Err(LoginFault::Refused(clean(&why, MESSAGE_CHARS_MAX)));
        }
        let callback = AuthorizationCallback::from_redirect_url(came_back_to)?;
        let AuthorizationCallback { code, csrf_token, issuer, .. } = callback;
        let _lock = self.file.lock().await?;
        let state = self.states.load(&csrf_token).await?;
        let exchange = || {
            self.manager.exchange_code_for_token_with_issuer(&code, &csrf_token, issuer.as_deref())
        };
        let mut exchanged = exchange().await;
        if let (true, Some(state)) = (is_broken_line(&exchanged), state) {
            self.states.save(&csrf_token, state).await?;
            exchanged = exchange().await;
        }
        exchanged?;
        self.file.change(|kept| {
            kept.client_secret = self.client_secret;
            kept.wanted_scopes.clear();
        })?;
        Ok(())
    }

    /// A login that needs nobody: the client's own id and secret are enough.
    pub async fn by_itself(neighbour: &Neighbour) -> Result<(), LoginFault> {
        let (url, oauth) = settings(neighbour)?;
        connect::provide_tls();
        let mut manager = oauth.new_manager(url).await?;
        let _lock = oauth.file.lock().await?;
        Ok(oauth.exchange(&mut manager, url).await?)
    }

    /// Who has to agree to a login.
    pub fn grant(neighbour: &Neighbour) -> Result<Grant, LoginFault> {
        settings(neighbour).map(|(_, oauth)| oauth.grant)
    }
}

fn settings(neighbour: &Neighbour) -> Result<(&str, &OAuth), LoginFault> {
    match &neighbour.reach {
        Reach::Address { url, oauth: Some(oauth), .. } => Ok((url, oauth)),
        Reach::Address { oauth: None, .. } | Reach::Program(_) => Err(LoginFault::NotConfigured),
    }
}

/// A client that the server knows, or can read about.
fn known_client(id: &str, oauth: &OAuth, redirect: &str) -> OAuthClientConfig {
    let client = OAuthClientConfig::new(id, redirect);
    match &oauth.client_secret {
        Some(secret) => client.with_client_secret(secret.expose()),
        None => client,
    }
}

/// While a person thinks, a server may hang up; that is noticed when one speaks again.
fn is_broken_line<T>(exchanged: &Result<T, AuthError>) -> bool {
    matches!(exchanged, Err(AuthError::TokenExchangeFailed(why)) if why.starts_with("Request failed"))
}

/// What a server answers to somebody it does not let in.
fn refusal(came_back_to: &str) -> Option<String> {
    let url = reqwest::Url::parse(came_back_to).ok()?;
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
            return Self::NotRegistered(clean(&why, MESSAGE_CHARS_MAX));
        }
        Self::Failed(clean(&fault.to_string(), MESSAGE_CHARS_MAX))
    }
}
