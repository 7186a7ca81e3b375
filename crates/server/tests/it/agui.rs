//! AG-UI runs, started by hand and with the protocol's own client.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use testkit::agui::{Ran, run_client};
use testkit::script::{ScriptedModel, calls, says, thinks};

use crate::support::client::{Client, Event};
use crate::support::test_server::{World, begin};

fn input(thread: &str, run: &str, text: &str) -> Value {
    let message = json!({"id": "m", "role": "user", "content": text});
    json!({"threadId": thread, "runId": run, "messages": [message], "tools": [], "context": [],
        "state": {}, "forwardedProps": {}})
}

/// A whole run.
async fn run(client: &Client, input: Value) -> Vec<Event> {
    let mut events = client.posted_stream("/api/agui", input).await;
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        all.push(event);
    }
    all
}

/// What every client may rely on: every start has its end, and the run's own frames are outermost.
#[track_caller]
fn check_order(events: &[Event]) {
    let mut open = BTreeSet::new();
    assert_eq!(events[0].kind, "RUN_STARTED");
    let last = events.last().unwrap();
    assert!(["RUN_FINISHED", "RUN_ERROR"].contains(&last.kind.as_str()), "{last:?}");
    for event in events {
        let id = ["messageId", "toolCallId", "stepName"]
            .iter()
            .find_map(|name| event.data[*name].as_str())
            .unwrap_or_default();
        if let Some(kind) = event.kind.strip_suffix("_START") {
            assert!(open.insert(format!("{kind} {id}")), "{event:?}");
        } else if let Some(kind) = event.kind.strip_suffix("_END") {
            assert!(open.remove(&format!("{kind} {id}")), "{event:?}");
        } else if event.kind == "STEP_STARTED" {
            assert!(open.insert(format!("STEP {id}")), "{event:?}");
        } else if event.kind == "STEP_FINISHED" {
            assert!(open.remove(&format!("STEP {id}")), "{event:?}");
        }
    }
    assert_eq!(open, BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_events_of_a_run_are_nested_correctly() {
    let world = World::new();
    let first = thinks("Let me look.").says("A moment. ").calls("speak", json!({}));
    let model = Arc::new(ScriptedModel::new([first, says("Done.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let events = run(client, input("my thread", "run 7", "Look!")).await;
    check_order(&events);
    let kinds: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
    for (kind, count) in [
        ("STEP_STARTED", 2),
        ("REASONING_START", 1),
        ("REASONING_MESSAGE_START", 1),
        ("TOOL_CALL_START", 1),
        ("TOOL_CALL_RESULT", 1),
        ("STATE_SNAPSHOT", 1),
    ] {
        assert_eq!(kinds.iter().filter(|other| **other == kind).count(), count, "{kind}");
    }
    let (started, finished) = (&events[0].data, &events.last().unwrap().data);
    for data in [started, finished] {
        assert_eq!((&data["threadId"], &data["runId"]), (&json!("my thread"), &json!("run 7")));
    }
    assert_eq!(finished["outcome"], json!({"type": "success"}));
    assert!(finished["usage"][0]["totalTokens"].is_u64(), "{finished}");
    assert_eq!(state_after(&events)["running"], false);
    assert!(!format!("{events:?}").contains("secret plan"));
    // The thread is a conversation, and the next run continues it.
    model.then(says("Again."));
    run(client, input("my thread", "run 8", "And now?")).await;
    let lines = client.get("/api/conversations").await.json();
    assert_eq!(lines.as_array().unwrap().len(), 1);
    assert_eq!((&lines[0]["turns"], &lines[0]["title"]), (&json!(2), &json!("Look!")));
}

async fn path_of(client: &Client) -> String {
    let lines = client.get("/api/conversations").await.json();
    format!("/api/conversations/{}", lines[0]["id"].as_str().unwrap())
}

/// The state that a reader has in the end.
fn state_after(events: &[Event]) -> Value {
    let mut state = Value::Null;
    for event in events {
        if event.kind == "STATE_SNAPSHOT" {
            state = event.data["snapshot"].clone();
        }
        for change in event.data["delta"].as_array().into_iter().flatten() {
            assert_eq!(change["op"], "replace");
            *state.pointer_mut(change["path"].as_str().unwrap()).unwrap() = change["value"].clone();
        }
    }
    state
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_needs_approval_is_interrupted_and_resumes_with_the_answer() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({})), says("Sent.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let asked = run(client, input("t", "1", "Send it!")).await;
    check_order(&asked);
    let interrupt = &asked.last().unwrap().data["outcome"]["interrupts"][0];
    assert_eq!(interrupt["reason"], "approval");
    assert_eq!(state_after(&asked)["waiting"][0]["request"], interrupt["id"]);
    let answer = json!({"interruptId": interrupt["id"], "status": "resolved",
        "payload": {"approved": true}});
    let resumed = json!({"threadId": "t", "runId": "2", "messages": [], "resume": [answer]});
    let rest = run(client, resumed.clone()).await;
    check_order(&rest);
    assert_eq!(rest[0].data["runId"], "2");
    assert_eq!(state_after(&rest)["waiting"], json!([]));
    assert_eq!(world.ran.load(Ordering::SeqCst), 1);
    assert_eq!(client.send("POST", "/api/agui", resumed).await.status, 409);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thread_belongs_to_its_owner_and_a_run_needs_a_message() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let model = Arc::new(ScriptedModel::answering(|_| says("Yes.")));
    let served = world.serve(&model).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    let id = path.rsplit('/').next().unwrap();
    run(&ana, input(id, "1", "Mine.")).await;
    // The same name is another conversation for another owner.
    run(&ben, input(id, "1", "Not yours.")).await;
    assert_eq!(ana.get("/api/conversations").await.json()[0]["id"], id);
    let bens = ben.get("/api/conversations").await.json();
    assert_eq!((&bens[0]["title"], bens[0]["id"] == id), (&json!("Not yours."), false));
    assert!(!ana.get(&path).await.text.contains("Not yours."));
    // After its conversation is deleted, the thread starts again.
    let old = path_of(&ben).await;
    assert_eq!(ben.send("DELETE", &old, json!({})).await.status, 204);
    run(&ben, input(id, "2", "Anew.")).await;
    assert_ne!(path_of(&ben).await, old);
    for bad in [
        json!({"threadId": "", "runId": "1", "messages": []}),
        json!({"threadId": "t", "runId": "1", "messages": []}),
        json!({"threadId": "t", "runId": "1", "messages": [{"role": "tool", "content": "x"}]}),
        json!({"threadId": "t", "runId": "1", "messages": [{"role": "user", "content": []}]}),
    ] {
        assert_eq!(ben.send("POST", "/api/agui", bad).await.status, 400);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_protocols_own_client_completes_a_run_with_a_call_and_an_approval() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([
        thinks("Hm.").says("I look. ").calls("speak", json!({"text": "a"})),
        calls("send", json!({"text": "hi"})),
        says("All done."),
    ]));
    let served = world.serve(&model).await;
    let url = format!("http://{}/api/agui", served.client.address);
    let ran = tokio::task::spawn_blocking(move || run_client(&url, "Look, then send."));
    let response = match ran.await.unwrap() {
        Ran::Through(line) => line,
        Ran::Broken(why) => panic!("{why}"),
    };
    let response: Value = serde_json::from_str(&response).unwrap();
    assert_eq!(response["runs"].as_array().unwrap().len(), 2, "{response:#}");
    assert_eq!(response["state"]["running"], false);
    let messages = response["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert!(roles.contains(&"tool") && roles.contains(&"reasoning"), "{roles:?}");
    assert_eq!(messages.last().unwrap()["content"], "All done.", "{response:#}");
    assert_eq!(world.ran.load(Ordering::SeqCst), 2);
    model.assert_used_up();
}
