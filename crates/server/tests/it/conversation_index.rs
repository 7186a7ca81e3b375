//! The list of conversations: titles, search.

use std::sync::Arc;

use serde_json::json;
use testkit::script::{ScriptedModel, says};

use crate::support::test_server::{World, answered, begin};

#[tokio::test(flavor = "multi_thread")]
async fn a_search_covers_titles_and_messages_and_no_hidden_text() {
    let world = World::new();
    let speak = testkit::script::calls("speak", json!({}));
    let model = Arc::new(ScriptedModel::new([speak, says("The Lighthouse is old.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Tell me of the harbour").await;
    let id = path.rsplit('/').next().unwrap();
    let find =
        async |words: &str| client.get(&format!("/api/conversations?search={words}")).await.json();
    // The index is updated just after the end of the turn.
    while find("old.").await == json!([]) {
        tokio::task::yield_now().await;
    }
    for (words, excerpt) in [
        ("HARBOUR", "Tell me of the harbour Hello. The Lighthouse is old."),
        ("old.", "…of the harbour Hello. The Lighthouse is old."),
    ] {
        let found = find(words).await;
        assert_eq!(found[0]["id"], id, "{words}");
        assert_eq!(found[0]["excerpt"], excerpt);
    }
    assert_eq!(find("secret%20plan").await, json!([]));
    let path = path.as_str();
    let renamed = client.send("PUT", path, json!({"title": "  Boats \n"})).await;
    assert_eq!(renamed.status, 204);
    assert_eq!(find("boats").await[0]["title"], "Boats");
    assert_eq!(client.send("PUT", path, json!({"title": " "})).await.status, 400);
    assert_eq!(
        client.send("PUT", "/api/conversations/no", json!({"title": "x"})).await.status,
        404
    );
    assert_eq!(client.send("DELETE", path, json!({})).await.status, 204);
    assert_eq!(find("harbour").await, json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_conversations_is_found() {
    let world = World::new();
    let model = Arc::new(ScriptedModel::new([]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let words = "Of clocks and towers and the people who built them. ".repeat(40);
    for number in 0..100 {
        let file = json!({"title": format!("Talk {number}"), "entries": [
            {"entry": "user", "turn": 1, "text": format!("Question {number}: what is it?")},
            {"entry": "assistant", "turn": 1, "text": words},
        ]});
        let response = client.send("POST", "/api/conversations/import", file).await;
        assert_eq!(response.status, 201, "{}", response.text);
    }
    let found = client.get("/api/conversations?search=question%2077:").await.json();
    assert_eq!(found.as_array().unwrap().len(), 1);
    assert_eq!(found[0]["title"], "Talk 77");
}
