//! Nobody freezes the server: not with texts, not with requests that never end, not with
//! answers that nobody reads.

use std::sync::Arc;

use serde_json::json;
use testkit::script::ScriptedModel;

use crate::world::World;

/// Holds every seat of those who render until it is dropped.
fn hold_all(world: &World, seats: usize) -> Vec<std::sync::mpsc::Sender<()>> {
    let mut held = Vec::new();
    for _ in 0..seats {
        let (release, gate) = std::sync::mpsc::channel::<()>();
        let renderers = world.renderers.clone();
        tokio::spawn(async move { renderers.run(move || drop(gate.recv())).await });
        held.push(release);
    }
    held
}

/// One thread answers here, so a text that was rendered on it would stop everything.
#[tokio::test]
async fn while_texts_are_rendered_others_are_answered_and_the_server_can_end() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = served.client.clone();
    let deep = json!({ "entry": "assistant", "turn": 1, "event": 1, "text": "> ".repeat(60_000) });
    let file = json!({ "title": "Deep", "entries":
        [{ "entry": "user", "turn": 1, "text": "Go!" }, deep] });
    let told = client.send("POST", "/api/conversations/import", file).await;
    assert_eq!(told.status, 201, "{}", told.text);
    let path = format!("/api/conversations/{}", told.json()["id"].as_str().unwrap());
    let view = client.get(&path).await.json();
    let html = view["entries"][1]["html"].as_str().unwrap();
    assert_eq!(html.matches("<blockquote>").count(), 64);
    let held = hold_all(&world, 2);
    tokio::task::yield_now().await;
    let reading = {
        let (client, path) = (client.clone(), path.clone());
        tokio::spawn(async move { client.get(&path).await.status })
    };
    for _ in 0..3 {
        assert_eq!(client.get("/health").await.status, 200);
        assert_eq!(client.get("/api/conversations").await.status, 200);
    }
    assert!(!reading.is_finished(), "there is no seat for it");
    drop(held);
    assert_eq!(reading.await.unwrap(), 200);
    let held = hold_all(&world, 2);
    tokio::task::yield_now().await;
    let reading = tokio::spawn(async move { client.raw(client.request("GET", &path, "")).await });
    served.end().await;
    drop((held, reading));
}
