//! Temporary conversations: in no list, and nothing of them is left.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};
use store::{PageRequest, Pages, Store};
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, calls, says};

use crate::support::client::Client;
use crate::support::test_server::{World, answered, at_rest, begin};

async fn begin_temporary(client: &Client) -> String {
    let response = client.send("POST", "/api/conversations", json!({"temporary": true})).await;
    assert_eq!(response.status, 201, "{}", response.text);
    format!("/api/conversations/{}", response.json()["id"].as_str().unwrap())
}

/// The names of all keys and logs of the store, but the audit, which has no content.
async fn names(world: &World) -> BTreeSet<String> {
    let everything = "".parse().unwrap();
    let mut names = BTreeSet::new();
    let mut pages = Pages::of(500);
    while let Some(request) = pages.request() {
        let keys = pages.items(world.store.kv().keys(&everything, request).await.unwrap());
        names.extend(keys.iter().map(ToString::to_string));
    }
    let mut pages = Pages::of(500);
    while let Some(request) = pages.request() {
        let logs = pages.items(world.store.log().logs(&everything, request).await.unwrap());
        names.extend(logs.iter().map(ToString::to_string).filter(|log| log != "audit"));
    }
    names
}

/// Waits until a conversation does not exist any more.
async fn is_gone(client: &Client, path: &str) {
    while client.get(path).await.status != 404 {
        tokio::task::yield_now().await;
    }
}

/// Fills a conversation: a file, a write that a person approved, a key of a tool, a folder of
/// documents, personas, settings.
async fn fill(client: &Client, path: &str) {
    let id = path.rsplit('/').next().unwrap();
    let mut request = client.request("POST", "/api/attachments?name=a.txt", "");
    *request.body_mut() = Full::new(Bytes::from_static(b"A private letter."));
    let kind = "application/octet-stream".parse().unwrap();
    request.headers_mut().insert("content-type", kind);
    let file = client.respond(request).await.json();
    let files = json!([{"digest": file["digest"]}]);
    let body = json!({"text": "Send the private letter", "files": files});
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let response = client.send("POST", &format!("{path}/messages"), body).await;
    assert_eq!(response.status, 202, "{}", response.text);
    stream.until("RUN_FINISHED").await;
    at_rest(client, path).await;
    let question = client.get("/api/approvals").await.json()[0]["id"].clone();
    let answer = format!("/api/approvals/{}", question.as_str().unwrap());
    client.send("POST", &answer, json!({"answer": "approve"})).await;
    stream.until("RUN_FINISHED").await;
    at_rest(client, path).await;
    let key = format!("/api/kv/mood-{id}");
    assert_eq!(client.send("PUT", &key, json!({"value": "calm"})).await.status, 204);
    let folder = json!({"name": "Letters", "conversation": id});
    let folder = client.send("POST", "/api/kb", folder).await.json();
    let files = format!("/api/kb/{}/files", folder["id"].as_str().unwrap());
    let added = client.send("POST", &files, json!({"digest": file["digest"]})).await;
    assert_eq!(added.status, 201, "{}", added.text);
    let settings = json!({"systemPrompt": "Whisper."});
    client.send("PUT", &format!("{path}/settings"), settings).await;
}

/// A second write, which was cut off: its key in the ledger.
async fn in_doubt(world: &World) -> String {
    let prefix = "ledger/".parse().unwrap();
    let page = world.store.kv().list(&prefix, PageRequest::first(10)).await.unwrap();
    let [entry] = page.items.as_slice() else { panic!("{page:?}") };
    let mut line: Value = entry.value.to().unwrap();
    assert_eq!(line["state"]["is"], "done");
    line["state"] = json!({"is": "in_doubt", "at": 1, "because": "it was cut off", "late": null});
    let key = format!("{}f", entry.key);
    let (value, absent) = (store::Json::of(&line).unwrap(), store::Expected::Absent);
    let never = store::Expiry::Never;
    world.store.kv().set(&key.parse().unwrap(), value, absent, never).await.unwrap();
    key
}

fn letter() -> Vec<Step> {
    vec![calls("send", json!({"text": "secret words"})), says("Sent.")]
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_a_temporary_conversation_is_left() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([says("Hello.")].into_iter().chain(letter())));
    let served = world.serve(&model).await;
    let client = &served.client;
    // An ordinary conversation first, so that what every server keeps is there already.
    answered(client, &begin(client).await, "Hello").await;
    client.get("/api/session").await;
    let before = names(&world).await;
    let path = begin_temporary(client).await;
    fill(client, &path).await;
    assert!(names(&world).await.len() > before.len() + 5);
    // It is in no list and no search, and can be opened.
    assert_eq!(client.get("/api/conversations").await.json().as_array().unwrap().len(), 1);
    for query in ["?search=letter", "?archived=all", "?search=letter&archived=all"] {
        let found = client.get(&format!("/api/conversations{query}")).await.text;
        assert!(!found.contains("letter"), "{query}: {found}");
    }
    assert_eq!(client.get(&path).await.json()["temporary"], true);
    assert_eq!(client.send("PATCH", &path, json!({"pinned": true})).await.status, 409);
    let share = client.send("POST", &format!("{path}/shares"), json!({})).await;
    assert_eq!(share.status, 409, "{}", share.text);
    let doubt = in_doubt(&world).await;
    assert_eq!(client.send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(client.get(&path).await.status, 404);
    served.end().await;
    let left: Vec<_> = names(&world).await.difference(&before).cloned().collect();
    assert_eq!(left, [doubt], "a person has yet to find out about this one");
    let all = world.stored_values().await;
    for private in ["private letter", "secret words", "calm", "Letters", "Whisper"] {
        assert!(!all.contains(private), "{private} in {all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_leaves_deletes_it_and_a_running_answer_ends() {
    let mut world = World::new();
    world.limits.temporary_idle = Duration::ZERO;
    let gate = Gate::new();
    let model =
        Arc::new(ScriptedModel::new([says("Hello."), Step::new().waits(&gate).says("Never.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin_temporary(client).await;
    let stream = client.stream(&format!("{path}/stream"), None).await;
    answered(client, &path, "Hello").await;
    assert_eq!(client.get(&path).await.status, 200, "somebody is still there");
    drop(stream);
    is_gone(client, &path).await;
    // Nobody reads the answer any more.
    let path = begin_temporary(client).await;
    let stream = client.stream(&format!("{path}/stream"), None).await;
    crate::support::test_server::say(client, &path, "Hello").await;
    drop(stream);
    is_gone(client, &path).await;
    gate.open();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_server_deletes_it_and_the_start_of_the_next_what_a_killed_one_left() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([says("Hello."), says("Hello.")]));
    let served = world.serve(&model).await;
    let path = begin_temporary(&served.client).await;
    answered(&served.client, &path, "Hello").await;
    let id = path.rsplit('/').next().unwrap().to_owned();
    let line = format!("pad/local/talk/{id}").parse().unwrap();
    let line_of = world.store.kv().get(&line).await.unwrap().unwrap();
    let log = format!("talk/{id}").parse().unwrap();
    let events = world.store.log().read(&log, store::Sequence::FIRST, 100).await.unwrap();
    served.end().await;
    assert!(!names(&world).await.iter().any(|name| name.contains(&id)));
    // As if the server had been killed: another id, because an erased log stays erased.
    let other = "f".repeat(32);
    let value = line_of.value.as_str().replace(&id, &other);
    let key = format!("pad/local/talk/{other}").parse().unwrap();
    let (value, log) = (value.parse().unwrap(), format!("talk/{other}").parse().unwrap());
    let (any, never) = (store::Expected::Any, store::Expiry::Never);
    world.store.kv().set(&key, value, any, never).await.unwrap();
    for event in events {
        world.store.log().append(&log, event.body, None).await.unwrap();
    }
    let served = world.serve(&model).await;
    assert_eq!(served.client.get(&format!("/api/conversations/{other}")).await.status, 404);
    assert!(!names(&world).await.iter().any(|name| name.contains(&other)));
}
