//! Servers of this machine, found by their usual ports or by an address.

use fake_providers::FakeProvider;
use providers::{LocalServer, ProviderFault, ProviderKind};

use crate::world::World;

#[tokio::test]
async fn a_server_on_its_usual_port_is_found_and_others_are_not() {
    let far = FakeProvider::compatible().await.unwrap();
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let free = closed.local_addr().unwrap().port();
    drop(closed);
    let server = |title, port| LocalServer { title, kind: ProviderKind::Compatible, port };
    let local = vec![server("Nobody", free), server("Somebody", far.address().port())];
    let world = World::new();
    let found = world.providers(Vec::new(), local).find_local().await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].title.as_deref(), Some("Somebody"));
    assert_eq!(found[0].address, format!("{}/v1", far.base_url()));
    assert!(!found[0].models.is_empty());
}

#[tokio::test]
async fn a_typed_address_is_looked_at_with_and_without_its_path() {
    let far = FakeProvider::compatible().await.unwrap();
    let world = World::new();
    let providers = world.providers(Vec::new(), Vec::new());
    for typed in [far.address().to_string(), far.base_url(), format!("{}/v1/", far.base_url())] {
        let found = providers.find_at(&typed, None).await.unwrap();
        assert_eq!(found.address, format!("{}/v1", far.base_url()), "{typed}");
    }
    let fault = providers.find_at("http://169.254.169.254", None).await.unwrap_err();
    assert!(matches!(fault, ProviderFault::Address(_)), "{fault}");
}
