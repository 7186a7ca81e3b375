//! Pins, archive, folders and tags of conversations: kept, searched, exported, never shown to a
//! model.

use std::sync::Arc;

use serde_json::{Value, json};
use testkit::script::{ScriptedModel, Step, says};

use crate::support::client::Client;
use crate::support::test_server::{World, answered, begin};

async fn organise(client: &Client, path: &str, change: Value) {
    let response = client.send("PATCH", path, change).await;
    assert_eq!(response.status, 204, "{}", response.text);
}

/// The titles of a list.
async fn titles(client: &Client, query: &str) -> Vec<String> {
    let lines = client.get(&format!("/api/conversations{query}")).await.json();
    let lines = lines.as_array().unwrap().iter();
    lines.map(|line| line["title"].as_str().unwrap().to_owned()).collect()
}

async fn folder(client: &Client, name: &str) -> String {
    let response = client.send("POST", "/api/folders", json!({"name": name})).await;
    assert_eq!(response.status, 201, "{}", response.text);
    response.json()["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn order_survives_a_restart_and_no_model_sees_it() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([says("One."), says("Two."), says("Three.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let (first, second) = (begin(client).await, begin(client).await);
    answered(client, &first, "Bread recipe").await;
    answered(client, &second, "Clock repair").await;
    let before = client.get("/api/conversations").await.json()[1]["updatedAt"].clone();
    let kitchen = folder(client, "  Kitchen ").await;
    organise(client, &first, json!({"pinned": true, "folder": kitchen})).await;
    organise(client, &first, json!({"tags": ["To Do", "#Food", "food"]})).await;
    served.end().await;
    let served = world.serve(&model).await;
    let client = &served.client;
    let line = client.get("/api/conversations").await.json()[1].clone();
    assert_eq!((&line["pinned"], &line["folder"]), (&json!(true), &json!(kitchen)));
    assert_eq!(line["tags"], json!(["food", "to-do"]));
    assert_eq!(line["updatedAt"], before, "putting it in order is no news");
    let folders = client.get("/api/session").await.json()["folders"].clone();
    assert_eq!(folders, json!([{"id": kitchen, "name": "Kitchen"}]));
    answered(client, &first, "And then?").await;
    let asked = serde_json::to_string(&model.request(2)).unwrap();
    assert!(!asked.contains("to-do") && !asked.contains("Kitchen"), "{asked}");
    // A file has the tags; a copy has the folder and the tags.
    let file = client.get(&format!("{first}/export")).await.json();
    assert_eq!(file["tags"], json!(["food", "to-do"]));
    let copy = client.send("POST", "/api/conversations/import", file).await.json();
    let branch = client.send("POST", &format!("{first}/branch"), json!({"event": 3})).await.json();
    let lines = client.get("/api/conversations").await.json();
    let line = |id: &Value| {
        lines.as_array().unwrap().iter().find(|line| line["id"] == *id).unwrap().clone()
    };
    assert_eq!(line(&copy["id"])["tags"], json!(["food", "to-do"]));
    assert_eq!(line(&copy["id"])["folder"], Value::Null);
    assert_eq!(line(&branch["id"])["folder"], json!(kitchen));
    assert_eq!(line(&branch["id"])["pinned"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_tags_and_leaves_the_archive_out() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([says("Yes."), says("No."), says("Well.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let mut paths = Vec::new();
    for text in ["Bread at home", "Bread at work", "Clock at home"] {
        let path = begin(client).await;
        answered(client, &path, text).await;
        paths.push(path);
    }
    organise(client, &paths[0], json!({"tags": ["home"]})).await;
    organise(client, &paths[2], json!({"tags": ["home"], "pinned": true})).await;
    assert_eq!(titles(client, "?search=tag:HOME").await, ["Clock at home", "Bread at home"]);
    assert_eq!(titles(client, "?search=bread%20tag:home").await, ["Bread at home"]);
    assert_eq!(titles(client, "?search=tag:none").await, [""; 0]);
    organise(client, &paths[2], json!({"archived": true})).await;
    assert_eq!(titles(client, "").await, ["Bread at work", "Bread at home"]);
    assert_eq!(titles(client, "?search=tag:home").await, ["Bread at home"]);
    assert_eq!(titles(client, "?archived=only").await, ["Clock at home"]);
    assert_eq!(titles(client, "?archived=all&search=tag:home").await.len(), 2);
    let line = client.get("/api/conversations?archived=only").await.json()[0].clone();
    assert_eq!(line["pinned"], Value::Null, "what is put away is not above all others");
    organise(client, &paths[2], json!({"archived": false})).await;
    assert_eq!(titles(client, "").await.len(), 3);
    assert_eq!(client.get("/api/conversations?archived=maybe").await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_folder_leaves_its_conversations() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new(Vec::<Step>::new()))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    let work = folder(&ana, "Work").await;
    organise(&ana, &path, json!({"folder": work})).await;
    let at = format!("/api/folders/{work}");
    // Another owner can neither see, use, rename nor delete it.
    assert_eq!(ben.get("/api/folders").await.json(), json!([]));
    let other = begin(&ben).await;
    assert_eq!(ben.send("PATCH", &other, json!({"folder": work})).await.status, 404);
    assert_eq!(ben.send("PATCH", &path, json!({"pinned": true})).await.status, 404);
    assert_eq!(ben.send("PUT", &at, json!({"name": "Mine"})).await.status, 404);
    assert_eq!(ben.send("DELETE", &at, json!({})).await.status, 204);
    assert_eq!(ana.send("PUT", &at, json!({"name": "Office"})).await.status, 204);
    assert_eq!(ana.get("/api/folders").await.json()[0]["name"], "Office");
    assert_eq!(ana.get("/api/conversations").await.json()[0]["folder"], json!(work));
    assert_eq!(ana.send("DELETE", &at, json!({})).await.status, 204);
    let lines = ana.get("/api/conversations").await.json();
    assert_eq!((lines.as_array().unwrap().len(), &lines[0]["folder"]), (1, &Value::Null));
    organise(&ana, &path, json!({"folder": null})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_numbers_are_limited() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new(Vec::<Step>::new()))).await;
    let client = &served.client;
    let path = begin(client).await;
    let many: Vec<_> = (0..21).map(|number| format!("t{number}")).collect();
    for change in [
        json!({"tags": many}),
        json!({"tags": [""]}),
        json!({"tags": ["x".repeat(41)]}),
        json!({"tags": "work"}),
        json!({"color": "red"}),
    ] {
        let response = client.send("PATCH", &path, change.clone()).await;
        assert_eq!(response.status, 400, "{change}: {}", response.text);
    }
    for name in [" ", &"x".repeat(61)] {
        let response = client.send("POST", "/api/folders", json!({"name": name})).await;
        assert_eq!(response.status, 400, "{name:?}");
    }
    for number in 0..100 {
        folder(client, &format!("Folder {number}")).await;
    }
    let response = client.send("POST", "/api/folders", json!({"name": "One more"})).await;
    assert_eq!(response.status, 429, "{}", response.text);
}
