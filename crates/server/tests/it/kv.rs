//! Keys, snippets and settings of an owner, and the events of their changes.

use std::sync::Arc;

use serde_json::{Value, json};
use testkit::script::{ScriptedModel, calls, says};

use crate::support::test_server::{World, answered, begin, begin_with};

/// GD-12
#[tokio::test(flavor = "multi_thread")]
async fn gd_12_deleting_a_conversation_deletes_its_own_keys_and_no_others() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let path = begin(client).await;
    let id = path.rsplit('/').next().unwrap();
    let own = ["notes:", "notes-", "notes_", "count.", ""].map(|start| format!("{start}{id}"));
    let own = [own.as_slice(), &[format!("count-{id}-ada")]].concat();
    let others = [format!("notes:{id}x"), format!("notes-x{id}"), "notes-".into(), "all".into()];
    for key in own.iter().chain(&others) {
        let response = client.send("PUT", &format!("/api/kv/{key}"), json!({"value": 1})).await;
        assert_eq!(response.status, 204, "{}", response.text);
    }
    assert_eq!(client.send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(client.get(&path).await.status, 404);
    for (keys, left) in [(own.as_slice(), json!(null)), (&others, json!(1))] {
        for key in keys {
            let values = client.get(&format!("/api/kv?key={key}")).await.json();
            assert_eq!(values[key], left, "{key}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_key_is_sent_only_to_its_owners_streams() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    let mut stream = ana.stream(&format!("{path}/stream"), None).await;
    ben.send("PUT", "/api/kv/mood", json!({"value": "ben's"})).await;
    ana.send("POST", "/api/kv/list/push", json!({"value": "first"})).await;
    let response = stream.next().await.unwrap();
    let expected = json!({"key": "list", "value": ["first"], "len": 1});
    assert_eq!((response.name(), &response.data["value"]), ("kv_update", &expected));
    assert_eq!(ana.get("/api/kv?keys=mood").await.json(), json!({"mood": null}));
    let list = ana.get("/api/kv/list/list?start=0&stop=-1").await.json();
    assert_eq!(list, json!({"items": ["first"], "len": 1}));
    let removed = ana.send("DELETE", "/api/kv/list/item/0", json!({})).await.json();
    assert_eq!(removed, json!({"len": 0, "removed": true}));
}

/// GD-17
#[tokio::test(flavor = "multi_thread")]
async fn gd_17_a_snippet_is_read_back_by_its_kind() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let snippet = json!({"title": "Greeting", "content": {"text": "Hello"}});
    let response = client.send("POST", "/api/library/prompt", snippet.clone()).await;
    let id = response.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(client.get(&format!("/api/library/prompt/{id}")).await.json(), snippet);
    assert_eq!(client.get("/api/library/prompt").await.json()[0]["id"], id);
    assert_eq!(client.get("/api/library/other").await.json(), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_needs_approval_needs_it_also_when_run_by_hand() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let looked = client.send("POST", "/api/tools/look/run", json!({"args": {}})).await.json();
    assert_eq!((&looked["ok"], &looked["content"]), (&json!(true), &json!({"did": "look"})));
    let asked = client.send("POST", "/api/tools/send/run", json!({"args": {}})).await.json();
    let request = asked["waiting"]["request"].as_str().unwrap();
    let answer = format!("/api/approvals/{request}");
    let response = client.send("POST", &answer, json!({"answer": "approve"})).await;
    assert_eq!(response.json()["settled"]["content"], json!({"did": "send"}), "{}", response.text);
    client.send("POST", "/api/tools/look/switch", json!({"on": false})).await;
    let refused = client.send("POST", "/api/tools/look/run", json!({"args": {}})).await.json();
    assert_eq!(refused["ok"], false);
    let why = client.get("/api/tools/look/why").await.text;
    assert!(why.contains("switched off by hand"), "{why}");
    let metrics = client.get("/metrics").await.text;
    assert!(metrics.contains("ghosthand_tool_executions{tool=\"send\"} 1"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_may_contain_any_character_and_a_request_a_limited_number_of_keys() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    for (key, value) in [("a%2Cb", 1), ("a", 2), ("b", 3), ("sl%2Fash%20%26", 4)] {
        let response = client.send("PUT", &format!("/api/kv/{key}"), json!({"value": value})).await;
        assert_eq!(response.status, 204, "{}", response.text);
    }
    let found = client.get("/api/kv?key=a%2Cb&key=sl%2Fash%20%26&keys=a,b").await.json();
    assert_eq!(found, json!({"a,b": 1, "sl/ash &": 4, "a": 2, "b": 3}));
    let many: Vec<_> = (0..201).map(|n| format!("key=k{n}")).collect();
    assert_eq!(client.get(&format!("/api/kv?{}", many.join("&"))).await.status, 413);
    let long: Vec<_> = (0..1_200).collect();
    client.send("PUT", "/api/kv/long", json!({"value": long})).await;
    let shown = client.get("/api/kv/long/list").await.json();
    assert_eq!((shown["items"].as_array().unwrap().len(), &shown["len"]), (1_000, &json!(1_200)));
    let end = client.get("/api/kv/long/list?start=-2&stop=-1").await.json();
    assert_eq!(end["items"], json!([1_198, 1_199]));
    let no_list = client.send("POST", "/api/kv/a/push", json!({"value": 1})).await;
    assert_eq!(no_list.status, 409);
}

/// GD-17
#[tokio::test(flavor = "multi_thread")]
async fn gd_17_a_library_lists_its_kinds_and_a_snippet_is_changed_and_removed() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    assert_eq!(client.get("/api/library").await.json(), json!([]));
    let mut ids = Vec::new();
    for kind in ["prompt", "prompt", "scene"] {
        let body = json!({"title": kind, "content": "x"});
        let response = client.send("POST", &format!("/api/library/{kind}"), body).await;
        ids.push(response.json()["id"].as_str().unwrap().to_owned());
    }
    let kinds = client.get("/api/library").await.json();
    assert_eq!(kinds, json!([{"type": "prompt", "count": 2}, {"type": "scene", "count": 1}]));
    let path = format!("/api/library/scene/{}", ids[2]);
    let body = json!({"title": "New", "content": "y", "tags": ["own"]});
    assert_eq!(client.send("PUT", &path, body.clone()).await.status, 204);
    assert_eq!(client.get(&path).await.json(), body);
    assert_eq!(client.send("DELETE", &path, json!({})).await.status, 204);
    assert_eq!(client.get(&path).await.status, 404);
    assert_eq!(client.get("/api/library").await.json().as_array().unwrap().len(), 1);
    assert_eq!(client.get("/api/library/no%20kind").await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_and_audit_are_reported_to_their_owner() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let model = ScriptedModel::new([
        calls("look", json!({"wrong": 1})),
        calls("made_up", json!({})),
        calls("also \"made\" up", json!({})),
        says("Done."),
    ]);
    let served = world.serve(&Arc::new(model)).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let (path, mut stream) = begin_with(&ana, "Go!").await;
    stream.until("RUN_FINISHED").await;
    ana.send("POST", "/api/tools/look/run", json!({"args": {}})).await;
    let id = path.rsplit('/').next().unwrap();
    let of_talk = ana.get(&format!("/api/usage?conversation={id}")).await.json();
    let all = ana.get("/api/usage").await.json();
    assert_eq!((&all["turns"], &all["conversations"]), (&json!(1), &json!(1)));
    assert_eq!(of_talk["usage"], all["usage"]);
    assert_eq!(ben.get(&format!("/api/usage?conversation={id}")).await.status, 404);
    assert_eq!(ben.get("/api/usage").await.json()["turns"], 0);
    assert_eq!(ana.get("/api/audit").await.json().as_array().unwrap().len(), 4);
    assert_eq!(ben.get("/api/audit").await.json(), json!([]));
    let metrics = ben.get("/metrics").await.text;
    for line in [
        "# TYPE ghosthand_tool_executions gauge",
        "ghosthand_tool_executions{tool=\"look\"} 1",
        "ghosthand_tool_refusals{tool=\"look\"} 1",
        "ghosthand_tool_budget_violations{tool=\"look\"} 0",
        "ghosthand_tool_refusals{tool=\"(unknown)\"} 2",
        "ghosthand_tool_latency_ms{tool=\"look\",quantile=\"0.95\"} ",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
    assert!(!metrics.contains("made"), "an invented name is no label: {metrics}");
}

/// The number and size of an owner's keys are limited; existing keys can be changed and deleted.
#[tokio::test(flavor = "multi_thread")]
async fn keys_have_a_limit_for_each_owner() {
    let mut world = World::new();
    world.services.kv_keys_max = 3;
    world.services.kv_bytes_max = 1_000;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let put = async |key: &str, value: Value| {
        let response =
            client.send("PUT", &format!("/api/kv/{key}"), json!({ "value": value })).await;
        (response.status.as_u16(), response.text)
    };
    for key in ["a", "b", "c"] {
        assert_eq!(put(key, json!(1)).await.0, 204);
    }
    let (status, text) = put("d", json!(1)).await;
    assert_eq!(status, 507, "{text}");
    assert!(text.contains("no_space") && text.contains("there are 3 keys"), "{text}");
    assert_eq!(put("a", json!(2)).await.0, 204);
    let pushed = client.send("POST", "/api/kv/d/push", json!({ "value": 1 })).await;
    assert_eq!(pushed.status, 507, "{}", pushed.text);
    assert_eq!(client.send("DELETE", "/api/kv/b", json!({})).await.status, 204);
    assert_eq!(put("d", json!(1)).await.0, 204);
    let (status, text) = put("d", json!("x".repeat(2_000))).await;
    assert_eq!(status, 507, "{text}");
    assert!(text.contains("bytes"), "{text}");
}

/// Runs by hand do not use the budget of a turn.
#[tokio::test(flavor = "multi_thread")]
async fn runs_by_hand_use_no_turns_budget() {
    let world = World::new();
    let look = calls("look", json!({ "text": "the model looks" }));
    let model = Arc::new(ScriptedModel::new([says("Hello."), look, says("Seen.")]));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Hi").await;
    let id = path.rsplit('/').next().unwrap();
    for at in 0..20 {
        let by_hand = json!({ "conversation": id, "args": { "text": at.to_string() } });
        let ran = client.send("POST", "/api/tools/look/run", by_hand).await.json();
        assert_eq!((&ran["verdict"], &ran["ok"]), (&json!("run"), &json!(true)), "{at}: {ran}");
    }
    answered(client, &path, "Look!").await;
    assert!(!model.result(2, "look").is_error, "{:?}", model.result(2, "look"));
}
