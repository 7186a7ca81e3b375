//! Who is let in, and how much is taken.

use std::sync::Arc;

use hyper::header::HeaderValue;
use serde_json::json;
use testkit::script::ScriptedModel;

use crate::world::{World, begin};

#[tokio::test(flavor = "multi_thread")]
async fn foreign_names_foreign_pages_and_bodies_without_a_kind_are_refused() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let with = async |name: &'static str, value: &str| {
        let mut request = client.request("POST", "/api/conversations", "{}");
        request.headers_mut().insert(name, HeaderValue::try_from(value).unwrap());
        client.told(request).await.status.as_u16()
    };
    assert_eq!(with("host", "evil.example").await, 403);
    assert_eq!(with("origin", "http://evil.example").await, 403);
    assert_eq!(with("origin", &format!("http://{}", client.address)).await, 201);
    assert_eq!(with("content-type", "text/plain").await, 415);
    let told = client.get("/").await;
    assert_eq!(told.status, 200);
    let policy = told.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self';") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(client.get("/health").await.json(), json!({"ok": true}));
    assert_eq!(client.get("/assets/../Cargo.toml").await.status, 404);
    assert_eq!(client.get("/nothing").await.json()["error"]["code"], "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_has_so_many_streams_and_no_more() {
    let mut world = World::new();
    world.limits.streams_per_owner_max = 1;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let path = format!("{}/stream", begin(&served.client).await);
    let _first = served.client.stream(&path, None).await;
    assert_eq!(served.client.get(&path).await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_is_refused() {
    let mut world = World::new();
    world.limits.body_bytes_max = 1_000;
    world.limits.requests_burst = 3;
    world.limits.requests_per_second = 0;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let large = json!({"title": "x".repeat(2_000)});
    assert_eq!(client.send("POST", "/api/conversations", large).await.status, 413);
    let wrong = client.send("POST", "/api/conversations", json!({"titel": "x"})).await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.json()["error"]["fix"].is_string());
    assert_eq!(client.get("/api/session").await.status, 200);
    assert_eq!(client.get("/api/session").await.status, 429);
}
