//! Every operation of the document is there, and answers as it says.

use std::sync::Arc;

use contract::Request;
use serde_json::{Value, json};
use testkit::script::{ScriptedModel, Step, says};

use crate::cards::{flashcards, made};
use crate::support::test_server::{World, answered, begin};

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
                // The one that was made in the meantime, which is not the only one.
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
            if ["/edit", "/regenerate", "/messages/{turn}"].iter().any(|end| path.ends_with(end)) {
                answered(client, &format!("/api/conversations/{id}"), "Hello").await;
            }
            if path.ends_with("/push") {
                client.send("DELETE", "/api/kv/notes", json!({})).await;
            }
            let expected: Vec<_> = operation["responses"].as_object().unwrap().keys().collect();
            let at = match path.as_str() {
                "/api/cards/known" => format!("{at}?language=lv"),
                _ => at,
            };
            if at.ends_with("/stream") {
                client.stream(&at, None).await;
                continue;
            }
            let body = &operation["requestBody"]["content"]["application/json"]["example"];
            let body = if body.is_null() { json!({}) } else { body.clone() };
            let request = &operation["requestBody"]["content"]["application/json"]["schema"];
            let has_body = !operation["requestBody"].is_null();
            assert_eq!(has_body, !request.is_null(), "{method} {path} says what it takes");
            check(&document, request, &body, &format!("the example of {method} {path}"));
            let told = client.send(&method.to_uppercase(), &at, body).await;
            let status = told.status.as_u16().to_string();
            // Nothing waits and there is no such file here; both are said in our own words.
            let refused = told.status == 409 || told.status == 404;
            let allowed = [
                "/api/approvals/",
                "/api/files/",
                "/api/tool_submit",
                "/api/library/",
                "/api/suggest",
            ];
            let allowed = allowed.iter().any(|start| path.starts_with(start))
                || path.starts_with("/api/kv/") && told.status == 409;
            assert!(
                expected.contains(&&status) || (refused && allowed),
                "{method} {path}: {status} {}",
                told.text
            );
            let answer = &operation["responses"][&status]["content"]["application/json"]["schema"];
            match told.text.is_empty() {
                true => assert!(answer.is_null(), "{method} {path} has no answer"),
                false if !answer.is_null() => {
                    described += 1;
                    check(&document, answer, &told.json(), &format!("{method} {path}"));
                }
                // A file as it is, and the document itself.
                false => assert!(
                    refused
                        || ["/export", "/openapi.json", "/agui"]
                            .iter()
                            .any(|end| path.ends_with(end)),
                    "{method} {path} says what it answers"
                ),
            }
            if refused {
                assert_ne!(told.json()["error"]["message"], Value::Null);
            }
        }
    }
    assert!(described >= 25, "{described} answers were held against their schemas");
}

/// Cards where they are asked for, and words everywhere else.
fn answer(request: &Request) -> Step {
    flashcards(request).unwrap_or_else(|| says("Yes."))
}

/// Holds a value against a schema of the document.
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
fn allowed(told: &crate::support::client::Told) -> Vec<String> {
    let allow = told.headers.get("allow").unwrap_or_else(|| panic!("no Allow: {}", told.text));
    let mut methods: Vec<_> = allow.to_str().unwrap().split(',').map(str::to_owned).collect();
    methods.sort();
    methods
}

#[tokio::test(flavor = "multi_thread")]
async fn a_method_that_an_address_does_not_take_is_told_which_ones_it_takes() {
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
            let told = client.send(method, &path, json!({})).await;
            assert_eq!(told.status, 405, "{method} {path}: {}", told.text);
            assert_eq!(allowed(&told), expected, "{method} {path}");
            assert_eq!(told.json()["error"]["code"], "wrong_method", "{method} {path}");
            tried += 1;
        }
        let told = client.send("OPTIONS", &path, json!({})).await;
        assert_eq!((told.status.as_u16(), told.text.as_str()), (204, ""), "OPTIONS {path}");
        assert_eq!(allowed(&told), expected, "OPTIONS {path}");
    }
    assert!(tried > 150, "{tried}");
    let told = client.send("HEAD", "/api/conversations", json!({})).await;
    assert_eq!((told.status.as_u16(), told.text.as_str()), (200, ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_as_json() {
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
        let told = client.send(method, &at, json!({})).await;
        assert_eq!(told.status, 400, "{method} {at}: {}", told.text);
        let error = &told.json()["error"];
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    }
}
