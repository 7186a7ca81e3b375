//! Files over HTTP: added, sent, shown, shared by branches, deleted with conversations.

use std::sync::Arc;

use contract::{FileContent, FilePart, Part, Request};
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::{Value, json};
use testkit::script::{ScriptedModel, says};

use crate::support::client::{Client, TextResponse};
use crate::support::test_server::{World, at_rest, begin};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0";

async fn upload(client: &Client, name: &str, kind: &str, bytes: &[u8]) -> TextResponse {
    let mut request = client.request("POST", &format!("/api/attachments?name={name}"), "");
    *request.body_mut() = Full::new(Bytes::copy_from_slice(bytes));
    request.headers_mut().insert("content-type", kind.parse().unwrap());
    client.respond(request).await
}

async fn added(client: &Client, name: &str, bytes: &[u8]) -> Value {
    let response = upload(client, name, "application/octet-stream", bytes).await;
    assert_eq!(response.status, 201, "{}", response.text);
    response.json()
}

async fn send(client: &Client, path: &str, text: &str, files: &[&Value]) {
    let files: Vec<_> = files.iter().map(|file| json!({"digest": file["digest"]})).collect();
    let body = json!({"text": text, "files": files});
    let response = client.send("POST", &format!("{path}/messages"), body).await;
    assert_eq!(response.status, 202, "{}", response.text);
    at_rest(client, path).await;
}

fn files(request: &Request) -> Vec<FilePart> {
    let blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let file = blocks.filter_map(|block| {
        if let Part::File(file) = &block.part { Some(file.clone()) } else { None }
    });
    file.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_takes_its_files_to_the_model_and_back_to_the_page() {
    let world = World::new();
    let steps = [says("A cat."), says("Again."), says("Edited.")];
    let model = Arc::new(ScriptedModel::new(steps));
    let served = world.serve(&model).await;
    let client = &served.client;
    let picture = added(client, "cat.png", PNG).await;
    let shown = |key: &str| picture[key].clone();
    assert_eq!(shown("mediaType"), "image/png");
    assert_eq!((shown("width"), shown("height")), (json!(640), json!(480)));
    assert_eq!(shown("tokens"), 410);
    let table = added(client, "a%20b.csv", b"a,b\r\n1,2\r\n").await;
    assert_eq!((&table["name"], &table["mediaType"]), (&json!("a b.csv"), &json!("text/plain")));
    let path = begin(client).await;
    send(client, &path, "", &[&picture, &table]).await;
    let asked = files(&model.request(0));
    assert!(matches!(asked[0].content, FileContent::Picture { .. }), "{asked:?}");
    let text = "<file name=\"a b.csv\">\na,b\n1,2\n</file>";
    assert_eq!(asked[1].in_words(contract::Sight::Blind).as_deref(), Some(text));
    let entry = client.get(&path).await.json()["entries"][0].clone();
    assert_eq!(entry["files"][0]["name"], "cat.png");
    assert_eq!(entry["files"][1]["digest"], table["digest"]);
    // Sent again, and with another text: the files stay.
    client.send("POST", &format!("{path}/regenerate"), json!({})).await;
    at_rest(client, &path).await;
    let body = json!({"turn": 2, "text": "What is it?"});
    client.send("POST", &format!("{path}/edit"), body).await;
    at_rest(client, &path).await;
    assert_eq!(files(&model.request(2)), asked);
    model.assert_used_up();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_served_sealed_and_only_to_its_owner() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let page = added(&ana, "page.html", b"<script>alert(1)</script>").await;
    let path = format!("/api/attachments/{}", page["digest"].as_str().unwrap());
    let check = async |path: &str, kind: &str, disposition: &str| {
        let response = ana.get(path).await;
        assert_eq!(response.status, 200, "{}", response.text);
        assert_eq!(response.text, "<script>alert(1)</script>");
        let header = |name: &str| response.headers[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), kind);
        assert_eq!(header("content-disposition"), disposition);
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert!(header("content-security-policy").starts_with("sandbox;"));
    };
    let saved = "attachment; filename*=UTF-8''page.html";
    check(&path, "application/octet-stream", saved).await;
    let named = "inline; filename*=UTF-8''%D1%97%22.txt";
    check(&format!("{path}?as=text&name=%D1%97%22.txt"), "text/plain; charset=utf-8", named).await;
    let about = ana.get(&format!("{path}?as=about")).await.json();
    assert_eq!(about, page);
    for path in [path.as_str(), &format!("{path}?as=text"), "/api/attachments/nothing"] {
        let response = ben.get(path).await;
        assert_eq!(response.status, 404, "{path}: {}", response.text);
    }
    let conversation = begin(&ben).await;
    let body = json!({"text": "mine?", "files": [{"digest": page["digest"]}]});
    let refused = ben.send("POST", &format!("{conversation}/messages"), body).await;
    assert_eq!(
        (refused.status.as_u16(), &refused.json()["error"]["fix"]),
        (404, &json!("add the file again"))
    );
    // An imported conversation names it, and still does not get it.
    let entry = json!({"entry": "user", "turn": 1, "text": "x", "files": [{"digest": page["digest"],
        "name": "page.html", "media_type": "text/plain", "bytes": 25}]});
    let file = json!({"title": "T", "entries": [entry]});
    assert_eq!(ben.send("POST", "/api/conversations/import", file).await.status, 201);
    assert_eq!(ben.get(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_say_what_to_do() {
    let mut world = World::new();
    world.limits.attachments.file_bytes_max = 1_000;
    world.limits.attachments.per_message_max = 1;
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let client = &served.client;
    let check = async |kind: &str, bytes: &[u8], status: u16, code: &str| {
        let response = upload(client, "a", kind, bytes).await;
        let error = response.json()["error"].clone();
        assert_eq!((response.status.as_u16(), &error["code"]), (status, &json!(code)), "{error}");
        assert!(!error["fix"].as_str().unwrap().is_empty());
    };
    let bytes = "application/octet-stream";
    check(bytes, &[b'a'; 1_001], 413, "too_large").await;
    check(bytes, b"\x7fELF\x02\0", 415, "unreadable").await;
    check(bytes, b"", 415, "unreadable").await;
    // What a form of another site can send.
    check("text/plain", b"a", 415, "not_bytes").await;
    check("multipart/form-data", b"a", 415, "not_bytes").await;
    let (first, second) = (added(client, "a", b"a").await, added(client, "b", b"b").await);
    let path = begin(client).await;
    let files = json!([{"digest": first["digest"]}, {"digest": second["digest"]}]);
    let body = json!({"text": "two", "files": files});
    let refused = client.send("POST", &format!("{path}/messages"), body).await;
    assert_eq!(refused.json()["error"]["message"], "a message can have 1 files");
    let session = client.get("/api/session").await.json();
    let files = json!({"fileBytesMax": 1_000, "perMessageMax": 1, "pictures": false});
    assert_eq!(session["files"], files);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_deleted_with_the_last_conversation_that_has_it() {
    let world = World::new();
    let served = world.serve(&Arc::new(ScriptedModel::new([says("Yes.")]))).await;
    let client = &served.client;
    let file = added(client, "a.txt", b"one").await;
    let address = format!("/api/attachments/{}", file["digest"].as_str().unwrap());
    let path = begin(client).await;
    send(client, &path, "Look", &[&file]).await;
    let last = client.get(&path).await.json()["last"].clone();
    let branch =
        client.send("POST", &format!("{path}/branch"), json!({"event": last})).await.json();
    let branch = format!("/api/conversations/{}", branch["id"].as_str().unwrap());
    // Forgetting a draft does not take a message's file away.
    assert_eq!(client.send("DELETE", &address, Value::Null).await.status, 204);
    assert_eq!(client.send("DELETE", &path, Value::Null).await.status, 204);
    assert_eq!(client.get(&address).await.status, 200);
    assert_eq!(client.send("DELETE", &branch, Value::Null).await.status, 204);
    assert_eq!(client.get(&address).await.status, 404);
    let draft = added(client, "b.txt", b"two").await;
    let address = format!("/api/attachments/{}", draft["digest"].as_str().unwrap());
    assert_eq!(client.send("DELETE", &address, Value::Null).await.status, 204);
    assert_eq!(client.get(&address).await.status, 404);
}
