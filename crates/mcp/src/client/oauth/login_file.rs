//! The file with the tokens of one login, readable only by its owner.
//!
//! Every process reads it before each request and writes it under a lock, so that all processes
//! share a renewed token.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use contract::Digest;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The login file of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginFile {
    path: PathBuf,
    /// The URL that the tokens are for.
    server: String,
}

/// Whether a call can be attempted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginState {
    /// There is a token, or it can be renewed.
    Good,
    Needed,
}

/// The content of the file.
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

const FORMAT: u32 = 1;
const FILE_BYTES_MAX: u64 = 1 << 20;
const SCOPES_MAX: usize = 64;
/// How long another process may take to renew a token.
const LOCK_MAX: Duration = Duration::from_secs(60);
/// A token that expires sooner is renewed first.
const EXPIRY_MARGIN_S: u64 = 30;

impl LoginFile {
    /// The file of the server with this name and URL.
    pub fn new(folder: &Path, name: &str, server: &str) -> Self {
        let place = Digest::of(server.as_bytes()).hex(16);
        let path = folder.join(format!("{name}-{place}.json"));
        Self { path, server: server.to_owned() }
    }

    pub fn state(&self) -> LoginState {
        let credentials = self.read().ok().flatten().and_then(|stored| stored.credentials);
        let Some(token) = credentials.as_ref().and_then(|stored| stored.token_response.as_ref())
        else {
            return LoginState::Needed;
        };
        let token = serde_json::to_value(token).unwrap_or_default();
        let received = credentials.as_ref().and_then(|stored| stored.token_received_at);
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

    /// Deletes the login, after any renewal in progress. Returns whether there was one.
    pub async fn log_out(&self) -> io::Result<bool> {
        let _lock = self.lock().await.map_err(io::Error::other)?;
        self.forget()
    }

    fn forget(&self) -> io::Result<bool> {
        match std::fs::remove_file(&self.path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes only the tokens.
    pub(crate) async fn drop_tokens(&self) -> Result<(), AuthError> {
        let _lock = self.lock().await?;
        self.change(|stored| stored.credentials = None)
    }

    /// The client that the tokens were issued to, and its secret.
    pub(crate) fn client(&self) -> Result<(Option<String>, Option<String>), AuthError> {
        let stored = self.read()?.unwrap_or_default();
        Ok((stored.credentials.map(|credentials| credentials.client_id), stored.client_secret))
    }

    /// Stores the scopes that the server asks for, for the next login.
    pub(crate) async fn want(&self, scope: &str) -> Result<(), AuthError> {
        let _lock = self.lock().await?;
        self.change(|stored| {
            for scope in scope.split_whitespace().take(SCOPES_MAX) {
                if !stored.wanted_scopes.iter().any(|wanted| wanted == scope) {
                    stored.wanted_scopes.push(scope.to_owned());
                }
            }
            stored.wanted_scopes.truncate(SCOPES_MAX);
        })
    }

    pub(crate) fn read(&self) -> Result<Option<StoredLogin>, AuthError> {
        let bad = |why: &str| AuthError::CredentialStoreError(format!("{}: {why}", self.shown()));
        let unreadable = |error: io::Error| bad(&error.to_string());
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(unreadable)?,
        };
        if is_open_to_others(&file).map_err(unreadable)? {
            return Err(bad("others can read it; remove it and log in again"));
        }
        let bytes = files::read_bounded(file, FILE_BYTES_MAX)
            .map_err(|fault| bad(&format!("{fault}; remove it and log in again")))?;
        // The file is created empty before it is written.
        if bytes.is_empty() {
            return Ok(None);
        }
        // The parser's message would quote secrets.
        let stored: StoredLogin =
            serde_json::from_slice(&bytes).map_err(|_| bad("it is damaged"))?;
        Ok((stored.format == FORMAT && stored.server == self.server).then_some(stored))
    }

    /// Changes the content atomically. The caller holds the lock.
    pub(crate) fn change(&self, how: impl FnOnce(&mut StoredLogin)) -> Result<(), AuthError> {
        let mut stored = self.read()?.unwrap_or_default();
        (stored.format, stored.server) = (FORMAT, self.server.clone());
        how(&mut stored);
        let written =
            serde_json::to_vec_pretty(&stored).map_err(io::Error::from).and_then(|bytes| {
                make_private_folder(&self.path)?;
                // A replacement inherits the permissions of the file that it replaces.
                private(OpenOptions::new().create(true).append(true)).open(&self.path)?;
                files::write_atomically(&self.path, &bytes)
            });
        written.map_err(|error| {
            AuthError::CredentialStoreError(format!("{} was not written: {error}", self.shown()))
        })
    }

    /// A lock between processes.
    pub(crate) async fn lock(&self) -> Result<File, AuthError> {
        let path = self.path.with_extension("lock");
        let locked = tokio::task::spawn_blocking(move || {
            make_private_folder(&path)?;
            let file = private(OpenOptions::new().create(true).append(true)).open(path)?;
            file.lock()?;
            Ok::<_, io::Error>(file)
        });
        let failed = |why: String| AuthError::CredentialStoreError(format!("no lock: {why}"));
        match tokio::time::timeout(LOCK_MAX, locked).await {
            Ok(Ok(Ok(file))) => Ok(file),
            Ok(Ok(Err(error))) => Err(failed(error.to_string())),
            Ok(Err(error)) => Err(failed(error.to_string())),
            Err(_) => Err(failed("another process holds it".to_owned())),
        }
    }

    fn shown(&self) -> String {
        format!("`{}`", self.path.display())
    }
}

#[async_trait]
impl CredentialStore for LoginFile {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.read()?.and_then(|stored| stored.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.change(|stored| stored.credentials = Some(credentials))
    }

    async fn clear(&self) -> Result<(), AuthError> {
        let failed = |error: io::Error| AuthError::CredentialStoreError(error.to_string());
        self.forget().map(|_| ()).map_err(failed)
    }

    async fn on_refresh_token_rejected(
        &self,
        rejected: &StoredCredentials,
    ) -> Result<(), AuthError> {
        let text = |credentials: &StoredCredentials| serde_json::to_value(credentials).ok();
        self.change(|stored| {
            // Somebody may have logged in again meanwhile.
            if stored.credentials.as_ref().and_then(text) == text(rejected) {
                stored.credentials = None;
            }
        })
    }

    async fn acquire_refresh_guard(&self) -> Result<Option<CredentialRefreshGuard>, AuthError> {
        self.lock().await.map(|file| Some(CredentialRefreshGuard::new(file)))
    }
}

fn make_private_folder(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent() else { return Ok(()) };
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn is_open_to_others(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(file.metadata()?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &File) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests;
