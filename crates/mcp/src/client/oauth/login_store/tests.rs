//! A login that somebody else keeps.

use std::sync::{Arc, Mutex};

use contract::Secret;
use policy::BoxFuture;
use rmcp::transport::auth::{CredentialStore, StoredCredentials};
use serde_json::json;

use super::{KeeperLock, KeepsLogin, KeptLogin, LoginState, LoginStore};

#[derive(Default)]
struct InMemory(Mutex<Option<Secret>>);

impl KeepsLogin for InMemory {
    fn read(&self) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        let text = self.0.lock().unwrap().as_ref().map(|text| Secret::new(text.expose()));
        Box::pin(async move { Ok(text) })
    }

    fn write(&self, login: Option<Secret>) -> BoxFuture<'_, Result<bool, String>> {
        let before = std::mem::replace(&mut *self.0.lock().unwrap(), login);
        Box::pin(async move { Ok(before.is_some()) })
    }

    fn lock(&self) -> BoxFuture<'_, Result<KeeperLock, String>> {
        Box::pin(async { Ok(Box::new(()) as KeeperLock) })
    }
}

fn credentials(token: &str) -> StoredCredentials {
    serde_json::from_value(json!({
        "client_id": "me", "granted_scopes": [],
        "token_response": { "access_token": token, "token_type": "bearer" },
    }))
    .unwrap()
}

#[tokio::test]
async fn a_kept_login_counts_for_its_own_server_until_it_is_deleted() {
    let keeper = Arc::new(InMemory::default());
    let at = |url: &str| LoginStore::Kept(KeptLogin::new(keeper.clone(), url));
    let login = at("https://far.example/mcp");
    assert_eq!(login.state().await, LoginState::Needed);
    login.save(credentials("at-1")).await.unwrap();
    assert_eq!(login.state().await, LoginState::Good);
    assert_eq!(at("https://other.example/mcp").state().await, LoginState::Needed);
    // A token that was rejected goes, unless there is a newer one.
    login.on_refresh_token_rejected(&credentials("at-0")).await.unwrap();
    assert_eq!(login.state().await, LoginState::Good);
    login.on_refresh_token_rejected(&credentials("at-1")).await.unwrap();
    assert_eq!(login.state().await, LoginState::Needed);
    login.save(credentials("at-2")).await.unwrap();
    assert!(login.log_out().await.unwrap());
    assert!(!login.log_out().await.unwrap());
    assert!(keeper.0.lock().unwrap().is_none());
}

#[tokio::test]
async fn a_damaged_login_is_named_without_its_text() {
    let keeper = Arc::new(InMemory::default());
    *keeper.0.lock().unwrap() = Some(Secret::new("at-canary"));
    let login = LoginStore::Kept(KeptLogin::new(keeper, "https://far.example/mcp"));
    let fault = login.load().await.unwrap_err().to_string();
    assert!(fault.contains("damaged") && !fault.contains("canary"), "{fault}");
}
