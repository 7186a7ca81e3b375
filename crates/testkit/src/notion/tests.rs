//! Compares the fake with recorded answers of the real Notion: same format, same refusals.

use std::collections::BTreeSet;

use hyper::http::Request;
use serde_json::{Value, json};

use super::*;
use crate::web::WebAnswer;

fn ask(workspace: &mut Workspace, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let token = format!("Bearer {TOKEN}");
    ask_as(workspace, method, path, body, &token, "2026-03-11")
}

fn ask_as(
    workspace: &mut Workspace,
    method: &str,
    path: &str,
    body: &Value,
    token: &str,
    version: &str,
) -> (u16, Value) {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("authorization", token).header("notion-version", version);
    let (head, ()) = request.body(()).unwrap().into_parts();
    let request = RecordedRequest::new(&head, body.to_string().as_bytes(), None);
    match answer::answer(workspace, &request) {
        WebAnswer::Reply(reply) => (reply.status, serde_json::from_slice(&reply.body).unwrap()),
        WebAnswer::Lost | WebAnswer::Silent(_) => panic!("no answer"),
    }
}

/// Checks that an answer has only fields of the real one, with values of the same type.
#[track_caller]
fn like_recorded(found: &Value, is_it: impl Fn(&Recording) -> bool) {
    let recording = recordings().into_iter().find(|recording| is_it(recording)).unwrap();
    for (name, value) in found.as_object().unwrap() {
        let real = recording.response.get(name);
        let real = real.unwrap_or_else(|| panic!("the real one has no `{name}`"));
        let same = std::mem::discriminant(value) == std::mem::discriminant(real);
        assert!(same || value.is_null() || real.is_null(), "`{name}`: {value} and {real}");
    }
}

fn paragraphs(count: usize, text: &str) -> Value {
    let block = json!({ "paragraph": { "rich_text": [{ "text": { "content": text } }] } });
    vec![block; count].into()
}

#[test]
fn answers_have_the_format_of_the_recorded_ones() {
    let mut workspace = Workspace::default();
    let page = workspace.add_page("Title", &paragraphs(3, "text"));
    let columns = json!({ "Name": { "type": "title", "title": {} } });
    let (database, sources) = workspace.add_database(&[("Plan", columns)]);
    let mut get = |path: String| ask(&mut workspace, "GET", &path, &Value::Null).1;

    let found = get(format!("/v1/pages/{page}"));
    like_recorded(&found, |recording| recording.response["object"] == "page");
    let found = get(format!("/v1/pages/{page}/markdown"));
    like_recorded(&found, |recording| recording.response["object"] == "page_markdown");
    let found = get(format!("/v1/blocks/{page}/children?page_size=2"));
    like_recorded(&found, |recording| recording.response["object"] == "list");
    assert_eq!((&found["has_more"], found["results"].as_array().unwrap().len()), (&json!(true), 2));
    like_recorded(&found["results"][0], |recording| recording.response["object"] == "block");
    let found = get(format!("/v1/databases/{database}"));
    like_recorded(&found, |recording| recording.response["object"] == "database");
    let found = get(format!("/v1/data_sources/{}", sources[0]));
    like_recorded(&found, |recording| recording.response["object"] == "data_source");
}

#[test]
fn refusals_are_the_recorded_ones() {
    let mut workspace = Workspace::default();
    let token = format!("Bearer {TOKEN}");
    let mut refused = |path: &str, token: &str, version: &str| {
        let (status, body) = ask_as(&mut workspace, "GET", path, &Value::Null, token, version);
        like_recorded(&body, |recording| recording.status == 400);
        (status, body["code"].as_str().unwrap().to_owned())
    };
    let nowhere = "/v1/pages/00000000-0000-0000-0000-000000000000";
    for (path, token, version) in [
        (nowhere, token.as_str(), "2026-03-11"),
        ("/v1/users", "Bearer wrong", "2026-03-11"),
        ("/v1/invalid", token.as_str(), "2026-03-11"),
    ] {
        let recorded = recordings().into_iter().find(|recording| recording.path == path).unwrap();
        let code = recorded.response["code"].as_str().unwrap().to_owned();
        assert_eq!(refused(path, token, version), (recorded.status, code));
    }
    assert_eq!(refused(nowhere, &token, "none"), (400, "missing_version".to_owned()));
}

#[test]
fn requests_beyond_a_limit_are_refused() {
    let mut workspace = Workspace::default();
    let above = workspace.add_page("Above", &json!([]));
    let mut codes = BTreeSet::new();
    let mut create = |children: Value| {
        let body = json!({ "parent": { "page_id": above }, "children": children,
            "properties": { "title": { "title": [{ "text": { "content": "t" } }] } } });
        let (status, body) = ask(&mut workspace, "POST", "/v1/pages", &body);
        codes.insert(body["code"].to_string());
        status
    };
    assert_eq!(create(paragraphs(100, &"я".repeat(2_000))), 200);
    assert_eq!(create(paragraphs(101, "x")), 400);
    assert_eq!(create(paragraphs(1, &"я".repeat(2_001))), 400);
    assert_eq!(create(paragraphs(1, &"🙂".repeat(1_001))), 400, "units, not characters");
    assert_eq!(create(json!([{ "nonsense": {} }])), 400);
    let many: Vec<_> = (0..101).map(|_| json!({ "text": { "content": "x" } })).collect();
    assert_eq!(create(json!([{ "paragraph": { "rich_text": many } }])), 400);
    let deep = json!([{ "toggle": { "rich_text": [], "children": [{ "toggle": { "rich_text": [],
        "children": [{ "paragraph": { "rich_text": [] } }] } }] } }]);
    assert_eq!(create(deep), 400);
    assert_eq!(codes.len(), 2, "none, and `validation_error`: {codes:?}");
}
