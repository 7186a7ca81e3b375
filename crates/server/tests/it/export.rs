//! Exported and imported conversations; an import never runs anything.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use testkit::script::{ScriptedModel, Step, calls, fails, says, thinks};

use crate::support::client::Client;
use crate::support::test_server::{World, answered, begin, begin_with, say};

async fn import(client: &Client, file: Value) -> (u16, Value) {
    let response = client.send("POST", "/api/conversations/import", file).await;
    (response.status.as_u16(), response.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_file_is_exported_unchanged() {
    let world = World::new();
    let fault = contract::ModelFault {
        kind: contract::FaultKind::Garbled,
        message: "it broke".into(),
        fix: "ask again".into(),
        status: None,
        retry_after: None,
    };
    let model = Arc::new(ScriptedModel::new([
        thinks("Hm.").calls("speak", json!({"text": "`` ` ``"})).calls("look", json!({})),
        says("Let me see.").calls("nowhere", json!({})),
        says("**Done.**"),
        says("Gone."),
        fails(fault),
        says("Well."),
    ]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Speak!\nNow.").await;
    answered(client, &path, "Remove me").await;
    assert_eq!(client.send("DELETE", &format!("{path}/messages/2"), json!({})).await.status, 204);
    let mut stream = client.stream(&format!("{path}/stream"), None).await;
    say(client, &path, "Fail!").await;
    stream.until("RUN_ERROR").await;
    let file = client.get(&format!("{path}/export?as=json")).await.json();
    assert!(file["entries"].as_array().unwrap().len() >= 8, "{file:#}");
    let (status, response) = import(client, file.clone()).await;
    assert_eq!(status, 201, "{response}");
    let copy = format!("/api/conversations/{}", response["id"].as_str().unwrap());
    assert_eq!(client.get(&format!("{copy}/export")).await.json(), file);
    let md = |path: &str| format!("{path}/export?as=md");
    let text = client.get(&md(&copy)).await.text;
    assert_eq!(text, client.get(&md(&path)).await.text);
    for line in ["# Speak!", "## You", "- `look` (done) with `{}`", "**Done.**", "it broke"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(text.contains("```{\"text\":\"`` ` ``\"}```"), "{text}");
    // It can be continued, and the model reads what people have seen.
    answered(client, &copy, "And?").await;
    let asked = serde_json::to_string(&model.request(5).messages).unwrap();
    assert!(asked.contains("Let me see.") && asked.contains("Speak!") && !asked.contains("Remove"));
    assert_eq!(
        client.get("/api/conversations?search=let%20me").await.json().as_array().unwrap().len(),
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_with_a_pending_question_asks_nothing_and_runs_nothing() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([calls("send", json!({"text": "hi"})), says("No.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = begin_with(client, "Send it!").await;
    stream.until("RUN_FINISHED").await;
    let file = client.get(&format!("{path}/export")).await.json();
    assert_eq!(file["entries"][1]["state"]["state"], "asked");
    let (_, response) = import(client, file.clone()).await;
    let copy = format!("/api/conversations/{}", response["id"].as_str().unwrap());
    let view = client.get(&copy).await.json();
    assert_eq!((&view["open"], &view["waiting"]), (&json!(false), &json!([])));
    assert_eq!(view["entries"][1]["state"]["state"], "failed");
    let open = client.get("/api/approvals").await.json();
    assert_eq!(open.as_array().unwrap().len(), 1, "only the first one's");
    let answer = format!("/api/approvals/{}", open[0]["id"].as_str().unwrap());
    client.send("POST", &answer, json!({"answer": "decline"})).await;
    stream.until("RUN_FINISHED").await;
    assert_eq!(world.ran.load(Ordering::SeqCst), 0);
    served.end().await;
    // The next server resumes none of it.
    let served = world.serve(&Arc::new(ScriptedModel::new(Vec::<Step>::new()))).await;
    assert_eq!(served.client.get(&copy).await.json()["running"], false);
    assert_eq!(world.ran.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_file_is_refused_with_the_place_and_nothing_is_stored() {
    let mut world = World::new();
    world.limits.import_entries_max = 3;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let user = |turn: u64| json!({"entry": "user", "turn": turn, "text": "x"});
    let step = json!({"entry": "step", "turn": 1, "call": "c", "tool": "look", "args": {},
        "state": {"state": "open"}});
    for (entries, status, expected) in [
        (json!([{"entry": "sung"}]), 400, "entry 1 cannot be read"),
        (json!([user(1), user(1)]), 400, "entry 2 has a `turn`"),
        (
            json!([user(1), {"entry": "assistant", "turn": 2, "text": "y"}]),
            400,
            "entry 2 is of a turn",
        ),
        (json!([user(1), step, step]), 400, "entry 3 is a call whose id is used twice"),
        (json!([{"entry": "user", "turn": 1, "text": ""}]), 400, "the message is empty"),
        (json!([user(1), user(2), user(3), user(4)]), 413, "at most 3 entries"),
    ] {
        let (got, response) = import(client, json!({"title": "T", "entries": entries})).await;
        let message = response["error"]["message"].as_str().unwrap();
        assert!(got == status && message.contains(expected), "{got} {message}");
    }
    let (status, _) = import(client, json!({"title": "T", "entries": [], "approvals": []})).await;
    assert_eq!(status, 400, "unknown fields are refused");
    assert_eq!(client.get("/api/conversations").await.json(), json!([]));
}
