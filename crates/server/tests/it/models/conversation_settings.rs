//! What is chosen for one conversation: what the model gets, and what survives.

use fake_providers::Turn;
use serde_json::{Value, json};
use testkit::script::says;

use crate::support::model_world::ModelWorld;
use crate::support::test_server::{answered, at_rest, begin};

fn wanted() -> Value {
    json!({"model": "far:scripted", "systemPrompt": "Speak Latin.", "toolsOff": ["speak"],
        "sampling": {"temperature": 0.5, "topP": 0.9, "maxTokens": 77}})
}

fn offered(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_gets_what_was_chosen_and_a_call_of_a_tool_that_is_off_is_refused() {
    let world = ModelWorld::new().await;
    let served = world.serve(world.configured(), Some(vec![])).await;
    let client = &served.client;
    let path = begin(client).await;
    let set = client.send("PUT", &format!("{path}/settings"), wanted()).await;
    assert_eq!(set.status, 204, "{}", set.text);
    world.far.then(Turn::calls("speak", json!({})));
    world.says("Salve.");
    answered(client, &path, "Hello").await;
    let body = world.last_body();
    assert!(body["messages"][0]["content"].as_str().unwrap().starts_with("Speak Latin."), "{body}");
    assert_eq!((&body["temperature"], &body["top_p"]), (&json!(0.5), &json!(0.9)));
    assert_eq!(body["max_tokens"], 77);
    let tools = offered(&body);
    assert!(tools.contains(&"look") && !tools.contains(&"speak"), "{tools:?}");
    let shown = client.get(&path).await.json();
    let step = shown["entries"].as_array().unwrap().iter().find(|one| one["entry"] == "step");
    let state = &step.unwrap()["state"];
    assert_eq!((&state["state"], &state["verdict"]), (&json!("failed"), &json!("refuse")));
    assert!(state["content"].to_string().contains("switched this tool off"), "{state}");
    assert_eq!(world.world.ran.load(std::sync::atomic::Ordering::SeqCst), 0);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_settings_survive_a_restart_a_branch_and_an_export() {
    let world = ModelWorld::new().await;
    let served = world.serve(world.configured(), Some(vec![says("Hi.")])).await;
    let path = begin(&served.client).await;
    answered(&served.client, &path, "Hello").await;
    let first = served.client.get(&path).await.json()["entries"][0]["event"].clone();
    served.client.send("PUT", &format!("{path}/settings"), wanted()).await;
    served.end().await;

    let served = world.serve(world.configured(), Some(vec![])).await;
    let client = &served.client;
    assert_eq!(client.get(&format!("{path}/settings")).await.json(), wanted());
    assert_eq!(client.get(&path).await.json()["settings"], wanted());
    let copy = client.send("POST", &format!("{path}/branch"), json!({"event": first})).await.json();
    let copy = format!("/api/conversations/{}", copy["id"].as_str().unwrap());
    assert_eq!(client.get(&copy).await.json()["settings"], wanted());
    let file = client.get(&format!("{path}/export?as=json")).await.json();
    assert_eq!(file["settings"], wanted());
    let made = client.send("POST", "/api/conversations/import", file).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let made = format!("/api/conversations/{}", made.json()["id"].as_str().unwrap());
    assert_eq!(client.get(&made).await.json()["settings"], wanted());
    let text = client.get(&format!("{path}/export?as=md")).await.text;
    for line in ["- Model: far:scripted\n", "- temperature: 0.5\n", "> Speak Latin.\n"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_are_refused_and_change_nothing() {
    let world = ModelWorld::new().await;
    let served = world.serve(world.configured(), Some(vec![])).await;
    let client = &served.client;
    let path = format!("{}/settings", begin(client).await);
    for wrong in [
        json!({"sampling": {"temperature": 3}}),
        json!({"sampling": []}),
        json!({"toolsOff": vec!["x"; 1_001]}),
        json!({"systemPrompt": "x".repeat(100_001)}),
        json!({"unknown": 1}),
        json!([]),
    ] {
        let refused = client.send("PUT", &path, wrong.clone()).await;
        assert_eq!(refused.status, 400, "{}", refused.text);
    }
    let gone = client.send("PUT", &path, json!({"model": "nobody:x"})).await;
    assert_eq!(gone.status, 409, "{}", gone.text);
    assert_eq!(client.get(&path).await.json(), json!({"sampling": {}}));
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn presets_are_kept_under_their_names_for_their_owner() {
    let mut world = ModelWorld::new().await;
    let (ana, ben) = world.world.add_owners();
    let served = world.serve(world.configured(), Some(vec![])).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let preset = json!({"settings": wanted()});
    for name in ["Latin%20%2F%20slow", "Another"] {
        let kept = ana.send("PUT", &format!("/api/presets/{name}"), preset.clone()).await;
        assert_eq!(kept.status, 204, "{}", kept.text);
    }
    let list = ana.get("/api/presets").await.json();
    assert_eq!(list[1], json!({"name": "Latin / slow", "settings": wanted()}));
    assert_eq!(ben.get("/api/presets").await.json(), json!([]));
    ben.send("DELETE", "/api/presets/Another", Value::Null).await;
    assert_eq!(ana.get("/api/presets").await.json().as_array().unwrap().len(), 2);
    ana.send("DELETE", "/api/presets/Another", Value::Null).await;
    assert_eq!(ana.get("/api/presets").await.json().as_array().unwrap().len(), 1);
    let bad = json!({"settings": {"sampling": {"topP": 2}}});
    assert_eq!(ana.send("PUT", "/api/presets/Bad", bad).await.status, 400);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_of_tools_is_off_and_a_running_turn_goes_on_as_it_began() {
    let world = ModelWorld::new().await;
    let served = world.serve(world.configured(), Some(vec![])).await;
    let client = &served.client;
    let path = begin(client).await;
    let gate = fake_providers::Gate::new();
    world.far.then(Turn::says("Slow.").gate(&gate));
    client.send("PUT", &format!("{path}/model"), json!({"model": "far:one"})).await;
    client.send("POST", &format!("{path}/messages"), json!({"text": "Hello"})).await;
    gate.reached().await;
    let set = json!({"model": "far:two", "toolsOff": ["look", "send.*"]});
    let set = client.send("PUT", &format!("{path}/settings"), set).await;
    assert_eq!(set.status, 204, "{}", set.text);
    gate.open();
    at_rest(client, &path).await;
    world.says("Fast.");
    answered(client, &path, "Again").await;
    assert_eq!(world.asked(), ["one", "two"]);
    let body = world.last_body();
    assert_eq!(offered(&body), ["send", "speak"]);
    served.end().await;
}
