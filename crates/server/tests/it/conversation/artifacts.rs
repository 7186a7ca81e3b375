//! Artifacts over HTTP: found in answers and tools, with versions, for their owner alone.

use std::sync::Arc;

use serde_json::json;
use testkit::script::{ScriptedModel, calls, says};

use crate::support::test_server::{World, at_rest, begin, say};

const FIRST: &str = "Look:\n\n```html title=\"Clock\"\n<p>one</p>\n<p>two</p>\n```\n";
const SECOND: &str = "Again:\n\n```html title=\"Clock\"\n<p>three</p>\n<b>\n```\n\n\
                      ```python\nx = 1\n```\n";

#[tokio::test(flavor = "multi_thread")]
async fn artifacts_have_versions_and_can_be_saved() {
    let world = World::new();
    world.write_tool("draw", json!({}));
    let steps = [says(FIRST), calls("draw", json!({})), says("There."), says(SECOND)];
    let served = world.serve(&Arc::new(ScriptedModel::new(steps))).await;
    let client = &served.client;
    let path = begin(client).await;
    for text in ["A clock", "Draw", "Better"] {
        say(client, &path, text).await;
        at_rest(client, &path).await;
    }
    let list = client.get(&format!("{path}/artifacts")).await.json();
    let expected = json!([
        {"id": 1, "title": "Clock", "kind": "html", "language": "html", "file": "clock.html",
            "versions": [
                {"entry": "t1.assistant0", "block": 0, "turn": 1, "lines": 2, "bytes": 22},
                {"entry": "t3.assistant0", "block": 0, "turn": 3, "lines": 2, "bytes": 17},
            ]},
        {"id": 2, "title": "seen.csv", "kind": "csv", "language": "csv", "file": "seen.csv",
            "versions": [{"entry": list[1]["versions"][0]["entry"], "block": 0, "turn": 2,
                "lines": 2, "bytes": 17}]},
    ]);
    assert_eq!(list, expected);
    // The page finds the tool's file where the list says it is, and after a reload too.
    let entries = client.get(&path).await.json()["entries"].clone();
    let key = &list[1]["versions"][0]["entry"];
    let entry = entries.as_array().unwrap().iter().find(|entry| entry["key"] == *key).unwrap();
    assert!(entry["html"].as_str().unwrap().contains("data-artifact=\"csv\""), "{entry}");

    let old = client.get(&format!("{path}/artifacts/1?version=1")).await.json();
    assert_eq!((&old["version"], &old["text"]), (&json!(1), &json!("<p>one</p>\n<p>two</p>\n")));
    assert_eq!(old["source"], "&lt;p&gt;one&lt;/p&gt;\n&lt;p&gt;two&lt;/p&gt;\n");
    let new = client.get(&format!("{path}/artifacts/1")).await.json();
    assert_eq!((&new["version"], &new["text"]), (&json!(2), &json!("<p>three</p>\n<b>\n")));
    let file = client.get(&format!("{path}/artifacts/2?as=file")).await;
    assert_eq!(file.text, "name,count\nfox,2\n");
    assert_eq!(file.headers["content-disposition"], "attachment; filename*=UTF-8''seen.csv");
    assert_eq!(file.headers["content-type"], "text/plain; charset=utf-8");
    for wrong in ["0", "3", "x", "1?version=0", "1?version=3"] {
        let answer = client.get(&format!("{path}/artifacts/{wrong}")).await;
        assert_eq!(answer.status, 404, "{wrong}");
    }
    assert_eq!(client.get(&format!("{path}/artifacts/1?as=exe")).await.status, 400);
    served.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_owner_sees_no_artifacts() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new([says(FIRST)]))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    say(&ana, &path, "A clock").await;
    at_rest(&ana, &path).await;
    assert_eq!(ana.get(&format!("{path}/artifacts/1")).await.status, 200);
    for place in ["artifacts", "artifacts/1", "artifacts/1?as=file"] {
        assert_eq!(ben.get(&format!("{path}/{place}")).await.status, 404, "{place}");
    }
    served.end().await;
}
