//! Folders of documents over HTTP: made, filled, searched by people and models, deleted.

use std::sync::Arc;

use contract::Request;
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};
use testkit::script::{ScriptedModel, calls, says};

use crate::support::client::Client;
use crate::support::test_server::{World, answered, begin};

const CONTRACT: &str = "Загальні умови\nСтрок дії договору — п’ять років.\nГарантія: 24 місяці.\n";

async fn upload(client: &Client, name: &str, text: &str) -> Value {
    let mut request = client.request("POST", &format!("/api/attachments?name={name}"), "");
    *request.body_mut() = Full::new(Bytes::from(text.to_owned()));
    request.headers_mut().insert("content-type", "application/octet-stream".parse().unwrap());
    client.respond(request).await.json()
}

async fn folder(client: &Client, body: Value) -> String {
    let response = client.send("POST", "/api/kb", body).await;
    assert_eq!(response.status, 201, "{}", response.text);
    response.json()["id"].as_str().unwrap().to_owned()
}

async fn fill(client: &Client, folder: &str, name: &str, text: &str) -> Value {
    let file = upload(client, name, text).await;
    let body = json!({"digest": file["digest"], "name": file["name"]});
    let response = client.send("POST", &format!("/api/kb/{folder}/files"), body).await;
    assert_eq!(response.status, 201, "{}", response.text);
    file
}

fn offered(request: &Request, tool: &str) -> bool {
    request.tools.iter().any(|offer| offer.id.as_str() == tool)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_searches_reads_and_gets_the_place_of_each_passage() {
    let world = World::new();
    let steps = [
        says("Nothing to search."),
        calls("search_documents", json!({"query": "строк договору"})),
        calls(
            "read_document",
            json!({"document": "contract.txt", "first_line": 2, "last_line": 2}),
        ),
        says("П'ять років."),
    ];
    let model = Arc::new(ScriptedModel::new(steps));
    let served = world.serve(&model).await;
    let client = &served.client;
    let path = begin(client).await;
    answered(client, &path, "Before").await;
    assert!(!offered(&model.request(0), "search_documents"));
    let id = folder(client, json!({"name": "Договори"})).await;
    let file = fill(client, &id, "contract.txt", CONTRACT).await;
    answered(client, &path, "Який строк?").await;
    assert!(offered(&model.request(1), "search_documents"));
    let document = file["digest"].as_str().unwrap().trim_start_matches("sha256:")[..16].to_owned();
    let found = model.result(2, "search_documents").content;
    let first = &found["passages"][0];
    assert_eq!(first["file"], "contract.txt");
    assert_eq!((&first["first_line"], &first["last_line"]), (&json!(1), &json!(3)));
    assert_eq!(first["cite_as"], format!("document:{document}/1-3"));
    assert!(first["excerpt"].as_str().unwrap().contains("п’ять років"), "{first}");
    let read = model.result(3, "read_document").content;
    assert_eq!(read["text"], "Строк дії договору — п’ять років.\n");
    assert_eq!(read["cite_as"], format!("document:{document}/2-2"));
    // The calls are in the log like any other.
    let entries = client.get(&path).await.json()["entries"].clone();
    let steps = entries.as_array().unwrap().iter().filter(|entry| entry["entry"] == "step");
    assert_eq!(steps.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_belong_to_their_owner_and_go_with_their_conversation() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    let conversation = path.rsplit('/').next().unwrap();
    let id = folder(&ana, json!({"name": "Here", "conversation": conversation})).await;
    let file = fill(&ana, &id, "a.txt", CONTRACT).await;
    let found = async |client: &Client, more: &str| {
        let path = format!("/api/kb/search?q=%D1%81%D1%82%D1%80%D0%BE%D0%BA{more}");
        client.get(&path).await.json()["passages"].as_array().unwrap().len()
    };
    let inside = format!("&conversation={conversation}");
    assert_eq!(found(&ana, &inside).await, 1);
    assert_eq!((found(&ana, "").await, found(&ben, "").await), (0, 0));
    let foreign = ben.get(&format!("/api/kb/search?q=a{inside}")).await;
    assert_eq!(foreign.status, 404, "{}", foreign.text);
    assert_eq!(ben.get("/api/kb").await.json(), json!([]));
    for (method, path) in [
        ("DELETE", format!("/api/kb/{id}")),
        ("DELETE", format!("/api/kb/{id}/files/{}", file["digest"].as_str().unwrap())),
    ] {
        assert_eq!(ben.send(method, &path, Value::Null).await.status, 404, "{method} {path}");
    }
    let body = json!({"name": "Not mine", "conversation": conversation});
    assert_eq!(ben.send("POST", "/api/kb", body).await.status, 404);
    let section = format!("/api/kb/section?document=a.txt&first=3&last=3{inside}");
    assert_eq!(ana.get(&section).await.json()["text"], "Гарантія: 24 місяці.\n");
    assert_eq!(ben.get(&section).await.status, 404);
    assert_eq!(ana.send("DELETE", &path, Value::Null).await.status, 204);
    assert_eq!(ana.get("/api/kb").await.json(), json!([]));
    let address = format!("/api/attachments/{}", file["digest"].as_str().unwrap());
    assert_eq!(ana.get(&address).await.status, 404);
}
