//! Shutdown, crashes and deleted conversations leave nothing half done.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, calls, says};

use crate::support::test_server::{World, answered, approve_open, at_rest, begin, begin_with};

#[tokio::test(flavor = "multi_thread")]
async fn a_streaming_turn_may_finish_during_shutdown() {
    let world = World::new();
    let gate = Gate::new();
    let model =
        Arc::new(ScriptedModel::new([Step::new().says("Well, ").waits(&gate).says("yes.")]));
    let served = world.serve(&model).await;
    let client = served.client.clone();
    let (_, mut stream) = begin_with(&client, "Go!").await;
    gate.reached().await;
    let ending = tokio::spawn(served.end());
    gate.open();
    let events = stream.until("RUN_FINISHED").await;
    assert_eq!(events.last().unwrap().data["outcome"]["type"], "success");
    ending.await.unwrap();
    assert!(stream.next().await.is_none(), "the stream was closed");
    model.assert_used_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_does_not_finish_is_left_to_the_next_server() {
    let mut world = World::new();
    world.limits.shutdown_time_max = Duration::from_millis(1);
    let gate = Gate::new();
    let model =
        Arc::new(ScriptedModel::new([Step::new().says("Well, ").waits(&gate), says("Yes.")]));
    let served = world.serve(&model).await;
    let client = served.client.clone();
    let (path, mut stream) = begin_with(&client, "Go!").await;
    let seen = stream.until("TEXT_MESSAGE_CONTENT").await;
    gate.reached().await;
    served.end().await;
    while stream.next().await.is_some() {}
    let served = world.serve(&model).await;
    let client = &served.client;
    // Live positions start again there, so a reader that reconnects has to reload.
    let last = seen.last().unwrap().id.clone();
    let mut back = client.stream(&format!("{path}/stream"), Some(&last)).await;
    assert_eq!(back.next().await.unwrap().name(), "reload");
    while client.get(&path).await.json()["open"] == true {
        tokio::task::yield_now().await;
    }
    let view = client.get(&path).await.json();
    let texts: Vec<_> = view["entries"].as_array().unwrap().iter().map(|e| &e["text"]).collect();
    // What a person has seen is kept, and marked as interrupted.
    assert_eq!(texts, [&json!("Go!"), &json!("Well, "), &Value::Null, &json!("Yes.")]);
    assert_eq!(view["entries"][2]["entry"], "broke_off");
    model.assert_used_up();
}

/// Entries without the numbers of their events.
fn entries(view: &Value) -> Vec<Value> {
    let mut entries = view["entries"].as_array().unwrap().clone();
    for entry in &mut entries {
        entry.as_object_mut().unwrap().remove("event");
    }
    entries
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_answer_is_kept_in_the_stream_the_view_and_every_copy() {
    let world = World::new();
    let gate = Gate::new();
    let model = Arc::new(ScriptedModel::new([
        Step::new().says("Once *upon* ").says("a time").waits(&gate),
        says("Fine."),
    ]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Tell me!").await;
    gate.reached().await;
    stream.until("TEXT_MESSAGE_CONTENT").await;
    // A reader that connects in the middle gets all of it.
    let half = client.get(&path).await.json();
    let after = format!("{path}/stream?after={}", half["last"]);
    let mut late = client.stream(&after, None).await;
    assert_eq!(half["running"], true);
    assert_eq!(half["entries"].as_array().unwrap().len(), 1, "{half}");
    client.send("POST", &format!("{path}/stop"), json!({})).await;
    let events = late.until("RUN_FINISHED").await;
    let words = events.iter().filter(|event| event.kind == "TEXT_MESSAGE_CONTENT");
    let words: String = words.map(|event| event.data["delta"].as_str().unwrap()).collect();
    assert_eq!(words, "Once *upon* a time");
    assert_eq!(events.last().unwrap().data["outcome"]["type"], "cancelled");
    let sent = events.iter().filter(|event| event.name() == "entry");
    let sent: Vec<_> = sent.map(|event| event.data["value"].clone()).collect();
    at_rest(client, &path).await;
    let view = client.get(&path).await.json();
    let shown = entries(&view);
    assert_eq!(shown[1]["text"], "Once *upon* a time");
    assert_eq!(shown[1]["html"], "<p>Once <em>upon</em> a time</p>\n");
    assert_eq!(shown[2]["how"]["how"], "cancelled");
    let answer = sent.iter().find(|entry| entry["entry"] == "assistant").unwrap();
    assert_eq!((&answer["key"], &answer["text"]), (&shown[1]["key"], &shown[1]["text"]));
    let file = client.get(&format!("{path}/export?as=json")).await.json();
    let text = client.get(&format!("{path}/export?as=md")).await.text;
    assert!(text.contains("Once *upon* a time\n\n*Stopped.*"), "{text}");
    let imported = client.send("POST", "/api/conversations/import", file).await;
    assert_eq!(imported.status, 201, "{}", imported.text);
    let copy = format!("/api/conversations/{}", imported.json()["id"].as_str().unwrap());
    assert_eq!(entries(&client.get(&copy).await.json()), shown);
    // The model receives it, and a person can ask again.
    let again = client.send("POST", &format!("{path}/regenerate"), json!({})).await;
    assert_eq!(again.status, 202, "{}", again.text);
    at_rest(client, &path).await;
    let view = client.get(&path).await.json();
    assert_eq!(view["entries"].as_array().unwrap().len(), 2, "{view}");
    assert_eq!(view["entries"][1]["text"], "Fine.");
    drop(stream);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_or_abandoned_turn_can_be_stopped() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({})), says("Fine.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Send it!").await;
    let view = client.get(&path).await.json();
    assert_eq!((&view["open"], &view["running"]), (&json!(true), &json!(false)));
    let stopped = client.send("POST", &format!("{path}/stop"), json!({})).await;
    assert_eq!(stopped.json(), json!({ "stopped": true }));
    let view = client.get(&path).await.json();
    assert_eq!((&view["open"], &view["waiting"]), (&json!(false), &json!([])));
    assert_eq!(client.get("/api/approvals").await.json(), json!([]));
    let stopped = client.send("POST", &format!("{path}/stop"), json!({})).await;
    assert_eq!(stopped.json()["stopped"], false, "nothing is open");
    answered(client, &path, "Never mind.").await;
    assert_eq!(world.ran.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_survives_a_restart_and_is_answered_afterwards() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({})), says("Sent.")]));
    let served = world.serve(&model).await;
    let (path, mut stream) = begin_with(&served.client, "Send it!").await;
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

/// The server died after it had recorded the answer, and before the turn continued.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_recorded_and_not_used_is_used_by_the_next_server() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({})), says("Sent.")]));
    let served = world.serve(&model).await;
    let (path, mut stream) = begin_with(&served.client, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    at_rest(&served.client, &path).await;
    let view = served.client.get(&path).await.json();
    served.end().await;
    let yes = json!({"request": view["waiting"][0]["request"], "answer": "approve"});
    world.engine().answer(&yes.to_string()).await.unwrap();
    let served = world.serve(&model).await;
    let view = loop {
        let view = served.client.get(&path).await.json();
        if view["open"] == false {
            break view;
        }
    };
    assert_eq!(view["entries"].as_array().unwrap().last().unwrap()["text"], "Sent.");
    assert_eq!(world.ran.load(Ordering::SeqCst), 1);
    // A finished turn is not resumed. The list follows the log a moment later.
    let line = loop {
        let line = served.client.get("/api/conversations").await.json();
        if line[0]["open"] == false {
            break line;
        }
    };
    served.end().await;
    let served = world.serve(&model).await;
    assert_eq!(served.client.get("/api/conversations").await.json(), line);
    model.assert_used_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_message_leaves_no_turn_open() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([says("Yes.")]));
    let served = world.serve(&model).await;
    let path = begin(&served.client).await;
    let empty = json!({"text": ""});
    let response = served.client.send("POST", &format!("{path}/messages"), empty).await;
    assert_eq!(response.status, 400, "{}", response.text);
    assert_eq!(served.client.get("/api/conversations").await.json()[0]["open"], false);
    answered(&served.client, &path, "Now?").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_conversation_leaves_no_question_and_only_the_fact_of_its_effects() {
    let world = World::new();
    let args = json!({"text": "private words"});
    let model = Arc::new(ScriptedModel::new([
        calls("send", args.clone()),
        says("Sent."),
        calls("send", args),
    ]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    let answer = approve_open(client).await;
    stream.until("RUN_FINISHED").await;
    answered(client, &path, "Once more!").await;
    assert_eq!(client.get("/api/approvals").await.json().as_array().unwrap().len(), 1);
    assert!(world.stored_values().await.contains("private words"));
    assert_eq!(client.send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(client.get("/api/approvals").await.json(), json!([]));
    assert_eq!(client.send("POST", &answer, json!({"answer": "approve"})).await.status, 409);
    served.end().await;
    let stored = world.stored_values().await;
    assert!(!stored.contains("private words") && !stored.contains("Send it!"), "{stored}");
    let ledger: Vec<_> = stored.lines().filter(|line| line.starts_with("ledger/")).collect();
    assert_eq!(ledger.len(), 1, "the effect happened");
    assert!(ledger[0].contains(r#""is":"done""#) && ledger[0].contains(r#""data":null"#));
    assert!(!stored.lines().any(|line| line.starts_with("approval")), "{stored}");
}
