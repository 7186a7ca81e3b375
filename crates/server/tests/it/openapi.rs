//! Every operation of the OpenAPI document exists, and answers as described.

use std::sync::Arc;

use contract::Request;
use serde_json::{Value, json};
use server::Token;
use testkit::script::{ScriptedModel, Step, says};

use crate::cards::{flashcards, made};
use crate::support::test_server::{World, answered, begin};

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_that_requires_a_token_is_refused_without_one() {
    let mut world = World::new();
    let secret = "ana-0123456789abcdef";
    world.tokens.push(Token::parse(secret).unwrap());
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let document = served.of(secret).get("/api/openapi.json").await.json();
    let mut refused = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            if operation["security"].as_array().is_some_and(|ways| ways.contains(&json!({}))) {
                continue;
            }
            let at = path.replace(['{', '}'], "");
            let response = served.client.send(&method.to_uppercase(), &at, json!({})).await;
            assert_eq!(response.status, 401, "{method} {path}: {}", response.text);
            refused += 1;
        }
    }
    assert!(refused > 80, "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_of_the_document_can_be_called() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::answering(answer))).await;
    let client = &served.client;
    let document = client.get("/api/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let mut described = 0;
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            let id = match path.split('/').nth(2).unwrap() {
                "conversations" => begin(client).await.rsplit('/').next().unwrap().to_owned(),
                "tools" => "look".to_owned(),
                // The one that was just created; it is not the only one.
                "personas" => {
                    let known = client.get("/api/personas").await.json();
                    let last = known.as_array().unwrap().last().unwrap();
                    last["id"].as_str().unwrap().to_owned()
                }
                _ => "nothing".to_owned(),
            };
            let run = if path.contains("{run}") { made(client).await } else { String::new() };
            let at = path.replace("{run}", &run);
            let at = at.replace("{id}", &id).replace("{kind}", "prompt");
            let at = at.replace("{key}", "notes").replace("{index}", "0");
            let at = at.replace("{turn}", "1").replace("{tool}", "look");
            let at = at.replace("{digest}", "nothing");
            let on_a_turn = ["/edit", "/regenerate", "/version", "/messages/{turn}"];
            if on_a_turn.iter().any(|end| path.ends_with(end)) {
                answered(client, &format!("/api/conversations/{id}"), "Hello").await;
            }
            if path.ends_with("/push") {
                client.send("DELETE", "/api/kv/notes", json!({})).await;
            }
            let expected: Vec<_> = operation["responses"].as_object().unwrap().keys().collect();
            let at = match path.as_str() {
                "/api/cards/known" => format!("{at}?language=lv"),
                "/api/cards/speech" => format!("{at}?card=lv:uk:word:suns"),
                // A private address, which is refused.
                "/api/picture" => format!("{at}?url=http://127.0.0.1:9/a.png"),
                _ => at,
            };
            if at.ends_with("/stream") {
                client.stream(&at, None).await;
                continue;
            }
            let body = &operation["requestBody"]["content"]["application/json"]["example"];
            let body = if body.is_null() { json!({}) } else { body.clone() };
            let request = &operation["requestBody"]["content"]["application/json"]["schema"];
            let bytes = &operation["requestBody"]["content"]["application/octet-stream"];
            let has_body = !operation["requestBody"].is_null() && bytes.is_null();
            assert_eq!(has_body, !request.is_null(), "{method} {path} describes its body");
            check(&document, request, &body, &format!("the example of {method} {path}"));
            let mut sent = client.request(&method.to_uppercase(), &at, &body.to_string());
            if !bytes.is_null() {
                let kind = "application/octet-stream".parse().unwrap();
                sent.headers_mut().insert("content-type", kind);
            }
            let response = client.respond(sent).await;
            let status = response.status.as_u16().to_string();
            // Nothing is waiting, and there is no such file here; both are faults of our own.
            // Nobody is the operator of this server.
            let is_operators = path == "/api/cards/{run}/push" && response.status == 403;
            let refused = response.status == 409 || response.status == 404 || is_operators;
            let allowed = [
                "/api/approvals/",
                "/api/files/",
                "/api/tool_submit",
                "/api/library/",
                "/api/suggest",
                "/api/cards/speech",
                "/api/picture",
                // This server has one model, and keeps no keys.
                "/api/providers/",
                "/api/attachments/",
                "/api/kb/",
                // Nobody signs in to a server without tokens.
                "/api/logins/",
                "/api/folders/",
                "/api/shares/",
                "/api/conversations/{id}/questions/",
                "/api/conversations/{id}/artifacts/",
            ];
            let allowed = is_operators
                || allowed.iter().any(|start| path.starts_with(start))
                || path.starts_with("/api/kv/") && response.status == 409;
            assert!(
                expected.contains(&&status) || (refused && allowed),
                "{method} {path}: {status} {}",
                response.text
            );
            let answer = &operation["responses"][&status]["content"]["application/json"]["schema"];
            match response.text.is_empty() {
                true => assert!(answer.is_null(), "{method} {path} has no answer"),
                false if !answer.is_null() => {
                    described += 1;
                    check(&document, answer, &response.json(), &format!("{method} {path}"));
                }
                // A plain file, and the document itself.
                false => assert!(
                    refused
                        || ["/export", "/openapi.json", "/agui"]
                            .iter()
                            .any(|end| path.ends_with(end)),
                    "{method} {path} describes its answer"
                ),
            }
            if refused {
                assert_ne!(response.json()["error"]["message"], Value::Null);
            }
        }
    }
    assert!(described >= 25, "{described} answers were validated");
}

/// Cards if the request asks for them, otherwise text.
fn answer(request: &Request) -> Step {
    flashcards(request).unwrap_or_else(|| says("Yes."))
}

/// Validates a value against a schema of the document.
#[track_caller]
fn check(document: &Value, schema: &Value, value: &Value, what: &str) {
    if schema.is_null() {
        return;
    }
    let mut whole = schema.clone();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("components".to_owned(), document["components"].clone());
    }
    let validator = jsonschema::validator_for(&whole).unwrap();
    let faults: Vec<_> = validator.iter_errors(value).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{what}: {faults:?}\n{value}");
}

/// The methods that an answer's `Allow` names.
fn allowed(response: &crate::support::client::TextResponse) -> Vec<String> {
    let allow =
        response.headers.get("allow").unwrap_or_else(|| panic!("no Allow: {}", response.text));
    let mut methods: Vec<_> = allow.to_str().unwrap().split(',').map(str::to_owned).collect();
    methods.sort();
    methods
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsupported_method_is_refused_with_the_supported_ones() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let document = client.get("/api/openapi.json").await.json();
    let documented = document["paths"].as_object().unwrap().iter().map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys().map(|method| method.to_uppercase());
        (path.replace(['{', '}'], ""), methods.collect::<Vec<_>>())
    });
    let get = || vec!["GET".to_owned()];
    let pages = ["/", "/cards", "/assets/app.js", "/health", "/metrics"];
    let pages = pages.map(|path| (path.to_owned(), get()));
    let mut tried = 0;
    for (path, methods) in documented.chain(pages) {
        let mut expected = methods.clone();
        if methods.contains(&"GET".to_owned()) {
            expected.push("HEAD".to_owned());
        }
        expected.sort();
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
            if methods.iter().any(|taken| taken == method) {
                continue;
            }
            let response = client.send(method, &path, json!({})).await;
            assert_eq!(response.status, 405, "{method} {path}: {}", response.text);
            assert_eq!(allowed(&response), expected, "{method} {path}");
            assert_eq!(response.json()["error"]["code"], "wrong_method", "{method} {path}");
            tried += 1;
        }
        let response = client.send("OPTIONS", &path, json!({})).await;
        assert_eq!((response.status.as_u16(), response.text.as_str()), (204, ""), "OPTIONS {path}");
        assert_eq!(allowed(&response), expected, "OPTIONS {path}");
    }
    assert!(tried > 150, "{tried}");
    let response = client.send("HEAD", "/api/conversations", json!({})).await;
    assert_eq!((response.status.as_u16(), response.text.as_str()), (200, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_requests_are_refused_as_json() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let path = begin(client).await;
    for (method, at) in [
        ("DELETE", format!("{path}/messages/first")),
        ("DELETE", format!("{path}/messages/1?after=perhaps")),
        ("GET", "/api/kv/list/list?start=x".to_owned()),
        ("DELETE", "/api/kv/list/item/x".to_owned()),
    ] {
        let response = client.send(method, &at, json!({})).await;
        assert_eq!(response.status, 400, "{method} {at}: {}", response.text);
        let error = &response.json()["error"];
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    }
}
