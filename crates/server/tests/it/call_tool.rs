//! Tools called by programs over plain HTTP.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::ToolFilter;
use hyper::header::HeaderValue;
use serde_json::{Value, json};
use server::{Program, Token};
use store::{Clock, Expected, Expiry, Json, PageRequest, Store, SystemClock};
use testkit::script::ScriptedModel;

use crate::support::client::{Client, TextResponse};
use crate::support::test_server::{Served, World};

async fn serve(world: &World) -> Served {
    world.serve(&Arc::new(ScriptedModel::new([]))).await
}

async fn call(client: &Client, tool: &str, args: Value, key: Option<&str>) -> TextResponse {
    let mut request = client.request("POST", &format!("/api/call/{tool}"), &args.to_string());
    if let Some(key) = key {
        request.headers_mut().insert("idempotency-key", HeaderValue::try_from(key).unwrap());
    }
    client.respond(request).await
}

fn ran(world: &World) -> usize {
    world.ran.load(Ordering::SeqCst)
}

async fn approve(client: &Client, response: &TextResponse) {
    let id = response.json()["approval"]["id"].as_str().unwrap().to_owned();
    let answer = json!({"answer": "approve"});
    let response = client.send("POST", &format!("/api/approvals/{id}"), answer).await;
    assert_eq!((response.status.as_u16(), response.json()), (202, json!({})));
}

/// TK-09: a refusal has every part of the envelope.
#[track_caller]
fn check_refusal(response: &TextResponse, tool: &str, version: &str) {
    let body = response.json();
    assert_eq!((&body["ok"], &body["intents"]), (&json!(false), &json!([])), "{body}");
    assert!(body.get("data").is_none(), "{body}");
    let error = &body["error"];
    assert!(error["type"].is_string() && error["message"].is_string(), "{body}");
    assert_eq!(error["retryable"], json!(false), "{body}");
    let meta = &body["meta"];
    assert_eq!((&meta["toolId"], &meta["toolVersion"]), (&json!(tool), &json!(version)), "{body}");
    assert_eq!((&meta["duration"], &meta["responseSchemaVersion"]), (&json!(0), &json!("1.0.0")));
    assert!(meta["registryVersion"].as_str().unwrap().starts_with("1.0."), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_is_the_tools_envelope_with_a_matching_status() {
    let mut world = World::new();
    world.limits.body_bytes_max = 1_000;
    let served = serve(&world).await;
    let client = &served.client;
    let response = call(client, "look", json!({"text": "a"}), None).await;
    assert_eq!(response.status, 200, "{}", response.text);
    let body = response.json();
    assert_eq!((&body["ok"], &body["data"]), (&json!(true), &json!({"did": "look"})));
    assert_eq!(body["meta"]["toolId"], "look");
    assert_eq!(call(client, "speak", json!({}), None).await.json()["said"], json!(["Hel", "lo."]));
    let wrong = call(client, "look", json!({"text": 1}), None).await;
    assert_eq!(
        (wrong.status.as_u16(), &wrong.json()["error"]["type"]),
        (422, &json!("VALIDATION"))
    );
    let unknown = call(client, "lok", json!({}), None).await;
    assert_eq!(unknown.status, 404);
    for (refused, tool, version) in [(&wrong, "look", "1.0.0"), (&unknown, "lok", "0.0.0")] {
        check_refusal(refused, tool, version);
    }
    assert!(unknown.text.contains("did you mean `look`?"), "{}", unknown.text);
    assert!(unknown.text.contains("/api/call/openapi.json lists the tools"), "{}", unknown.text);
    let large = json!({"text": "x".repeat(2_000)});
    assert_eq!(call(client, "look", large, None).await.status, 413);
    let post = |body: &'static str| client.respond(client.request("POST", "/api/call/look", body));
    let torn = post("{").await;
    assert_eq!(torn.status, 400);
    check_refusal(&torn, "look", "1.0.0");
    assert_eq!(post("").await.status, 200);
    let mut plain = client.request("POST", "/api/call/look", "{}");
    plain.headers_mut().insert("content-type", HeaderValue::from_static("text/plain"));
    assert_eq!(client.respond(plain).await.status, 415);
    let missing = client.get("/api/conversations/nowhere").await;
    assert!(missing.text.contains("GET /api/conversations lists yours"), "{}", missing.text);
    let tried = async || {
        let session = client.get("/api/session").await.json();
        let tries = session["tries"].as_array().unwrap().clone();
        tries.iter().any(|one| one["tool"] == "look" && one["args"].is_object())
    };
    assert!(tried().await, "the answer lists what can be called");
    client.send("POST", "/api/tools/look/switch", json!({"on": false})).await;
    assert!(!tried().await);
    assert!(call(client, "look", json!({}), None).await.status.is_client_error());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_runs_once_in_parallel_and_after_a_restart() {
    let world = World::new();
    let served = serve(&world).await;
    let args = || json!({"text": "a"});
    let tries = (0..8).map(|_| {
        let client = served.client.clone();
        tokio::spawn(async move { call(&client, "look", args(), Some("one")).await })
    });
    let mut bodies = Vec::new();
    for response in tries.collect::<Vec<_>>() {
        let response = response.await.unwrap();
        assert_eq!(response.status, 200, "{}", response.text);
        bodies.push(response.text);
    }
    assert_eq!(ran(&world), 1);
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
    served.end().await;
    let served = serve(&world).await;
    let again = call(&served.client, "look", args(), Some("one")).await;
    assert_eq!(
        (&again.text, &again.headers["idempotent-replayed"]),
        (&bodies[0], &"true".parse().unwrap())
    );
    assert_eq!(ran(&world), 1);
    let other = call(&served.client, "look", json!({"text": "b"}), Some("one")).await;
    assert_eq!(
        (other.status.as_u16(), &other.json()["error"]["code"]),
        (422, &json!("key_reused"))
    );
    let other = call(&served.client, "speak", args(), Some("one")).await;
    assert_eq!(other.json()["error"]["code"], "key_reused");
    let long = "k".repeat(256);
    for bad in [long.as_str(), " "] {
        assert_eq!(call(&served.client, "look", args(), Some(bad)).await.status, 400);
    }
    assert_eq!(ran(&world), 1);
    assert_eq!(call(&served.client, "look", args(), Some("two")).await.status, 200);
    assert_eq!(ran(&world), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_refused_under_a_key_may_run_under_it_later() {
    let world = World::new();
    let served = serve(&world).await;
    let client = &served.client;
    client.send("POST", "/api/tools/look/switch", json!({"on": false})).await;
    assert_ne!(call(client, "look", json!({}), Some("one")).await.status, 200);
    client.send("POST", "/api/tools/look/switch", json!({"on": true})).await;
    assert_eq!(call(client, "look", json!({}), Some("one")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_needs_approval_runs_once_after_it_is_approved() {
    let world = World::new();
    let served = serve(&world).await;
    let client = &served.client;
    let asked = call(client, "send", json!({"text": "a"}), Some("one")).await;
    assert_eq!(asked.status, 409, "{}", asked.text);
    let approval = asked.json()["approval"].clone();
    assert_eq!(approval["page"], format!("http://{}/#approvals", client.address));
    assert!(approval["preview"].as_str().unwrap().contains("send"), "{approval}");
    let argument = json!({"kind": "argument", "name": "text", "text": "a"});
    assert!(approval["previewLines"].as_array().unwrap().contains(&argument), "{approval}");
    let waits = call(client, "send", json!({"text": "a"}), Some("one")).await;
    assert_eq!((waits.status.as_u16(), &waits.json()["approval"]["id"]), (409, &approval["id"]));
    assert_eq!(client.get("/api/approvals").await.json().as_array().unwrap().len(), 1);
    approve(client, &asked).await;
    assert_eq!(ran(&world), 0, "nothing runs before the program calls again");
    let tries = [(); 4].map(|()| {
        let client = client.clone();
        tokio::spawn(async move {
            call(&client, "send", json!({"text": "a"}), Some("one")).await.status
        })
    });
    for response in tries {
        assert_eq!(response.await.unwrap(), 200);
    }
    assert_eq!(ran(&world), 1);
    let stored = world.stored_values().await;
    let writes = stored.lines().filter(|line| line.starts_with("ledger/")).count();
    assert_eq!(writes, 1, "{stored}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_key_the_same_arguments_are_the_same_call_while_it_waits_for_approval() {
    let world = World::new();
    let served = serve(&world).await;
    let client = &served.client;
    let send = |text: &'static str| call(client, "send", json!({"text": text}), None);
    let asked = send("a").await;
    assert_eq!(asked.status, 409);
    assert_eq!(send("a").await.json()["approval"]["id"], asked.json()["approval"]["id"]);
    assert_ne!(send("b").await.json()["approval"]["id"], asked.json()["approval"]["id"]);
    approve(client, &asked).await;
    assert_eq!(send("a").await.status, 200);
    assert_eq!(ran(&world), 1);
    let third = send("a").await;
    assert_eq!(third.status, 409, "{}", third.text);
    assert_ne!(third.json()["approval"]["id"], asked.json()["approval"]["id"]);
    let id = third.json()["approval"]["id"].as_str().unwrap().to_owned();
    let no = json!({"answer": "decline", "reason": "enough"});
    client.send("POST", &format!("/api/approvals/{id}"), no).await;
    let refused = send("a").await;
    assert!(
        refused.status.is_client_error() && refused.text.contains("enough"),
        "{}",
        refused.text
    );
    assert_eq!(ran(&world), 1);
}

const ANA: &str = "ana-0123456789abcdef";
const BEN: &str = "ben-0123456789abcdef";
const PHONE: &str = "phone-0123456789abcdef";

/// Two people, and a program of one of them.
fn peopled() -> World {
    let mut world = World::new();
    world.tokens.push(Token::parse(&format!("ana={ANA}")).unwrap());
    world.tokens.push(Token::parse(&format!("ben={BEN}")).unwrap());
    let (name, owner) = ("phone".to_owned(), "ana".to_owned());
    let tools = ToolFilter::Only(vec!["look".to_owned(), "se*".to_owned()]);
    world.programs.push(Program {
        name,
        owner,
        secret: PHONE.to_owned(),
        tools,
        asks_a_person: false,
    });
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_can_only_call_its_own_tools_for_its_owner() {
    let world = peopled();
    let served = serve(&world).await;
    let (ana, ben, phone) = (served.of(ANA), served.of(BEN), served.of(PHONE));
    assert_eq!(call(&served.client, "look", json!({}), None).await.status, 401);
    assert_eq!(
        call(&served.of("wrong-0123456789abcdef"), "look", json!({}), None).await.status,
        401
    );
    assert_eq!(call(&phone, "look", json!({}), None).await.status, 200);
    assert_eq!(call(&phone, "speak", json!({}), None).await.status, 404);
    assert_eq!(call(&ana, "speak", json!({}), None).await.status, 200);
    let asked = call(&phone, "send", json!({}), None).await;
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    let answer = |client: &Client| {
        let (client, path) = (client.clone(), format!("/api/approvals/{id}"));
        async move { client.send("POST", &path, json!({"answer": "approve"})).await }
    };
    let own = answer(&phone).await;
    assert_eq!((own.status.as_u16(), &own.json()["error"]["code"]), (403, &json!("for_programs")));
    assert_eq!(phone.get("/api/conversations").await.status, 403);
    assert_eq!(answer(&ben).await.status, 409);
    assert_eq!(answer(&ana).await.status, 202);
    // The same call by another caller is not approved.
    assert_eq!(call(&ana, "send", json!({}), None).await.status, 409);
    assert_eq!(call(&phone, "send", json!({}), None).await.status, 200);
    let tools: Vec<_> = ana.get("/api/audit").await.json().as_array().unwrap().clone();
    assert!(tools.iter().filter(|line| line["tool"] == "send").count() >= 2, "{tools:?}");
    assert_eq!(ben.get("/api/audit").await.json(), json!([]));
    let again = call(&ana, "look", json!({"text": "k"}), Some("key")).await;
    assert_eq!(again.status, 200);
    let theirs = call(&ben, "look", json!({"text": "other"}), Some("key")).await;
    assert_eq!(theirs.status, 200, "a key belongs to its caller: {}", theirs.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_is_refused_even_if_none_is_required() {
    let mut world = peopled();
    world.tokens.clear();
    let served = serve(&world).await;
    assert_eq!(call(&served.client, "speak", json!({}), None).await.status, 200);
    assert_eq!(call(&served.of(PHONE), "speak", json!({}), None).await.status, 404);
    assert_eq!(call(&served.of(ANA), "speak", json!({}), None).await.status, 401);
}

/// Every `$ref` in the document.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openapi_document_of_the_tools_is_valid() {
    let mut world = peopled();
    let tree = json!({"$ref": "#/definitions/node", "definitions": {"node": {
        "type": "object", "properties": {
            "next": {"$ref": "#/definitions/node"}, "$ref": {"type": "string"}},
        "default": {"$ref": "#/none"}}}});
    world.write_tool(
        "tree",
        json!({"returns": tree, "parameters": {
        "type": "object", "required": ["tree"], "additionalProperties": false,
        "properties": {"tree": tree["definitions"]["node"].clone()},
        "definitions": tree["definitions"].clone()}}),
    );
    world.write_tool(
        "bare",
        json!({"parameters": {
        "type": "object", "properties": {}, "additionalProperties": false}}),
    );
    world.tokens.clear();
    world.tokens.push(Token::parse(&format!("ana={ANA}")).unwrap());
    let served = serve(&world).await;
    let ana = served.of(ANA);
    let document = ana.get("/api/call/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let url = document["servers"][0]["url"].as_str().unwrap();
    assert_eq!(url, format!("http://{}/api/call", ana.address));
    let mut found = Vec::new();
    references(&document, &mut found);
    let of_schemas: Vec<_> = found.iter().filter(|target| *target != "#/none").collect();
    assert!(of_schemas.len() > 10, "{found:?}");
    for target in of_schemas {
        let place = target.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{target} leads nowhere");
    }
    let operation = |name: &str| document["paths"][format!("/{name}")]["post"].clone();
    assert_eq!(operation("look")["operationId"], "look");
    assert_eq!(operation("look")["description"], "Does look.");
    assert!(operation("look").get("parameters").is_none());
    assert!(operation("bare").get("requestBody").is_none());
    let schema = &operation("tree")["requestBody"]["content"]["application/json"]["schema"];
    let mut whole = schema.clone();
    whole["components"] = document["components"].clone();
    let takes = jsonschema::validator_for(&whole).unwrap();
    let (good, bad) = (json!({"tree": {"next": {"$ref": "x"}}}), json!({"tree": {"next": 1}}));
    assert!(takes.is_valid(&good) && !takes.is_valid(&bad), "{whole:#}");
    let path = format!("{}/tree", url.split_once(&ana.address.to_string()).unwrap().1);
    assert_eq!(ana.send("POST", &path, good).await.status, 200);
    assert_eq!(ana.send("POST", &path, bad).await.status, 422);
    let names = |document: &Value| -> Vec<String> {
        document["paths"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(names(&document), ["/bare", "/look", "/send", "/speak", "/tree"]);
    let some = ana.get("/api/call/openapi.json?tools=look,s*").await.json();
    assert_eq!(names(&some), ["/look", "/send", "/speak"]);
    let of_phone = served.of(PHONE).get("/api/call/openapi.json?tools=look,tree").await.json();
    assert_eq!(names(&of_phone), ["/look"]);
}

/// What a server that was killed leaves behind: the call was started at this time, and its
/// outcome was not recorded.
async fn cut_off(world: &World, at: u64) {
    let change = async |prefix: &str, change: &dyn Fn(&mut Value)| {
        let prefix = prefix.parse().unwrap();
        let kv = world.store.kv();
        for entry in kv.list(&prefix, PageRequest::first(10)).await.unwrap().items {
            let mut value: Value = entry.value.to().unwrap();
            change(&mut value);
            let value = Json::of(&value).unwrap();
            kv.set(&entry.key, value, Expected::Any, Expiry::Never).await.unwrap();
        }
    };
    change("http-call/key/", &|stored| drop(stored.as_object_mut().unwrap().remove("answer")))
        .await;
    let started = json!({"is": "started", "at": at, "tries": 1});
    change("ledger/", &|entry| entry["state"] = started.clone()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_cut_off_is_reported_as_in_doubt_on_every_retry() {
    let world = World::new();
    world.write_tool(
        "post",
        json!({"category": "action", "sideEffects": "writes", "idempotent": false}),
    );
    let served = serve(&world).await;
    let client = &served.client;
    let post = || call(client, "post", json!({"text": "a"}), Some("one"));
    assert_eq!(post().await.status, 200);
    let now = SystemClock.now().as_millis();
    cut_off(&world, now).await;
    for _ in 0..4 {
        let response = post().await;
        assert_eq!(response.status, 409, "{}", response.text);
        assert!(response.text.contains("it is either done or in doubt"), "{}", response.text);
        assert!(!response.text.contains("will be given"), "{}", response.text);
    }
    assert_eq!(client.get("/api/doubts").await.json(), json!([]));
    cut_off(&world, now - 3_600_000).await;
    let doubts = client.get("/api/doubts").await.json();
    assert_eq!(
        (&doubts[0]["tool"], &doubts[0]["asker"]),
        (&json!("post"), &json!("a program over HTTP"))
    );
    for _ in 0..4 {
        let response = post().await;
        assert_eq!(response.status, 409, "{}", response.text);
        let body = response.json();
        assert_eq!((&body["verdict"], &body["inDoubt"]["tool"]), (&json!("ask"), &json!("post")));
        assert!(response.text.contains("It is unknown whether this call"), "{}", response.text);
    }
    assert_eq!(ran(&world), 1);
}
