//! Streamed text as HTML.

mod words;

use std::sync::Arc;

use serde_json::Value;
use testkit::Gate;
use testkit::script::{ScriptedModel, Step, calls, says};

use crate::support::client::Event;
use crate::support::test_server::{World, begin, say};

/// What a page shows of each text: later blocks replace earlier ones.
fn shown(events: &[Event]) -> Vec<(String, String)> {
    let mut texts: Vec<(String, Vec<String>)> = Vec::new();
    for value in events.iter().filter(|event| event.name() == "rendered") {
        let value = &value.data["value"];
        let key = value["key"].as_str().unwrap();
        if !texts.iter().any(|(known, _)| known == key) {
            texts.push((key.to_owned(), Vec::new()));
        }
        let (_, blocks) = texts.iter_mut().find(|(known, _)| known == key).unwrap();
        let from = usize::try_from(value["from"].as_u64().unwrap()).unwrap();
        assert!(from <= blocks.len(), "a block is missing in {events:#?}");
        blocks.truncate(from);
        let new = value["blocks"].as_array().unwrap().iter();
        blocks.extend(new.map(|html| html.as_str().unwrap().to_owned()));
    }
    texts.into_iter().map(|(key, blocks)| (key, blocks.concat())).collect()
}

/// The entries of the log at the end.
fn entries(view: &Value) -> Vec<(String, String)> {
    let entries = view["entries"].as_array().unwrap().iter();
    let texts = entries.filter(|entry| entry["html"].is_string());
    texts
        .map(|entry| {
            let field = |name: &str| entry[name].as_str().unwrap().to_owned();
            (field("key"), field("html"))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn text_is_rendered_while_it_streams_and_ends_as_the_log_has_it() {
    let world = World::new();
    let gate = Gate::new();
    let answer = Step::new().says("One.\n\nIt is **bold** now.\n\n");
    let answer = answer.waits(&gate).says("Then `two`.");
    let model = Arc::new(ScriptedModel::new([calls("speak", serde_json::json!({})), answer]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    let stream = format!("{path}/stream");
    let mut reader = client.stream(&stream, None).await;
    say(client, &path, "Speak!").await;
    gate.reached().await;
    let mut events = Vec::new();
    while !shown(&events).iter().any(|(_, html)| html.contains("<strong>bold</strong>")) {
        events.push(reader.next().await.unwrap());
    }
    // One reader that disconnects here and reconnects, and one that connects only now.
    drop(reader);
    let mut back = client.stream(&stream, Some(&events.last().unwrap().id)).await;
    let view = client.get(&path).await.json();
    let mut late = client.stream(&format!("{stream}?after={}", view["last"]), None).await;
    gate.open();
    events.extend(back.until("RUN_FINISHED").await);
    let view = client.get(&path).await.json();
    // The model's text has two parts, and both are one text while it streams.
    let html = |texts: &[(String, String)]| -> String {
        texts.iter().map(|(_, html)| html.as_str()).collect()
    };
    assert_eq!(html(&shown(&events)), html(&entries(&view)));
    let late = late.until("RUN_FINISHED").await;
    let (key, html_shown) = shown(&late).pop().unwrap();
    assert!(
        html(&entries(&view)).ends_with(&html_shown) && html_shown.contains("<strong>bold"),
        "{key} {html_shown}"
    );
}

/// Deltas of a long answer are joined, so that a page that is opened late gets all of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_reader_gets_all_of_a_long_answer() {
    let mut world = World::new();
    world.limits.replay_events_max = 32;
    let gate = Gate::new();
    let whole: String = (0..400).map(|at| format!("{at} ")).collect();
    let model = Arc::new(ScriptedModel::new([says(&whole).waits(&gate)]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    say(client, &path, "Go on!").await;
    gate.reached().await;
    let view = client.get(&path).await.json();
    let after = format!("{path}/stream?after={}", view["last"]);
    let mut late = client.stream(&after, None).await;
    gate.open();
    let events = late.until("RUN_FINISHED").await;
    assert!(events.iter().all(|event| event.name() != "reload"), "{events:#?}");
    let words = events.iter().filter(|event| event.kind == "TEXT_MESSAGE_CONTENT");
    let words: String = words.map(|event| event.data["delta"].as_str().unwrap()).collect();
    assert_eq!(words, whole);
}
