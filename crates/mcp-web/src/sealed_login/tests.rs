//! Two servers share a login, and one of them changes it at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use contract::Secret;
use mcp::client::KeepsLogin as _;
use providers::Sealer;
use store::{SqliteOptions, SqliteStore, Store};

use super::{SealedLogin, place};

/// A server with a folder of its own, on the same store.
fn login(store: &Arc<dyn Store>, folder: &tempfile::TempDir, url: &str) -> SealedLogin {
    let sealer = Sealer::with_key(folder.path().join("secret"), &BASE64.encode([7; 32])).unwrap();
    let (key, place) = ("mcp-login/far/ana".parse().unwrap(), place("far", url, "ana"));
    SealedLogin { store: Arc::clone(store), sealer, key, place }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_with_the_same_key_share_a_login_and_change_it_one_at_a_time() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::temporary(SqliteOptions::machine()).unwrap());
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let url = "https://far.example/mcp";
    let [one, other] = [0, 1].map(|number: usize| Arc::new(login(&store, &folders[number], url)));
    assert!(one.write(Some(Secret::new("token"))).await.unwrap());
    assert_eq!(other.read().await.unwrap().unwrap().expose(), "token");
    // Not for another address, and not in plain text.
    assert!(login(&store, &folders[0], "https://other.example").read().await.is_err());
    let entry = store.kv().get(&one.key).await.unwrap().unwrap();
    assert!(!entry.value.as_str().contains("token"), "{entry:?}");

    let held = one.lock().await.unwrap();
    let is_free = Arc::new(AtomicBool::new(false));
    let (waiting, free) = (Arc::clone(&other), Arc::clone(&is_free));
    let waiter = tokio::spawn(async move {
        let _held = waiting.lock().await.unwrap();
        assert!(free.load(Ordering::SeqCst), "both hold the lock");
    });
    assert!(other.write(None).await.unwrap());
    is_free.store(true, Ordering::SeqCst);
    drop(held);
    waiter.await.unwrap();
    assert!(one.read().await.unwrap().is_none());
}
