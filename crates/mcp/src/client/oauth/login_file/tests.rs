//! What a login file contains, and who may read it.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rmcp::transport::auth::{CredentialStore, StoredCredentials};
use serde_json::{Value, json};

use super::{LoginFile, LoginState};

fn credentials(token: Value) -> StoredCredentials {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    serde_json::from_value(json!({
        "client_id": "me", "token_response": token, "granted_scopes": ["read"],
        "token_received_at": now.as_secs(), "issuer": "https://as.example",
    }))
    .unwrap()
}

fn token(more: &[(&str, Value)]) -> Value {
    let mut token = json!({ "access_token": "at-canary", "token_type": "bearer" });
    more.iter().for_each(|(name, value)| token[*name] = value.clone());
    token
}

fn file(folder: &Path) -> LoginFile {
    LoginFile::new(&folder.join("logins"), "far", "https://far.example/mcp")
}

#[tokio::test]
async fn only_the_owner_can_read_the_file_and_a_readable_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    file.save(credentials(token(&[]))).await.unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file.path), mode(file.path.parent().unwrap())), (0o600, 0o700));
    file.save(credentials(token(&[]))).await.unwrap();
    assert_eq!(mode(&file.path), 0o600);
    std::fs::set_permissions(&file.path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(file.load().await.unwrap_err().to_string().contains("others can read it"));
}

#[tokio::test]
async fn a_file_that_is_too_large_is_not_called_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    file.save(credentials(token(&[]))).await.unwrap();
    let long = token(&[("refresh_token", json!("x".repeat(1 << 20)))]);
    let text = std::fs::read_to_string(&file.path).unwrap();
    let mut stored: Value = serde_json::from_str(&text).unwrap();
    stored["credentials"]["token_response"] = long;
    std::fs::write(&file.path, stored.to_string()).unwrap();
    let fault = file.load().await.unwrap_err().to_string();
    assert!(fault.contains("it has more than 1048576 bytes"), "{fault}");
    assert!(!fault.contains("damaged"), "{fault}");
}

#[tokio::test]
async fn a_login_is_valid_only_for_its_own_server() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    file.save(credentials(token(&[]))).await.unwrap();
    let moved = LoginFile::new(&dir.path().join("logins"), "far", "https://other.example/mcp");
    assert!(moved.load().await.unwrap().is_none());
    let forced = LoginFile { path: file.path.clone(), server: "https://other.example".to_owned() };
    assert!(forced.load().await.unwrap().is_none());
    assert!(file.load().await.unwrap().is_some());
}

#[tokio::test]
async fn a_login_is_needed_when_no_token_can_be_obtained() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    assert_eq!(file.state(), LoginState::Needed);
    let over = ("expires_in", json!(0));
    for (token, expected) in [
        (token(&[]), LoginState::Good),
        (token(&[("expires_in", json!(3600))]), LoginState::Good),
        (token(std::slice::from_ref(&over)), LoginState::Needed),
        (token(&[over, ("refresh_token", json!("rt"))]), LoginState::Good),
    ] {
        file.save(credentials(token)).await.unwrap();
        assert_eq!(file.state(), expected);
    }
    assert!(file.log_out().await.unwrap() && !file.log_out().await.unwrap());
    assert_eq!(file.state(), LoginState::Needed);
}

#[tokio::test]
async fn a_refused_token_is_deleted_unless_there_is_a_newer_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    let (old, new) = (credentials(token(&[])), credentials(token(&[("scope", json!("b"))])));
    file.save(new).await.unwrap();
    file.on_refresh_token_rejected(&old).await.unwrap();
    assert_eq!(file.state(), LoginState::Good);
    file.save(old.clone()).await.unwrap();
    file.on_refresh_token_rejected(&old).await.unwrap();
    assert_eq!(file.state(), LoginState::Needed);
}

#[tokio::test]
async fn requested_scopes_are_stored_once_with_the_tokens() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    file.save(credentials(token(&[]))).await.unwrap();
    file.change(|stored| stored.want("write admin")).unwrap();
    file.change(|stored| stored.want("admin")).unwrap();
    let stored = file.read().unwrap().unwrap();
    assert_eq!(stored.wanted_scopes, ["write", "admin"]);
    assert_eq!(stored.credentials.unwrap().granted_scopes, ["read"]);
}

#[tokio::test]
async fn the_content_of_a_damaged_file_is_not_shown() {
    let dir = tempfile::tempdir().unwrap();
    let file = file(dir.path());
    file.save(credentials(token(&[]))).await.unwrap();
    let text = std::fs::read_to_string(&file.path).unwrap();
    std::fs::write(&file.path, text.replacen("\"at-canary\"", "at-canary", 1)).unwrap();
    let fault = file.load().await.unwrap_err();
    assert!(!format!("{fault}{fault:?}").contains("canary"), "{fault}");
    assert!(fault.to_string().contains("damaged"));
}
