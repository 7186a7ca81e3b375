//! Questions of handlers over the API; a running voice session is in the tests of the page.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use testkit::script::{ScriptedModel, calls, says};

use super::{entries, script, shown, text};
use crate::support::client::{Client, Events};
use crate::support::test_server::{Served, World, at_rest, begin, begin_with, say};

/// A conversation that waits for the answer to `survey`.
async fn asked(served: &Served) -> (String, Events) {
    let (path, mut stream) = begin_with(&served.client, "Ask me!").await;
    let events = stream.until("RUN_FINISHED").await;
    let outcome = &events.last().unwrap().data["outcome"];
    let [question] = outcome["interrupts"].as_array().unwrap().as_slice() else {
        panic!("{outcome}")
    };
    assert_eq!(
        (&question["reason"], &question["message"]),
        (&json!("input_required"), &json!("Which size?"))
    );
    assert!(events.iter().any(|event| event.name() == "questions"));
    at_rest(&served.client, &path).await;
    (path, stream)
}

fn world() -> World {
    let world = World::new();
    world.write_tool(
        "survey",
        json!({"asks": ["person"], "category": "action",
        "sideEffects": "writes", "idempotent": false}),
    );
    world
}

/// The call of the one open question.
async fn open_call(client: &Client, path: &str) -> String {
    let open = client.get(&format!("{path}/questions")).await.json();
    let [question] = open.as_array().unwrap().as_slice() else { panic!("{open}") };
    assert_eq!((&question["tool"], &question["name"]), (&json!("survey"), &json!("size")));
    question["call"].as_str().unwrap().to_owned()
}

async fn answer(client: &Client, path: &str, call: &str, action: &str, content: Value) -> u16 {
    let body = json!({"name": "size", "action": action, "content": content});
    client.send("POST", &format!("{path}/questions/{call}"), body).await.status.as_u16()
}

/// What the model read as the result of its call.
fn result(model: &ScriptedModel) -> String {
    serde_json::to_string(&model.request(1)).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_turn_waits_for_the_form_and_goes_on_with_the_answer_once() {
    let world = world();
    let model = script([calls("survey", json!({})), says("Noted.")]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = asked(&served).await;
    let view = client.get(&path).await.json();
    assert_eq!(view["waiting"][0]["questions"][0]["name"], "size");
    let step = view["entries"].as_array().unwrap().last().unwrap();
    assert_eq!(step["state"]["state"], "questioned");
    // A server that is started anew still waits.
    served.end().await;
    let served = world.serve(&model).await;
    let client = &served.client;
    drop(stream);
    let call = open_call(client, &path).await;
    let runs = world.ran.load(Ordering::SeqCst);
    assert_eq!(answer(client, &path, &call, "accept", json!({"size": 10})).await, 400);
    assert_eq!(client.get(&path).await.json()["running"], false, "it still waits");
    stream = client.stream(&format!("{path}/stream?after={}", view["last"]), None).await;
    let both = tokio::join!(
        answer(client, &path, &call, "accept", json!({"size": 4})),
        answer(client, &path, &call, "accept", json!({"size": 5})),
    );
    let mut statuses = [both.0, both.1];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409], "the first answer counts");
    let events = stream.until("RUN_FINISHED").await;
    assert_eq!(text(&events), "Noted.");
    assert_eq!(world.ran.load(Ordering::SeqCst), runs + 2, "a dry run, and one with the answer");
    let told = result(&model);
    assert_eq!(told.matches(r#""action":"accept""#).count(), 1, "{told}");
    assert_eq!(client.get(&format!("{path}/questions")).await.json(), json!([]));
    let mut all = client.stream(&format!("{path}/stream?after=1"), None).await;
    let replayed = all.until("RUN_FINISHED").await;
    let view = shown(&client.get(&path).await.json());
    for (key, entry) in entries(&replayed) {
        assert_eq!(view[&key], entry);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_declined_stopped_or_left_and_nothing_runs_behind_it() {
    let world = world();
    let model = script([
        calls("survey", json!({})),
        says("As you like."),
        calls("survey", json!({})),
        calls("survey", json!({})),
        says("Gladly."),
    ]);
    let served = world.serve(&model).await;
    let client = &served.client;
    let (path, mut stream) = asked(&served).await;
    let call = open_call(client, &path).await;
    assert_eq!(answer(client, &path, &call, "decline", Value::Null).await, 204);
    stream.until("RUN_FINISHED").await;
    assert!(result(&model).contains(r#""action":"decline""#), "{}", result(&model));
    let runs = world.ran.load(Ordering::SeqCst);
    for stops in [true, false] {
        let (path, _stream) = asked(&served).await;
        let call = open_call(client, &path).await;
        match stops {
            true => {
                let stopped = client.send("POST", &format!("{path}/stop"), json!({})).await;
                assert_eq!(stopped.json(), json!({"stopped": true}));
            }
            false => say(client, &path, "Something else.").await,
        }
        assert_eq!(client.get(&format!("{path}/questions")).await.json(), json!([]));
        assert_eq!(answer(client, &path, &call, "accept", json!({"size": 4})).await, 409);
    }
    let asking = 2;
    assert_eq!(world.ran.load(Ordering::SeqCst), runs + asking, "only its dry runs");
}

/// A program that speaks AG-UI fills in the form, too.
#[tokio::test(flavor = "multi_thread")]
async fn an_agui_client_resumes_with_the_form() {
    let world = world();
    let model = script([calls("survey", json!({})), says("Noted.")]);
    let served = world.serve(&model).await;
    let (path, mut stream) = asked(&served).await;
    let call = open_call(&served.client, &path).await;
    let thread = path.rsplit('/').next().unwrap();
    let input = json!({"threadId": thread, "runId": "r1", "messages": [], "resume": [
            {"interruptId": format!("{call}/size"), "status": "resolved", "payload": {"size": 4}}]});
    let answered = served.client.send("POST", "/api/agui", input).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    let events = stream.until("RUN_FINISHED").await;
    assert_eq!(text(&events), "Noted.");
    assert!(result(&model).contains(r#""content":{"size":4}"#), "{}", result(&model));
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_belong_to_their_owner_and_what_nobody_asked_cannot_be_answered() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    let list = format!("{path}/questions");
    assert_eq!(ana.get(&list).await.json(), json!([]));
    assert_eq!(ben.get(&list).await.status, 404);
    let answer = json!({ "name": "meal", "action": "accept", "content": {} });
    let call = format!("{list}/call-1");
    let refused = ana.send("POST", &call, answer.clone()).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("this question is not open"), "{}", refused.text);
    assert_eq!(ben.send("POST", &call, answer).await.status, 404);
    let odd = json!({ "name": "meal", "action": "perhaps" });
    assert_eq!(ana.send("POST", &call, odd).await.status, 400);
}
