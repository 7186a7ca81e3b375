//! Stub replies pass the same checks as real ones: declared, counted, redirected, decompressed.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::Network;
use super::super::NetworkAccess;
use super::StubFault;
use super::StubReplies;
use super::StubReply;
use crate::EffectLevel;
use crate::handler_services::tests::{World, ask, fault};

fn reply(method: &str, url: &str, status: u16, body: &str) -> StubReply {
    StubReply::new(method, url, status, [("content-type", "text/plain")], body).unwrap()
}

fn world(replies: Vec<StubReply>) -> (World, Arc<StubReplies>) {
    let (mut world, stub) = (World::new(), Arc::new(StubReplies::new(replies)));
    world.network = Network::new(NetworkAccess::Public).unwrap().with_stub(Arc::clone(&stub));
    (world, stub)
}

fn net() -> Value {
    json!({"net": ["api.example.com"]})
}

#[tokio::test]
async fn replies_are_used_in_order_and_the_last_is_repeated() {
    let url = "https://api.example.com/a";
    let (world, stub) = world(vec![reply("get", url, 503, "busy"), reply("GET", url, 200, "x")]);
    let run = world.run("read_only", net());
    let mut seen = Vec::new();
    for _ in 0..3 {
        let answer = ask(&run, "fetch", json!({"url": format!("{url}#part")})).await.unwrap();
        seen.push((answer["status"].clone(), answer["body"].clone()));
    }
    let good = (json!(200), json!("x"));
    assert_eq!(seen, [(json!(503), json!("busy")), good.clone(), good]);
    assert_eq!(stub.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn an_unlisted_request_is_refused_and_named() {
    let (world, stub) = world(vec![reply("GET", "https://api.example.com/a", 200, "x")]);
    let run = world.run("writes", net());
    for (method, path) in [("POST", "/a"), ("GET", "/b"), ("GET", "/a?q=1")] {
        let args = json!({"url": format!("https://api.example.com{path}"), "method": method});
        let refusal = fault(&run, "fetch", args).await;
        assert_eq!(refusal.code, "NOT_ALLOWED");
        assert!(refusal.message.contains(&format!("{method} https://api.example.com{path}")));
    }
    assert_eq!(run.effects(), EffectLevel::None);
    assert_eq!(stub.refused().len(), 3);
    // Undeclared hosts are not looked up.
    let refusal = fault(&run, "fetch", json!({"url": "https://other.example.com/a"})).await;
    assert!(refusal.message.contains("not declared"), "{refusal:?}");
    assert_eq!(stub.refused().len(), 3);
}

#[tokio::test]
async fn a_redirect_is_followed_to_another_stub_reply_and_a_write_counts() {
    let from = "https://api.example.com/old";
    let moved = StubReply::new("POST", from, 303, [("location", "/new")], "").unwrap();
    let (world, _) = world(vec![moved, reply("GET", "https://api.example.com/new", 200, "here")]);
    let run = world.run("writes", net());
    let answer = ask(&run, "fetch", json!({"url": from, "method": "POST"})).await.unwrap();
    assert_eq!((&answer["body"], &answer["redirected"]), (&json!("here"), &json!(true)));
    assert_eq!(run.effects(), EffectLevel::Written);
}

#[test]
fn the_fault_of_an_invalid_reply_says_why() {
    let made = |url: &str, status: u16, name: &str| {
        StubReply::new("GET", url, status, [(name, "v")], "").map(drop)
    };
    assert!(matches!(made("api.example.com", 200, "a"), Err(StubFault::Url(..))));
    assert_eq!(made("https://a.example", 1, "a"), Err(StubFault::Status(1)));
    assert_eq!(made("https://a.example", 200, "a b"), Err(StubFault::Header("a b".into())));
    assert_eq!(made("https://a.example", 200, "a"), Ok(()));
}
