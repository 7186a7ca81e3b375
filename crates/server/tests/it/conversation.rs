//! Turns over HTTP: streamed, resumed, waiting for approval, stopped.

mod artifacts;
mod attachments;
mod documents;
mod organisation;
mod questions;
mod shares;
mod temporary;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, calls, says};

use crate::support::client::Event;
use crate::support::test_server::{World, approve_open, at_rest, begin, begin_with, say};

fn script(steps: impl IntoIterator<Item = Step>) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new(steps))
}

/// The entries that a page shows after these events.
fn entries(events: &[Event]) -> BTreeMap<String, Value> {
    let entries = events.iter().filter(|event| event.name() == "entry");
    entries
        .map(|event| {
            let mut entry = event.data["value"].clone();
            entry.as_object_mut().unwrap().remove("after");
            (entry["key"].as_str().unwrap().to_owned(), entry)
        })
        .collect()
}

fn shown(view: &Value) -> BTreeMap<String, Value> {
    let entries = view["entries"].as_array().unwrap().iter();
    entries.map(|entry| (entry["key"].as_str().unwrap().to_owned(), entry.clone())).collect()
}

fn text(events: &[Event]) -> String {
    let pieces = events.iter().filter(|event| event.kind == "TEXT_MESSAGE_CONTENT");
    pieces.map(|event| event.data["delta"].as_str().unwrap()).collect()
}

/// GD-08
#[tokio::test(flavor = "multi_thread")]
async fn gd_08_the_stream_and_a_reload_show_the_same_and_nothing_of_the_context() {
    let world = World::new();
    let model = script([calls("speak", json!({})), says("**Done.**")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Speak!").await;
    let events = stream.until("RUN_FINISHED").await;
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds.first(), Some(&"RUN_STARTED"));
    for kind in ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "TOOL_CALL_RESULT"] {
        assert_eq!(kinds.iter().filter(|other| **other == kind).count(), 1, "{kind}");
    }
    let count = |kind: &str| kinds.iter().filter(|other| **other == kind).count();
    assert_eq!(count("TEXT_MESSAGE_START"), count("TEXT_MESSAGE_END"));
    assert_eq!(text(&events), "Hello.**Done.**");
    let response = client.get(&path).await;
    let view = response.json();
    assert_eq!(entries(&events), shown(&view));
    assert!(response.text.contains("<strong>Done.</strong>"));
    assert_eq!(view["last"].to_string(), events.last().unwrap().id);
    // A new reader gets the same from the log.
    let mut again = client.stream(&format!("{path}/stream?after=1"), None).await;
    let replayed = again.until("RUN_FINISHED").await;
    assert_eq!(entries(&replayed), shown(&view));
    assert_eq!(text(&replayed), text(&events));
    let files = [
        client.get(&format!("{path}/export?as=md")).await.text,
        client.get(&format!("{path}/export?as=json")).await.text,
    ];
    let all = format!("{events:?}{replayed:?}{}{files:?}", response.text);
    assert!(!all.contains("secret plan"));
    assert!(serde_json::to_string(&model.request(1)).unwrap().contains("secret plan"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_reconnects_misses_nothing_and_gets_nothing_twice() {
    let world = World::new();
    let gate = Gate::new();
    let model = script([Step::new().says("one ").waits(&gate).says("two")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    let stream = format!("{path}/stream");
    let mut first = client.stream(&stream, None).await;
    say(client, &path, "Count!").await;
    let mut events = first.until("TEXT_MESSAGE_CONTENT").await;
    drop(first);
    let last = events.last().unwrap().id.clone();
    let mut second = client.stream(&stream, Some(&last)).await;
    // A page that is opened now reads the conversation, then follows the stream.
    let view = client.get(&path).await.json();
    assert_eq!((&view["open"], &view["running"]), (&json!(true), &json!(true)));
    let mut late = client.stream(&format!("{stream}?after={}", view["last"]), None).await;
    gate.open();
    events.extend(second.until("RUN_FINISHED").await);
    assert_eq!(text(&events), "one two");
    assert_eq!(text(&late.until("RUN_FINISHED").await), "one two");
    let ids: Vec<_> = events.iter().map(|event| event.id.clone()).collect();
    let mut once = ids.clone();
    once.dedup();
    assert_eq!(ids, once);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_position_that_is_no_longer_buffered_is_answered_with_a_reload() {
    let mut world = World::new();
    world.limits.replay_events_max = 4;
    let pieces = (0..20).fold(Step::new(), |step, _| step.says("more "));
    let model = script([pieces]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    // A reader that reads nothing does not delay the others.
    let _slow = client.stream(&format!("{path}/stream"), None).await;
    let mut watcher = client.stream(&format!("{path}/stream"), None).await;
    say(client, &path, "Go on!").await;
    watcher.until("RUN_FINISHED").await;
    let mut late = client.stream(&format!("{path}/stream"), Some("1.1.0")).await;
    assert_eq!(late.next().await.unwrap().name(), "reload");
    late.until("RUN_FINISHED").await;
    let view = client.get(&path).await.json();
    assert_eq!(view["open"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_once_and_the_turn_continues_automatically() {
    let world = World::new();
    let model = script([calls("send", json!({"text": "hi"})), says("Sent.")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Send it!").await;
    let events = stream.until("RUN_FINISHED").await;
    assert_eq!(events.last().unwrap().data["outcome"]["type"], "interrupt");
    assert!(events.iter().any(|event| event.name() == "approval"));
    assert_eq!(world.ran.load(Ordering::SeqCst), 0);
    let view = client.get(&path).await.json();
    // The turn has not let go of its slot yet, and no event will tell when it does.
    assert_eq!(view["running"], false, "the page would wait beside its question");
    let request = view["waiting"][0]["request"].as_str().unwrap();
    let open = client.get("/api/approvals").await.json();
    assert_eq!(open[0]["id"], request);
    let argument = json!({"kind": "argument", "name": "text", "text": "hi"});
    let step = view["entries"].as_array().unwrap().iter().find(|entry| entry["entry"] == "step");
    let asked = events.iter().find(|event| event.name() == "approval").unwrap();
    for holder in [&view["waiting"][0], &open[0], &step.unwrap()["state"], &asked.data["value"]] {
        let lines = holder["previewLines"].as_array().expect("structured lines");
        assert!(lines.contains(&argument), "{holder}");
    }
    let answer = format!("/api/approvals/{request}");
    let bad = client.send("POST", &answer, json!({"answer": "perhaps"})).await;
    assert_eq!(bad.status, 400, "{}", bad.text);
    let both = tokio::join!(
        client.send("POST", &answer, json!({"answer": "approve"})),
        client.send("POST", &answer, json!({"answer": "approve"})),
    );
    let mut statuses = [both.0.status.as_u16(), both.1.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 409]);
    let rest = stream.until("RUN_FINISHED").await;
    assert_eq!(text(&rest), "Sent.");
    assert_eq!(world.ran.load(Ordering::SeqCst), 1);
    assert_eq!(client.get("/api/approvals").await.json(), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_turn_runs_at_a_time_and_a_person_can_stop_it() {
    let world = World::new();
    let gate = Gate::new();
    let model = script([Step::new().says("Well, ").waits(&gate)]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Go!").await;
    gate.reached().await;
    let second = client.send("POST", &format!("{path}/messages"), json!({"text": "x"})).await;
    assert_eq!(second.status, 409);
    assert_eq!(client.send("DELETE", &path, json!({})).await.status, 409);
    let stopped = client.send("POST", &format!("{path}/stop"), json!({})).await;
    assert_eq!(stopped.json(), json!({"stopped": true}));
    let events = stream.until("RUN_FINISHED").await;
    assert_eq!(events.last().unwrap().data["result"]["how"], "cancelled");
}

/// Two processes on one store: the turn pauses in one and is answered in the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_another_process_resumes_is_streamed_here_too() {
    let world = World::new();
    let model = script([calls("send", json!({"text": "hi"})), says("Sent.")]);
    let here = world.serve(&model).await;
    let elsewhere = world.serve(&model).await;
    let (path, mut stream) = begin_with(&here.client, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    at_rest(&here.client, &path).await;
    approve_open(&elsewhere.client).await;
    let events = stream.until("RUN_FINISHED").await;
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    let starts = kinds.iter().filter(|kind| **kind == "RUN_STARTED").count();
    assert_eq!(starts, 1, "{kinds:?}");
    let at = |kind: &str| kinds.iter().position(|other| *other == kind);
    assert!(at("RUN_STARTED") < at("TEXT_MESSAGE_START"), "{kinds:?}");
    assert_eq!(text(&events), "Sent.");
    assert_eq!(events.last().unwrap().data["outcome"]["type"], "success");
}
