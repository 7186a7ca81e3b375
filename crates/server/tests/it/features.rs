//! Forms of tools over HTTP: listed, hidden, submitted, answered.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use testkit::script::ScriptedModel;

use crate::support::client::Client;
use crate::support::form_tools::game;
use crate::support::test_server::{Served, World, begin};

async fn served(world: &World) -> Served {
    world.serve(&Arc::new(ScriptedModel::new([]))).await
}

fn playing() -> World {
    let world = World::new();
    world.write_module("game.py", &game());
    world
}

/// A conversation in such a world.
async fn begun() -> (World, Served, String) {
    let world = playing();
    let served = served(&world).await;
    let path = begin(&served.client).await;
    (world, served, path)
}

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn features(client: &Client, path: &str) -> Value {
    client.get(&format!("/api/features?conversation={}", id_of(path))).await.json()
}

fn one(features: &Value, tool: &str) -> Value {
    let found = features.as_array().unwrap().iter().find(|one| one["tool"] == tool);
    found.unwrap_or_else(|| panic!("no {tool} in {features}")).clone()
}

async fn set(client: &Client, key: &str, value: Value) {
    let response = client.send("PUT", &format!("/api/kv/{key}"), json!({"value": value})).await;
    assert_eq!(response.status, 204, "{}", response.text);
}

async fn submit(client: &Client, path: &str, tool: &str, handler: &str, params: Value) -> Value {
    let body = json!({"tool": tool, "handler": handler, "params": params,
        "conversation": id_of(path)});
    let response = client.send("POST", "/api/tool_submit", body).await;
    response.json()
}

/// GD-06
#[tokio::test(flavor = "multi_thread")]
async fn gd_06_a_condition_is_evaluated_once_for_all_readers_and_changes_are_pushed() {
    let (world, served, path) = begun().await;
    let client = &served.client;
    let mut first = client.stream(&format!("{path}/stream"), None).await;
    let mut second = client.stream(&format!("{path}/stream"), None).await;
    let asked = || world.conditions.load(Ordering::SeqCst);
    assert_eq!(asked(), 2, "each of the two conditions once, for both readers");
    let open = format!("open-{}", id_of(&path));
    set(client, &open, json!(true)).await;
    for stream in [&mut first, &mut second] {
        assert_eq!(stream.until("kv_update").await.len(), 1);
    }
    world.clock.tick();
    for stream in [&mut first, &mut second] {
        assert_eq!(stream.until("features_changed").await.len(), 1);
    }
    assert_eq!(asked(), 4);
    assert_eq!(one(&features(client, &path).await, "game.enemy")["available"], true);
    // Without a change nothing is sent; a condition that fails hides its tool.
    let before = asked();
    world.clock.tick();
    while asked() < before + 2 {
        tokio::task::yield_now().await;
    }
    set(client, &open, json!("odd")).await;
    assert_eq!(first.until("kv_update").await.len(), 1);
    world.clock.tick();
    assert_eq!(first.until("features_changed").await.len(), 1);
    assert_eq!(one(&features(client, &path).await, "game.enemy")["available"], false);
    let other = begin(client).await;
    assert_eq!(one(&features(client, &other).await, "game.punch")["available"], false);
}

/// GD-06
#[tokio::test(flavor = "multi_thread")]
async fn gd_06_a_condition_is_evaluated_again_when_the_form_is_submitted() {
    let (_world, served, path) = begun().await;
    let client = &served.client;
    set(client, &format!("open-{}", id_of(&path)), json!(true)).await;
    let reply = submit(client, &path, "game.punch", "punch", json!({})).await;
    assert_eq!(reply["success"], true, "{reply}");
    set(client, &format!("open-{}", id_of(&path)), json!(false)).await;
    let refused = submit(client, &path, "game.punch", "punch", json!({})).await;
    assert_eq!(refused["error"]["message"], "its condition is false");
}

/// GD-10
#[tokio::test(flavor = "multi_thread")]
async fn gd_10_forms_keep_fields_that_the_server_does_not_know() {
    let (_world, served, path) = begun().await;
    let client = &served.client;
    let features = features(client, &path).await;
    assert_eq!(one(&features, "game.enemy")["feature"]["new_field"], json!([1]));
    let form = &one(&features, "game.notes")["feature"]["layout"]["components"];
    assert_eq!(form[1], json!({"id": "strange", "type": "hologram", "props": {"depth": 3}}));
    assert_eq!(one(&features, "game.punch")["feature"]["layout"], json!({"type": "instant"}));
    // An instant runs the handler with its name, which leaves a message in the conversation.
    set(client, &format!("open-{}", id_of(&path)), json!(true)).await;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    submit(client, &path, "game.punch", "punch", json!({})).await;
    let events = stream.until("entry").await;
    assert_eq!(events.last().unwrap().data["value"]["text"], "Assistant saw punch.");
    let shown = client.get(&path).await.json();
    assert_eq!(shown["entries"][0]["text"], "Assistant saw punch.", "{shown}");
}

/// GD-11
#[tokio::test(flavor = "multi_thread")]
async fn gd_11_a_handlers_reply_is_passed_on_unchanged() {
    let (_world, served, path) = begun().await;
    let client = &served.client;
    let reply = submit(client, &path, "game.notes", "add", json!({"text": "Milk"})).await;
    let expected = json!({"success": true, "message": {"text": "Milk"}, "clear_inputs": ["a"],
        "refresh_components": ["b"], "close_modal": true, "own": 1});
    assert_eq!(reply, expected);
    let broken = submit(client, &path, "game.notes", "breaks", json!({})).await;
    assert_eq!(broken, json!({"success": false, "error": "it fell over"}));
    let unknown = submit(client, &path, "game.notes", "nothing", json!({})).await;
    assert_eq!(unknown["error"]["code"], "not_found");
}

/// GD-18
#[tokio::test(flavor = "multi_thread")]
async fn gd_18_a_form_that_calls_a_tool_needs_approval_like_any_call() {
    let (_world, served, path) = begun().await;
    let client = &served.client;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let params = json!({"text": "Rain", "conversation_id": id_of(&path)});
    let reply = submit(client, &path, "game.wish", "game.wish", params.clone()).await;
    assert_eq!(reply["success"], true, "{reply}");
    let request = reply["waiting"]["request"].as_str().unwrap();
    let response = stream.until("approval").await;
    assert_eq!(response.last().unwrap().data["value"]["request"], request);
    assert!(client.get(&path).await.json()["entries"].as_array().unwrap().is_empty());
    let answer = json!({"answer": "approve"});
    let response = client.send("POST", &format!("/api/approvals/{request}"), answer).await.json();
    assert_eq!(response["settled"]["content"], "wished \"Rain\"");
    assert_eq!(response["settled"]["said"], json!(["User wished."]));
    let entry = stream.until("entry").await.pop().unwrap();
    assert_eq!(entry.data["value"]["text"], "User wished.");
    let short = submit(client, &path, "game.wish", "wish", json!({})).await;
    assert_eq!(short["success"], false, "{short}");
    // A form cannot call a tool of another file.
    let far = submit(client, &path, "game.wish", "look", json!({})).await;
    assert_eq!(far["error"]["code"], "not_found");
}

/// GD-12
#[tokio::test(flavor = "multi_thread")]
async fn gd_12_each_conversation_gets_its_own_keys() {
    let world = playing();
    let served = served(&world).await;
    let client = &served.client;
    let (one_path, other) = (begin(client).await, begin(client).await);
    for path in [&one_path, &other] {
        let found = one(&features(client, path).await, "game.enemy")["feature"].clone();
        assert_eq!(found["kv_key"], format!("hp-{}", id_of(path)));
        let max = &found["widget_config"]["max_value_key"];
        assert_eq!(*max, format!("hp_max-{}", id_of(path)));
    }
    let form = one(&features(client, &other).await, "game.notes")["feature"].clone();
    let source = &form["layout"]["components"][0]["data_source"];
    assert_eq!(source["key"], format!("count-{}", id_of(&other)));
    // Without a conversation, nothing is filled in.
    let bare = client.get("/api/features?conversation=").await.json();
    assert_eq!(one(&bare, "game.enemy")["feature"]["kv_key"], "hp-{conversation_id}");
}

/// GD-15
#[tokio::test(flavor = "multi_thread")]
async fn gd_15_a_new_file_appears_and_switches_survive_a_restart() {
    let world = playing();
    let before = served(&world).await;
    let client = &before.client;
    let path = begin(client).await;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let item = json!([{"order": 0, "name": "late", "callable": true, "signature": {},
        "schema": {"name": "late", "description": "Comes late."}}]);
    world.write_module("late.py", &item);
    before.registry.offer(world.registry());
    world.clock.tick();
    stream.until("features_changed").await;
    let has = |tools: &Value, id: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["id"] == id).unwrap();
        tool["on"].as_bool().unwrap()
    };
    assert!(has(&client.get("/api/tools").await.json(), "late.late"));
    let off = json!({"file": "game.py", "on": false});
    assert_eq!(client.send("POST", "/api/files/switch", off).await.status, 204);
    let switch = json!({"on": true});
    client.send("POST", "/api/tools/game.punch/switch", switch).await;
    world.clock.tick();
    stream.until("features_changed").await;
    drop(stream);
    before.end().await;
    let after = served(&world).await;
    let tools = after.client.get("/api/tools").await.json();
    let on = ["game.punch", "game.notes", "game.enemy", "late.late"].map(|id| has(&tools, id));
    assert_eq!(on, [true, false, false, true]);
    let shown = features(&after.client, &path).await;
    let shown: Vec<_> = shown.as_array().unwrap().iter().map(|one| one["tool"].clone()).collect();
    assert_eq!(shown, ["game.punch"]);
}

/// GD-15
#[tokio::test(flavor = "multi_thread")]
async fn gd_15_only_the_operator_can_switch_tools() {
    let mut world = playing();
    let (ana, ben) = world.add_owners();
    let served = served(&world).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    assert_eq!(ben.get("/api/session").await.json()["operator"], false);
    for (path, body) in [
        ("/api/tools/look/switch", json!({"on": false})),
        ("/api/files/switch", json!({"file": "game.py", "on": false})),
    ] {
        let response = ben.send("POST", path, body.clone()).await;
        assert_eq!(
            (response.status.as_u16(), &response.json()["error"]["code"]),
            (403, &json!("not_operator"))
        );
        assert_eq!(ana.send("POST", path, body).await.status, 204);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_listed_with_its_flags_documents_and_the_owners_last_calls() {
    let mut world = playing();
    let (ana, ben) = world.add_owners();
    let served = served(&world).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    for _ in 0..7 {
        ana.send("POST", "/api/tools/look/run", json!({"args": {}})).await;
    }
    let tool = async |client: &Client, id: &str| {
        let tools = client.get("/api/tools").await.json();
        tools.as_array().unwrap().iter().find(|tool| tool["id"] == id).unwrap().clone()
    };
    let look = tool(&ana, "look").await;
    assert_eq!(look["lastCalls"].as_array().unwrap().len(), 5);
    let last = &look["lastCalls"][0];
    assert_eq!((&last["verdict"], &last["ok"]), (&json!("run"), &json!(true)), "{last}");
    assert!(look["doc"].as_str().unwrap().contains("<h2>Summary</h2>"), "{look}");
    assert_eq!(tool(&ben, "look").await["lastCalls"], json!([]));
    let punch = tool(&ana, "game.punch").await;
    let set = punch["flags"].as_object().unwrap().iter().filter(|(_, on)| **on == true);
    let set: Vec<_> = set.map(|(name, _)| name.as_str()).collect();
    assert_eq!(set, ["conditional", "ui"]);
    assert_eq!(tool(&ana, "game.wish").await["flags"]["asksFirst"], true);
    assert_eq!(ana.get("/api/audit").await.json().as_array().unwrap().len(), 7);
    assert_eq!(ben.get("/api/audit").await.json(), json!([]));
}
