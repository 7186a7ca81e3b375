//! The file of one login: its tokens, for its owner's eyes alone.
//!
//! Every process reads it before each request and writes it under a lock, so that a token
//! which one process has renewed is the token of all.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use contract::Digest;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where the login to one server is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginFile {
    path: PathBuf,
    /// The address that the tokens are for.
    server: String,
}

/// Whether a call can be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginState {
    /// There is a token, or one can be got.
    Good,
    Needed,
}

/// What the file has.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    format: u32,
    server: String,
    /// What the server gave us when we registered.
    pub client_secret: Option<String>,
    pub credentials: Option<StoredCredentials>,
    /// What the server asked for beyond what was agreed to.
    #[serde(default)]
    pub wanted_scopes: Vec<String>,
}

const FORMAT: u32 = 1;
const FILE_BYTES_MAX: u64 = 1 << 20;
const SCOPES_MAX: usize = 64;
/// As long as another process may take to renew a token.
const LOCK_MAX: Duration = Duration::from_secs(60);
/// A token that ends sooner is renewed before it is used.
const SPARE: u64 = 30;

impl LoginFile {
    /// The file for a server by this name at this address.
    pub fn new(folder: &Path, name: &str, server: &str) -> Self {
        let digest = Digest::of(server.as_bytes()).to_string();
        let place: String = digest.trim_start_matches("sha256:").chars().take(16).collect();
        let path = folder.join(format!("{name}-{place}.json"));
        Self { path, server: server.to_owned() }
    }

    pub fn state(&self) -> LoginState {
        let credentials = self.read().ok().flatten().and_then(|kept| kept.credentials);
        let Some(token) = credentials.as_ref().and_then(|kept| kept.token_response.as_ref()) else {
            return LoginState::Needed;
        };
        let token = serde_json::to_value(token).unwrap_or_default();
        let received = credentials.as_ref().and_then(|kept| kept.token_received_at);
        let lasts = token.get("expires_in").and_then(Value::as_u64);
        let is_over = received.zip(lasts).is_some_and(|(from, lasts)| {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            from.saturating_add(lasts) < now.saturating_add(SPARE)
        });
        match is_over && token.get("refresh_token").is_none_or(Value::is_null) {
            true => LoginState::Needed,
            false => LoginState::Good,
        }
    }

    /// Forgets the login, and waits for whoever is about to renew it. Was there one?
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

    /// Forgets the tokens, and nothing else.
    pub(crate) async fn drop_tokens(&self) -> Result<(), AuthError> {
        let _lock = self.lock().await?;
        self.change(|kept| kept.credentials = None)
    }

    /// The client that the tokens were given to, and its secret.
    pub(super) fn client(&self) -> Result<(Option<String>, Option<String>), AuthError> {
        let kept = self.read()?.unwrap_or_default();
        Ok((kept.credentials.map(|credentials| credentials.client_id), kept.client_secret))
    }

    /// Remembers what the server wants more, for the next login.
    pub(crate) async fn want(&self, scope: &str) -> Result<(), AuthError> {
        let _lock = self.lock().await?;
        self.change(|kept| {
            for scope in scope.split_whitespace().take(SCOPES_MAX) {
                if !kept.wanted_scopes.iter().any(|wanted| wanted == scope) {
                    kept.wanted_scopes.push(scope.to_owned());
                }
            }
            kept.wanted_scopes.truncate(SCOPES_MAX);
        })
    }

    pub(super) fn read(&self) -> Result<Option<Kept>, AuthError> {
        let bad = |why: &str| AuthError::CredentialStoreError(format!("{}: {why}", self.shown()));
        let unreadable = |error: io::Error| bad(&error.to_string());
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(unreadable)?,
        };
        if is_open_to_others(&file).map_err(unreadable)? {
            return Err(bad("others can read it; log in again after removing it"));
        }
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(unreadable)?;
        // It is made empty before it is written.
        if text.is_empty() {
            return Ok(None);
        }
        // What is wrong with it is not said: the text around it is a secret.
        let kept: Kept = serde_json::from_str(&text).map_err(|_| bad("it is damaged"))?;
        Ok((kept.format == FORMAT && kept.server == self.server).then_some(kept))
    }

    /// Changes what is kept, whole or not at all. Whoever does so holds the lock.
    pub(super) fn change(&self, how: impl FnOnce(&mut Kept)) -> Result<(), AuthError> {
        let mut kept = self.read()?.unwrap_or_default();
        (kept.format, kept.server) = (FORMAT, self.server.clone());
        how(&mut kept);
        let written = serde_json::to_vec_pretty(&kept).map_err(io::Error::from).and_then(|bytes| {
            make_private_folder(&self.path)?;
            // What replaces a file is as open as that was.
            private(OpenOptions::new().create(true).append(true)).open(&self.path)?;
            registry::write_atomically(&self.path, &bytes)
        });
        written.map_err(|error| {
            AuthError::CredentialStoreError(format!("{} was not written: {error}", self.shown()))
        })
    }

    /// Held by one process at a time.
    pub(super) async fn lock(&self) -> Result<File, AuthError> {
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
        Ok(self.read()?.and_then(|kept| kept.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        self.change(|kept| kept.credentials = Some(credentials))
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
        self.change(|kept| {
            // Somebody may have logged in again meanwhile.
            if kept.credentials.as_ref().and_then(text) == text(rejected) {
                kept.credentials = None;
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
