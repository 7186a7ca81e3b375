//! Providers over HTTP: for the operator only, and a key that goes in never comes out.

use serde_json::{Value, json};

use crate::support::model_world::ModelWorld;
use crate::support::test_server::{answered, begin};

const KEY: &str = "sk-0123456789-abcdefghij";

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_the_page_answers_and_is_in_no_answer_log_or_export() {
    let world = ModelWorld::new().await;
    world.far.key(KEY);
    let served = world.serve(Vec::new(), None).await;
    let client = &served.client;
    assert_eq!(client.get("/api/session").await.json()["model"], "rehearsal");
    let address = format!("{}/v1", world.far.base_url());
    let body = |key: &str| json!({"kind": "compatible", "address": address, "key": key, "model": "gpt-4o"});
    let refused = client.send("PUT", "/api/providers/mine", body("sk-wrong-wrong-wrong")).await;
    assert_eq!(refused.status, 502, "{}", refused.text);
    assert!(!refused.text.contains("sk-wrong"), "{}", refused.text);
    assert_eq!(client.get("/api/providers").await.json(), json!([]));
    world.says("OK");
    let kept = client.send("PUT", "/api/providers/mine", body(KEY)).await;
    assert_eq!(kept.status, 200, "{}", kept.text);
    assert_eq!(kept.json()["asked"], "mine:gpt-4o");
    let shown = client.get("/api/providers").await;
    assert_eq!(shown.json()[0]["keyEnd"], "••••ghij");
    assert_eq!(shown.json()[0]["keyFrom"], "page");
    assert_eq!(client.get("/api/session").await.json()["model"], "mine:gpt-4o");
    world.says("With the key.");
    let path = begin(client).await;
    answered(client, &path, "Hello").await;
    let export = client.get(&format!("{path}/export?as=json")).await.text;
    let models = client.get("/api/models").await.text;
    let stored = world.world.stored_values().await;
    for text in [&kept.text, &shown.text, &export, &models, &stored] {
        assert!(!text.contains(KEY), "{text}");
    }
    served.end().await;

    let served = world.serve(Vec::new(), None).await;
    world.says("Still.");
    answered(&served.client, &path, "Still?").await;
    let removed = served.client.send("DELETE", "/api/providers/mine", Value::Null).await;
    assert_eq!(removed.status, 204, "{}", removed.text);
    assert_eq!(served.client.get("/api/session").await.json()["model"], "rehearsal");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_operator_sees_and_changes_providers() {
    let mut world = ModelWorld::new().await;
    let (ana, ben) = world.world.add_owners();
    let served = world.serve(world.configured(), None).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let shown = ana.get("/api/providers").await.json();
    assert_eq!(shown[0]["keyFrom"], "environment");
    assert_eq!((&shown[0]["keyName"], &shown[0]["keyEnd"]), (&json!("FAR_KEY"), &Value::Null));
    let body = json!({"kind": "ollama", "address": "http://127.0.0.1:9/v1"});
    for (method, path, body) in [
        ("GET", "/api/providers", Value::Null),
        ("PUT", "/api/providers/mine", body.clone()),
        ("DELETE", "/api/providers/far", Value::Null),
        ("POST", "/api/providers/find", json!({})),
    ] {
        let refused = ben.send(method, path, body).await;
        assert_eq!(refused.status, 403, "{method} {path}: {}", refused.text);
    }
    let configured = ana.send("PUT", "/api/providers/far", body).await;
    assert_eq!(configured.status, 409, "{}", configured.text);
    let unknown = ana.send("DELETE", "/api/providers/far", Value::Null).await;
    assert_eq!(unknown.status, 404, "{}", unknown.text);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn local_servers_are_found_and_forbidden_addresses_are_not_asked() {
    let world = ModelWorld::new().await;
    let served = world.serve(Vec::new(), None).await;
    let client = &served.client;
    let found = client.send("POST", "/api/providers/find", json!({})).await.json();
    assert_eq!(found[0]["title"], "Far");
    assert!(!found[0]["models"].as_array().unwrap().is_empty());
    let typed = json!({"address": world.far.address().to_string()});
    let found = client.send("POST", "/api/providers/find", typed).await.json();
    assert_eq!(found[0]["address"], format!("{}/v1", world.far.base_url()));
    for address in ["http://169.254.169.254/latest", "http://[fe80::1]", "file:///etc/passwd"] {
        let refused = client.send("POST", "/api/providers/find", json!({"address": address}));
        let refused = refused.await;
        assert_eq!(refused.status, 400, "{address}: {}", refused.text);
    }
    served.end().await;
}
