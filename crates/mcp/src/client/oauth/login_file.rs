//! The file with the tokens of one login, readable only by its owner.
//!
//! Every process reads it before each request and writes it under a lock, so that all processes
//! share a renewed token.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use contract::Digest;
use rmcp::transport::auth::{
    AuthError, CredentialRefreshGuard, CredentialStore, StoredCredentials,
};

use super::stored_login::{LoginState, StoredLogin};

/// The login file of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginFile {
    path: PathBuf,
    /// The URL that the tokens are for.
    server: String,
}

const FILE_BYTES_MAX: u64 = 1 << 20;
/// How long another process may take to renew a token.
const LOCK_MAX: Duration = Duration::from_secs(60);

impl LoginFile {
    /// The file of the server with this name and URL.
    pub fn new(folder: &Path, name: &str, server: &str) -> Self {
        let place = Digest::of(server.as_bytes()).hex(16);
        let path = folder.join(format!("{name}-{place}.json"));
        Self { path, server: server.to_owned() }
    }

    pub(crate) fn state(&self) -> LoginState {
        let stored = self.read().ok().flatten();
        stored.map_or(LoginState::Needed, |stored| stored.state())
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
        StoredLogin::parse(&bytes, &self.server).map_err(|_| bad("it is damaged"))
    }

    /// Changes the content atomically. The caller holds the lock.
    pub(crate) fn change(&self, how: impl FnOnce(&mut StoredLogin)) -> Result<(), AuthError> {
        let mut stored = self.read()?.unwrap_or_default();
        how(&mut stored);
        stored.belongs_to(&self.server);
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
        self.change(|stored| stored.drop_if(rejected))
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
