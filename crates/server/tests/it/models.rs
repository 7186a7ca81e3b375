//! Which model answers: chosen for a conversation, for one message, or for all new ones.

mod conversation_settings;
mod providers;

use serde_json::{Value, json};
use testkit::script::says;

use crate::support::client::Client;
use crate::support::model_world::ModelWorld;
use crate::support::test_server::{answered, at_rest, begin};

async fn put(client: &Client, path: &str, body: Value) {
    let response = client.send("PUT", path, body).await;
    assert_eq!(response.status, 204, "{path}: {}", response.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_keeps_the_model_that_was_chosen_for_it() {
    let world = ModelWorld::new().await;
    let served = world.serve(world.configured(), Some(vec![says("Own.")])).await;
    let client = &served.client;
    let list = client.get("/api/models").await.json();
    assert_eq!(list["default"], "script:scripted");
    let ids: Vec<_> = list["models"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert!(ids.contains(&&json!("far:gpt-5.4")) && ids.contains(&&json!("rehearsal")), "{ids:?}");
    let path = begin(client).await;
    answered(client, &path, "Hello").await;
    put(client, &format!("{path}/model"), json!({"model": "far:gpt-5.4"})).await;
    world.says("Far.");
    answered(client, &path, "And you?").await;
    assert_eq!(world.asked(), ["gpt-5.4"]);
    served.end().await;

    let served = world.serve(world.configured(), Some(vec![])).await;
    let shown = served.client.get(&path).await.json();
    assert_eq!((&shown["model"], &shown["modelGone"]), (&json!("far:gpt-5.4"), &Value::Null));
    world.says("Still far.");
    answered(&served.client, &path, "Still there?").await;
    assert_eq!(world.asked().len(), 2);
    // Another conversation is not affected, and an unknown model cannot be chosen.
    let other = begin(&served.client).await;
    assert_eq!(served.client.get(&other).await.json()["model"], "script:scripted");
    let model = format!("{other}/model");
    let refused = served.client.send("PUT", &model, json!({"model": "no:x"})).await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("there is no provider `no`"), "{}", refused.text);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_comes_from_another_model_and_the_log_says_so() {
    let world = ModelWorld::new().await;
    let steps = vec![says("First."), says("Third.")];
    let served = world.serve(world.configured(), Some(steps)).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Hello").await;
    world.says("Second.");
    let again = json!({"model": "far:gpt-5.4"});
    let response = client.send("POST", &format!("{path}/regenerate"), again).await;
    assert_eq!(response.status, 202, "{}", response.text);
    at_rest(client, &path).await;
    let shown = client.get(&path).await.json();
    let entries = shown["entries"].as_array().unwrap();
    assert_eq!(entries[0]["model"], "far:gpt-5.4");
    assert_eq!(entries[1]["text"], "Second.");
    assert_eq!(shown["model"], "script:scripted");
    answered(client, &path, "And now?").await;
    let shown = client.get(&path).await.json();
    assert_eq!(shown["entries"].as_array().unwrap().last().unwrap()["text"], "Third.");
    world.says("Fourth.");
    let message = json!({"text": "Once more", "model": "far:gpt-4o"});
    client.send("POST", &format!("{path}/messages"), message).await;
    at_rest(client, &path).await;
    assert_eq!(world.asked(), ["gpt-5.4", "gpt-4o"]);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn favourites_and_the_default_belong_to_their_owner() {
    let mut world = ModelWorld::new().await;
    let (ana, ben) = world.world.add_owners();
    let served = world.serve(world.configured(), Some(vec![])).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let wanted = json!({"default": "far:gpt-5.4", "favourites": ["far:gpt-4o", "far:gpt-4o"]});
    put(&ana, "/api/models/preferences", wanted).await;
    let list = ana.get("/api/models").await.json();
    assert_eq!((&list["default"], &list["chosen"]), (&json!("far:gpt-5.4"), &json!(true)));
    assert_eq!(list["favourites"], json!(["far:gpt-4o"]));
    assert_eq!(ana.get("/api/session").await.json()["model"], "far:gpt-5.4");
    let list = ben.get("/api/models").await.json();
    assert_eq!((&list["default"], &list["favourites"]), (&json!("script:scripted"), &json!([])));
    let path = begin(&ana).await;
    assert_eq!(ana.get(&path).await.json()["model"], "far:gpt-5.4");
    // A later default changes no conversation that exists.
    put(&ana, "/api/models/preferences", json!({"default": null, "favourites": []})).await;
    assert_eq!(ana.get(&path).await.json()["model"], "far:gpt-5.4");
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_whose_model_is_gone_says_so_and_takes_another() {
    let world = ModelWorld::new().await;
    let served = world.serve(world.configured(), Some(vec![])).await;
    let response =
        served.client.send("POST", "/api/conversations", json!({"model": "far:gpt-5.4"}));
    let id = response.await.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/conversations/{id}");
    served.end().await;

    let served = world.serve(Vec::new(), Some(vec![says("Here.")])).await;
    let client = &served.client;
    let shown = client.get(&path).await.json();
    assert_eq!(shown["modelGone"], "there is no provider `far`");
    let message = json!({"text": "Anybody?"});
    client.send("POST", &format!("{path}/messages"), message).await;
    at_rest(client, &path).await;
    let shown = client.get(&path).await.json();
    let last = shown["entries"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["how"]["fault"]["kind"], "unknown_model", "{last}");
    assert_eq!(last["how"]["fault"]["fix"], "choose another model for this conversation");
    put(client, &format!("{path}/model"), json!({"model": null})).await;
    client.send("POST", &format!("{path}/regenerate"), json!({})).await;
    at_rest(client, &path).await;
    let shown = client.get(&path).await.json();
    assert_eq!(shown["entries"].as_array().unwrap().last().unwrap()["text"], "Here.");
    assert_eq!(shown["modelGone"], Value::Null);
    served.end().await;
}
