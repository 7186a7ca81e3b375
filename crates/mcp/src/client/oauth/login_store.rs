//! Where a login is kept: in a file of the user, or by whoever embeds the client.
//!
//! Must hold: a login is read and written under its lock, so that a token is renewed once.

use std::fs::File;
use std::sync::Arc;

use async_trait::async_trait;
use contract::Secret;
use policy::BoxFuture;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::login_file::LoginFile;
use super::stored_login::{LoginState, StoredLogin};

/// The place of one login. Clones share it.
#[derive(Clone)]
pub enum LoginStore {
    File(LoginFile),
    Kept(KeptLogin),
}

/// Keeps the text of one login, which has secrets in it. A failure is told in words without
/// them.
pub trait KeepsLogin: Send + Sync {
    fn read(&self) -> BoxFuture<'_, Result<Option<Secret>, String>>;
    /// Replaces it; none deletes it. Returns whether there was one.
    fn write(&self, login: Option<Secret>) -> BoxFuture<'_, Result<bool, String>>;
    /// Waits until no other process changes it; dropping what it gives ends that. Two servers that
    /// renewed a token at once would make it useless for both.
    fn lock(&self) -> BoxFuture<'_, Result<KeeperLock, String>>;
}

/// Held while a login is changed.
pub type KeeperLock = Box<dyn std::any::Any + Send + Sync>;

/// A login that somebody else keeps.
#[derive(Clone)]
pub struct KeptLogin {
    keeper: Arc<dyn KeepsLogin>,
    /// The URL that the tokens are for.
    server: String,
    lock: Arc<Mutex<()>>,
}

/// Held while a login is changed.
pub(crate) enum LoginGuard {
    File(#[expect(dead_code, reason = "the file is locked until it is closed")] File),
    Kept(#[expect(dead_code, reason = "as above")] KeptGuard),
}

/// First of other processes, then of other tasks.
pub(crate) struct KeptGuard {
    #[expect(dead_code, reason = "held until it is dropped")]
    processes: KeeperLock,
    #[expect(dead_code, reason = "as above")]
    tasks: OwnedMutexGuard<()>,
}

impl KeptLogin {
    pub fn new(keeper: Arc<dyn KeepsLogin>, server: &str) -> Self {
        Self { keeper, server: server.to_owned(), lock: Arc::default() }
    }

    async fn read(&self) -> Result<Option<StoredLogin>, AuthError> {
        let text = self.keeper.read().await.map_err(AuthError::CredentialStoreError)?;
        let Some(text) = text else { return Ok(None) };
        let damaged = |_| AuthError::CredentialStoreError("the login is damaged".to_owned());
        StoredLogin::parse(text.expose().as_bytes(), &self.server).map_err(damaged)
    }

    async fn lock(&self) -> Result<KeptGuard, String> {
        let tasks = Arc::clone(&self.lock).lock_owned().await;
        Ok(KeptGuard { processes: self.keeper.lock().await?, tasks })
    }

    async fn change(&self, how: impl FnOnce(&mut StoredLogin)) -> Result<(), AuthError> {
        let mut stored = self.read().await?.unwrap_or_default();
        how(&mut stored);
        stored.belongs_to(&self.server);
        let text = serde_json::to_string(&stored)
            .map_err(|_| AuthError::CredentialStoreError("the login has no text".to_owned()))?;
        let written = self.keeper.write(Some(Secret::new(text))).await;
        written.map(|_| ()).map_err(AuthError::CredentialStoreError)
    }
}

impl LoginStore {
    pub async fn state(&self) -> LoginState {
        match self {
            Self::File(file) => file.state(),
            Self::Kept(kept) => match kept.read().await {
                Ok(Some(stored)) => stored.state(),
                Ok(None) | Err(_) => LoginState::Needed,
            },
        }
    }

    /// Deletes the login, after any renewal in progress. Returns whether there was one.
    pub async fn log_out(&self) -> std::io::Result<bool> {
        match self {
            Self::File(file) => file.log_out().await,
            Self::Kept(kept) => {
                let _lock = kept.lock().await.map_err(std::io::Error::other)?;
                kept.keeper.write(None).await.map_err(std::io::Error::other)
            }
        }
    }

    pub(crate) async fn lock(&self) -> Result<LoginGuard, AuthError> {
        Ok(match self {
            Self::File(file) => LoginGuard::File(file.lock().await?),
            Self::Kept(kept) => {
                LoginGuard::Kept(kept.lock().await.map_err(AuthError::CredentialStoreError)?)
            }
        })
    }

    pub(crate) async fn read(&self) -> Result<Option<StoredLogin>, AuthError> {
        match self {
            Self::File(file) => file.read(),
            Self::Kept(kept) => kept.read().await,
        }
    }

    /// Changes the login. The caller holds the lock.
    pub(crate) async fn change(
        &self,
        how: impl FnOnce(&mut StoredLogin) + Send,
    ) -> Result<(), AuthError> {
        match self {
            Self::File(file) => file.change(how),
            Self::Kept(kept) => kept.change(how).await,
        }
    }

    /// Deletes only the tokens.
    pub(crate) async fn drop_tokens(&self) -> Result<(), AuthError> {
        let _lock = self.lock().await?;
        self.change(|stored| stored.credentials = None).await
    }

    /// Stores the scopes that the server asks for, for the next login.
    pub(crate) async fn want(&self, scope: &str) -> Result<(), AuthError> {
        let _lock = self.lock().await?;
        self.change(|stored| stored.want(scope)).await
    }

    /// The client that the tokens were issued to, and its secret.
    pub(crate) async fn client(&self) -> Result<(Option<String>, Option<String>), AuthError> {
        let stored = self.read().await?.unwrap_or_default();
        Ok((stored.credentials.map(|credentials| credentials.client_id), stored.client_secret))
    }
}

#[async_trait]
impl CredentialStore for LoginStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.read().await?.and_then(|stored| stored.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.change(|stored| stored.credentials = Some(credentials)).await
    }

    async fn clear(&self) -> Result<(), AuthError> {
        match self {
            Self::File(file) => file.clear().await,
            Self::Kept(kept) => {
                let cleared = kept.keeper.write(None).await;
                cleared.map(|_| ()).map_err(AuthError::CredentialStoreError)
            }
        }
    }

    async fn on_refresh_token_rejected(
        &self,
        rejected: &StoredCredentials,
    ) -> Result<(), AuthError> {
        self.change(|stored| stored.drop_if(rejected)).await
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        self.lock().await.map(|guard| Some(CredentialRefreshGuard::new(guard)))
    }
}

#[cfg(test)]
mod tests;
