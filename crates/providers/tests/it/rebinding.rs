//! The name of a server that was added leads somewhere else later.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use addresses::{BoxFuture, Resolver};
use contract::{Block, FaultKind, Message, Request};
use fake_providers::{FakeProvider, Turn};
use providers::{Providers, ProvidersSetup, Sealer};
use store::{Expected, Expiry, Json, Store as _};

use crate::world::{World, compatible, stand_in};

/// Every name is at these addresses, until the test changes them.
#[derive(Clone)]
struct Names(Arc<Mutex<Vec<IpAddr>>>);

impl Names {
    fn at(addresses: &[&str]) -> Self {
        let names = Self(Arc::default());
        names.lead_to(addresses);
        names
    }

    fn lead_to(&self, addresses: &[&str]) {
        *self.0.lock().unwrap() = addresses.iter().map(|one| one.parse().unwrap()).collect();
    }
}

impl Resolver for Names {
    fn resolve(&self, _name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(self.0.lock().unwrap().clone())))
    }
}

fn providers(world: &World, names: &Names) -> Providers {
    let setup = ProvidersSetup {
        configured: Vec::new(),
        model: None,
        stand_in: stand_in(),
        store: world.store.clone(),
        sealer: Sealer::new(world.dir.path().join("secret")),
        local: Vec::new(),
    };
    Providers::with_resolver(setup, Arc::new(names.clone())).unwrap()
}

fn hello() -> Request {
    let messages = vec![Message::user(vec![Block::text("Hello")])];
    Request { messages, output_tokens_max: Some(100), ..Request::default() }
}

async fn server() -> (FakeProvider, String) {
    let far = FakeProvider::compatible().await.unwrap();
    far.otherwise(Turn::says("OK"));
    let address = format!("http://models.example:{}/v1", far.address().port());
    (far, address)
}

#[tokio::test]
async fn a_local_server_is_added_by_name_and_never_leads_to_a_metadata_service() {
    let (far, address) = server().await;
    let (world, names) = (World::new(), Names::at(&["127.0.0.1"]));
    let kept = providers(&world, &names).keep("mine", compatible(&address, None)).await.unwrap();
    assert!(world.stored().await.contains("\"reach\":\"near\""));
    let next = providers(&world, &names);
    assert_eq!(next.open(&kept.asked).await.ask(&hello(), &mut |_| {}).await.unwrap().text(), "OK");
    let before = far.requests().len();
    for addresses in [&["169.254.169.254"][..], &["127.0.0.1", "fd00:ec2::254"], &["0.0.0.0"]] {
        names.lead_to(addresses);
        // A new process has no connection from before.
        let model = providers(&world, &names).open(&kept.asked).await;
        let fault = model.ask(&hello(), &mut |_| {}).await.unwrap_err();
        assert_eq!(fault.kind, FaultKind::Unreachable);
        assert!(fault.message.contains("hands out credentials"), "{}", fault.message);
        assert!(!fault.message.contains("169.254"), "{}", fault.message);
        let again = providers(&world, &names).keep("other", compatible(&address, None)).await;
        assert!(again.is_err(), "{addresses:?} was accepted");
    }
    assert_eq!(far.requests().len(), before);
}

#[tokio::test]
async fn a_public_server_that_turns_up_on_this_machine_is_not_asked() {
    let (far, address) = server().await;
    let (world, names) = (World::new(), Names::at(&["127.0.0.1"]));
    let stored = serde_json::json!({
        "kind": "compatible", "address": address, "firstModel": "m", "reach": "public",
    });
    let (key, value) = ("providers/mine".parse().unwrap(), Json::of(&stored).unwrap());
    world.store.kv().set(&key, value, Expected::Any, Expiry::Never).await.unwrap();
    let providers = providers(&world, &names);
    let fault = providers.open("mine:m").await.ask(&hello(), &mut |_| {}).await.unwrap_err();
    assert!(fault.message.contains("did not when it was added"), "{}", fault.message);
    let listed = providers.models(true).await;
    assert_eq!(listed.faults.len(), 1, "its list was asked for");
    assert_eq!(far.requests().len(), 0);
}
