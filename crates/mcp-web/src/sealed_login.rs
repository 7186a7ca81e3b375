//! A login in the store, sealed for its owner, its server and that server's address.

use std::sync::Arc;

use contract::Secret;
use mcp::client::KeepsLogin;
use policy::BoxFuture;
use providers::Sealer;
use serde::{Deserialize, Serialize};
use store::{Expected, Expiry, Json, Key, Store};

pub(crate) struct SealedLogin {
    pub store: Arc<dyn Store>,
    pub sealer: Sealer,
    pub key: Key,
    /// What it is sealed for.
    pub place: String,
}

#[derive(Serialize, Deserialize)]
struct StoredText {
    sealed: String,
}

/// What a login is sealed for.
pub(crate) fn place(name: &str, url: &str, who: &str) -> String {
    format!("mcp-login {name} {url} {who}")
}

impl KeepsLogin for SealedLogin {
    fn read(&self) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        Box::pin(async move {
            let found = self.store.kv().get(&self.key).await.map_err(|fault| fault.to_string())?;
            let Some(entry) = found else { return Ok(None) };
            let stored: StoredText = entry.value.to().map_err(|_| "it is damaged".to_owned())?;
            self.sealer
                .open(&stored.sealed, &self.place)
                .map(Some)
                .map_err(|fault| fault.to_string())
        })
    }

    fn write(&self, login: Option<Secret>) -> BoxFuture<'_, Result<bool, String>> {
        Box::pin(async move {
            let Some(login) = login else {
                let deleted = self.store.kv().delete(&self.key, Expected::Any).await;
                return deleted.map(|one| one.is_some()).map_err(|fault| fault.to_string());
            };
            let sealed =
                self.sealer.seal(&login, &self.place).map_err(|fault| fault.to_string())?;
            let json = Json::of(&StoredText { sealed }).map_err(|fault| fault.to_string())?;
            let set = self.store.kv().set(&self.key, json, Expected::Any, Expiry::Never).await;
            set.map(|_| true).map_err(|fault| fault.to_string())
        })
    }
}
