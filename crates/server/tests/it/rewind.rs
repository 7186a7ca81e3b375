//! Turns that are edited, regenerated or deleted: the log keeps them, and nothing else uses them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, calls, says};

use crate::support::client::Client;
use crate::support::test_server::{World, answered, approve_open, at_rest, begin, begin_with, say};

fn script(steps: impl IntoIterator<Item = Step>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(steps))
}

/// The texts of both sides, with the numbers of their turns.
async fn texts(client: &Client, path: &str) -> Vec<(u64, String)> {
    let view = client.get(path).await.json();
    let entries = view["entries"].as_array().unwrap().clone();
    let texts = entries.iter().filter(|entry| entry["text"].is_string());
    texts
        .map(|entry| (entry["turn"].as_u64().unwrap(), entry["text"].as_str().unwrap().to_owned()))
        .collect()
}

fn lines(expected: &[(u64, &str)]) -> Vec<(u64, String)> {
    expected.iter().map(|(turn, text)| (*turn, (*text).to_owned())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_deletes_the_turn_and_all_later_ones() {
    let world = World::new();
    let model = script(["One.", "Two.", "Three."].map(says));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "first").await;
    answered(client, &path, "second").await;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let last = client.get(&path).await.json()["last"].to_string();
    let edit = json!({"turn": 1, "text": "other"});
    let edited = client.send("POST", &format!("{path}/edit"), edit).await;
    assert_eq!((edited.status.as_u16(), edited.json()), (202, json!({"turn": 3})));
    let events = stream.until("RUN_FINISHED").await;
    let reload = json!({"because": "taken_back", "first": 1, "last": 2});
    assert_eq!((events[0].name(), &events[0].data["value"]), ("reload", &reload));
    at_rest(client, &path).await;
    assert_eq!(texts(client, &path).await, lines(&[(3, "other"), (3, "Three.")]));
    let asked = serde_json::to_string(&model.request(2).messages).unwrap();
    assert!(asked.contains("other") && !asked.contains("first") && !asked.contains("Two."));
    // A reader that reconnects gets the same, once.
    let mut late = client.stream(&format!("{path}/stream"), Some(&last)).await;
    let again = late.until("RUN_FINISHED").await;
    // Of blocks that were rendered several times only the newest are buffered.
    let ids = |events: &[crate::support::client::Event]| {
        let events_left = events.iter().filter(|event| event.name() != "rendered");
        events_left.map(|event| event.id.clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&again), ids(&events));
    let line = client.get("/api/conversations").await.json();
    assert_eq!((&line[0]["turns"], &line[0]["title"]), (&json!(1), &json!("first")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_regenerated_turn_repeats_a_write_only_with_approval() {
    let world = World::new();
    let send = || calls("send", json!({"text": "hi"}));
    let model = script([send(), says("Sent."), send(), says("As you wish.")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    approve_open(client).await;
    stream.until("RUN_FINISHED").await;
    at_rest(client, &path).await;
    let again = client.send("POST", &format!("{path}/regenerate"), json!({})).await;
    assert_eq!((again.status.as_u16(), again.json()), (202, json!({"turn": 2})));
    stream.until("RUN_FINISHED").await;
    assert_eq!(world.ran.load(Ordering::SeqCst), 1, "the ledger has the first");
    let open = client.get("/api/approvals").await.json();
    assert!(open[0]["why"].to_string().contains("ledger.repeated-write"), "{open}");
    let answer = format!("/api/approvals/{}", open[0]["id"].as_str().unwrap());
    client.send("POST", &answer, json!({"answer": "decline"})).await;
    stream.until("RUN_FINISHED").await;
    at_rest(client, &path).await;
    assert_eq!(texts(client, &path).await, lines(&[(2, "Send it!"), (2, "As you wish.")]));
    model.assert_used_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_turn_can_be_deleted_or_all_from_it_on() {
    let world = World::new();
    let model = script(["One.", "Two.", "Three.", "Four."].map(says));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    for text in ["a", "b", "c"] {
        answered(client, &path, text).await;
    }
    let remove = async |turn: &str| {
        let path = format!("{path}/messages/{turn}");
        client.send("DELETE", &path, json!({})).await.status.as_u16()
    };
    assert_eq!(remove("2").await, 204);
    let left = lines(&[(1, "a"), (1, "One."), (3, "c"), (3, "Three.")]);
    assert_eq!(texts(client, &path).await, left);
    assert_eq!(remove("2").await, 404);
    assert_eq!(remove("9?after=true").await, 404);
    assert_eq!(remove("1?after=true").await, 204);
    assert_eq!(texts(client, &path).await, lines(&[]));
    assert_eq!(client.send("POST", &format!("{path}/regenerate"), json!({})).await.status, 404);
    answered(client, &path, "d").await;
    assert_eq!(texts(client, &path).await, lines(&[(4, "d"), (4, "Four.")]));
    assert_eq!(client.get("/api/conversations?search=one").await.json(), json!([]));
    assert_eq!(client.get("/api/conversations?search=four").await.json()[0]["turns"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_turn_must_be_stopped_first_and_a_waiting_one_is_withdrawn() {
    let world = World::new();
    let gate = Gate::new();
    let waits = Step::new().says("Well, ").waits(&gate);
    let model = script([waits, calls("send", json!({})), says("Other.")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Go!").await;
    gate.reached().await;
    for (method, end, body) in [
        ("POST", "edit", json!({"turn": 1, "text": "x"})),
        ("POST", "regenerate", json!({})),
        ("DELETE", "messages/1", json!({})),
    ] {
        let response = client.send(method, &format!("{path}/{end}"), body).await;
        assert_eq!(response.status, 409, "{end}");
        assert_eq!(response.json()["error"]["fix"], "stop it, or wait");
    }
    client.send("POST", &format!("{path}/stop"), json!({})).await;
    stream.until("RUN_FINISHED").await;
    at_rest(client, &path).await;
    say(client, &path, "Send!").await;
    stream.until("RUN_FINISHED").await;
    at_rest(client, &path).await;
    let earlier = client.send("DELETE", &format!("{path}/messages/1"), json!({})).await;
    assert_eq!(earlier.status, 409, "{}", earlier.text);
    let edit = json!({"turn": 2, "text": "Do not."});
    assert_eq!(client.send("POST", &format!("{path}/edit"), edit).await.status, 202);
    let events = stream.until("RUN_FINISHED").await;
    let starts = events.iter().filter(|event| event.kind == "RUN_STARTED").count();
    assert_eq!(starts, 1, "the waiting run does not end twice");
    assert_eq!(client.get("/api/approvals").await.json(), json!([]));
    assert_eq!(world.ran.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_ends_at_the_event_of_an_entry() {
    let world = World::new();
    let model = script([calls("look", json!({})), says("Seen."), says("More."), says("Else.")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Look!").await;
    answered(client, &path, "And?").await;
    let entries = client.get(&path).await.json()["entries"].clone();
    let seen = entries.as_array().unwrap().iter().find(|entry| entry["text"] == "Seen.").unwrap();
    let at = json!({"event": seen["event"]});
    let branch = client.send("POST", &format!("{path}/branch"), at).await.json();
    let copy = format!("/api/conversations/{}", branch["id"].as_str().unwrap());
    let view = client.get(&copy).await.json();
    assert_eq!(view["open"], false, "the copy includes the turn's end");
    assert_eq!(texts(client, &copy).await, lines(&[(1, "Look!"), (1, "Seen.")]));
    let without = |entries: &Value| entries.as_array().unwrap().iter().take(3).cloned().collect();
    let (one, other): (Vec<Value>, Vec<Value>) = (without(&entries), without(&view["entries"]));
    assert_eq!(one, other);
    answered(client, &copy, "On.").await;
    let ada = client.send("POST", "/api/personas", json!({"name": "Ada"})).await.json();
    let chosen = json!({"ids": [ada["id"]]});
    client.send("PUT", &format!("{copy}/personas"), chosen).await;
    assert_eq!(client.get(&copy).await.json()["personas"], json!([ada["id"]]));
    assert_eq!(client.get(&path).await.json()["personas"], json!([]));
    assert_eq!(texts(client, &path).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_version_of_a_message_is_chosen_with_what_followed_it() {
    let world = World::new();
    let model = script(["One.", "Two.", "Three.", "Four."].map(says));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "first").await;
    answered(client, &path, "second").await;
    let edit = json!({"turn": 1, "text": "other"});
    client.send("POST", &format!("{path}/edit"), edit).await;
    at_rest(client, &path).await;
    let versions = async || {
        let view = client.get(&path).await.json();
        view["entries"][0]["versions"].clone()
    };
    assert_eq!(versions().await, json!([1, 3]));
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let choose = async |turn: u64| {
        let body = json!({"turn": turn});
        client.send("POST", &format!("{path}/version"), body).await.status.as_u16()
    };
    assert_eq!(choose(1).await, 204);
    let events = stream.until("reload").await;
    let reload = json!({"because": "version_chosen", "turn": 1});
    assert_eq!(events.last().unwrap().data["value"], reload);
    let first = lines(&[(1, "first"), (1, "One."), (2, "second"), (2, "Two.")]);
    assert_eq!(texts(client, &path).await, first);
    assert_eq!(versions().await, json!([1, 3]));
    assert_eq!((choose(1).await, choose(2).await, choose(9).await), (204, 204, 404));
    assert_eq!(choose(3).await, 204);
    assert_eq!(texts(client, &path).await, lines(&[(3, "other"), (3, "Three.")]));
    // A file has what is in use, and its list of conversations too.
    let file = client.get(&format!("{path}/export?as=json")).await.json();
    assert_eq!(file["entries"].as_array().unwrap().len(), 2);
    assert_eq!(file["entries"][0].get("versions"), None);
    assert_eq!(client.get("/api/conversations").await.json()[0]["turns"], 1);
}
