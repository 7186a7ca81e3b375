//! A server that ends leaves nothing half done, and a conversation that goes leaves nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, calls, says};

use crate::world::{World, answered, begin, say};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_streams_may_finish_while_the_server_ends() {
    let world = World::new();
    let gate = Gate::new();
    let model =
        Arc::new(ScriptedModel::new([Step::new().says("Well, ").waits(&gate).says("yes.")]));
    let served = world.serve(&model).await;
    let client = served.client.clone();
    let path = begin(&client).await;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    say(&client, &path, "Go!").await;
    gate.reached().await;
    let ending = tokio::spawn(served.end());
    gate.open();
    let events = stream.until("RUN_FINISHED").await;
    assert_eq!(events.last().unwrap().data["outcome"]["type"], "success");
    ending.await.unwrap();
    assert!(stream.next().await.is_none(), "the stream has its end");
    model.assert_used_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_does_not_finish_is_left_to_the_next_server() {
    let mut world = World::new();
    world.limits.parting_time_max = Duration::from_millis(1);
    let gate = Gate::new();
    let model =
        Arc::new(ScriptedModel::new([Step::new().says("Well, ").waits(&gate), says("Yes.")]));
    let served = world.serve(&model).await;
    let client = served.client.clone();
    let path = begin(&client).await;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    say(&client, &path, "Go!").await;
    let seen = stream.until("TEXT_MESSAGE_CONTENT").await;
    gate.reached().await;
    served.end().await;
    while stream.next().await.is_some() {}
    let served = world.serve(&model).await;
    let client = &served.client;
    // What was live is counted anew there, so a reader that comes back is told to reload.
    let last = seen.last().unwrap().id.clone();
    let mut back = client.stream(&format!("{path}/stream"), Some(&last)).await;
    assert_eq!(back.next().await.unwrap().name(), "reload");
    while client.get(&path).await.json()["open"] == true {
        tokio::task::yield_now().await;
    }
    let view = client.get(&path).await.json();
    let texts: Vec<_> = view["entries"].as_array().unwrap().iter().map(|e| &e["text"]).collect();
    assert_eq!(texts, [&json!("Go!"), &json!("Yes.")]);
    model.assert_used_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_outlives_its_server_and_is_answered_at_the_next() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({})), says("Sent.")]));
    let served = world.serve(&model).await;
    let path = begin(&served.client).await;
    let mut stream = served.client.stream(&format!("{path}/stream"), None).await;
    say(&served.client, &path, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    served.end().await;
    let served = world.serve(&model).await;
    let client = &served.client;
    let view = client.get(&path).await.json();
    assert_eq!((&view["open"], &view["running"]), (&json!(true), &json!(false)));
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    let request = view["waiting"][0]["request"].as_str().unwrap();
    let answer = format!("/api/approvals/{request}");
    assert_eq!(client.send("POST", &answer, json!({"answer": "approve"})).await.status, 202);
    stream.until("RUN_FINISHED").await;
    assert_eq!(world.ran.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_conversation_leaves_no_question_no_note_and_of_its_effects_only_the_fact() {
    let world = World::new();
    let said = json!({"text": "private words"});
    let model = Arc::new(ScriptedModel::new([
        calls("send", said.clone()),
        says("Sent."),
        calls("send", said),
    ]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    say(client, &path, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    let open = client.get("/api/approvals").await.json();
    let answer = format!("/api/approvals/{}", open[0]["id"].as_str().unwrap());
    client.send("POST", &answer, json!({"answer": "approve"})).await;
    stream.until("RUN_FINISHED").await;
    answered(client, &path, "Once more!").await;
    assert_eq!(client.get("/api/approvals").await.json().as_array().unwrap().len(), 1);
    assert!(world.kept().await.contains("private words"));
    assert_eq!(client.send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(client.get("/api/approvals").await.json(), json!([]));
    assert_eq!(client.send("POST", &answer, json!({"answer": "approve"})).await.status, 409);
    served.end().await;
    let kept = world.kept().await;
    assert!(!kept.contains("private words") && !kept.contains("Send it!"), "{kept}");
    let ledger: Vec<_> = kept.lines().filter(|line| line.starts_with("ledger/")).collect();
    assert_eq!(ledger.len(), 1, "the effect happened");
    assert!(ledger[0].contains(r#""is":"done""#) && ledger[0].contains(r#""data":null"#));
    assert!(!kept.lines().any(|line| line.starts_with("approval")), "{kept}");
}
