//! The list of conversations: titles, search.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use testkit::script::{ScriptedModel, says};

use crate::world::{World, answered, begin};

#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_titles_and_what_both_sides_said_and_nothing_hidden() {
    let world = World::new();
    let speak = testkit::script::calls("speak", json!({}));
    let model = Arc::new(ScriptedModel::new([speak, says("The Lighthouse is old.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Tell me of the harbour").await;
    let id = path.rsplit('/').next().unwrap();
    let find = async |words: &str| {
        client.get(&format!("/api/conversations?search={words}")).await.json()
    };
    for (words, excerpt) in [
        ("HARBOUR", "Tell me of the harbour Hello. The Lighthouse is…"),
        ("lighthouse%20is", "…Tell me of the harbour Hello. The Lighthouse is old."),
    ] {
        let found = find(words).await;
        assert_eq!(found[0]["id"], id, "{words}");
        let shown = found[0]["excerpt"].as_str().unwrap();
        assert!(excerpt.contains(shown.trim_matches('…')), "{shown}");
    }
    assert_eq!(find("secret%20plan").await, json!([]));
    let path = path.as_str();
    let renamed = client.send("PUT", path, json!({"title": "  Boats \n"})).await;
    assert_eq!(renamed.status, 204);
    assert_eq!(find("boats").await[0]["title"], "Boats");
    assert_eq!(client.send("PUT", path, json!({"title": " "})).await.status, 400);
    assert_eq!(client.send("PUT", "/api/conversations/no", json!({"title": "x"})).await.status, 404);
    assert_eq!(client.send("DELETE", path, json!({})).await.status, 204);
    assert_eq!(find("harbour").await, json!([]));
}

/// Not a limit of time, which depends on the machine: `--no-capture` shows the figure.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_conversations_are_searched_in_one_go() {
    let mut world = World::new();
    world.limits.requests_burst = 10_000;
    let model = Arc::new(ScriptedModel::new([]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let words = "Of clocks and towers and the people who built them. ".repeat(40);
    for number in 0..1_000 {
        let talk = json!({"title": format!("Talk {number}"), "entries": [
            {"entry": "user", "turn": 1, "text": format!("Question {number}: what is it?")},
            {"entry": "assistant", "turn": 1, "text": words},
        ]});
        let told = client.send("POST", "/api/conversations/import", talk).await;
        assert_eq!(told.status, 201, "{}", told.text);
    }
    let began = Instant::now();
    let found = client.get("/api/conversations?search=question%20777:").await.json();
    let took = began.elapsed();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(found[0]["title"], "Talk 777");
    eprintln!("1,000 conversations of 2 kB were searched in {took:?}");
}
