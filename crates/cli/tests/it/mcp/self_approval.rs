//! Nobody answers their own questions: a program that says it can ask, a client that brings
//! an answer nobody asked it for, a stranger who knows somebody else's session.

use serde_json::{Value, json};

use super::http::{Reply, ask, request_of};
use super::support::fixtures::Project;
use super::support::http_server::Listening;
use crate::support::program::run;

const ANA: (&str, &str) = ("Authorization", "Bearer ana-0123456789abcdef");
const BEN: (&str, &str) = ("Authorization", "Bearer ben-0123456789abcdef");
const PROGRAM: (&str, &str) = ("Authorization", "Bearer program-0123456789");
const DESK: (&str, &str) = ("Authorization", "Bearer desk-0123456789abc");
const OTHER: (&str, &str) = ("Authorization", "Bearer other-0123456789ab");

/// A program of Ana's, a client that Ana sits at, and one that Ben sits at.
fn served(project: &Project) -> Listening {
    let config = "[mcp_tokens.program]\ntoken_env = 'PROGRAM'\nclient = 'ana'\n\
                  [mcp_tokens.desk]\ntoken_env = 'DESK'\nclient = 'ana'\nasks_a_person = true\n\
                  [mcp_tokens.other]\ntoken_env = 'OTHER'\nclient = 'ben'\nasks_a_person = true\n";
    project.write("ghosthand.toml", config);
    let secret = |(_, value): (&str, &'static str)| value.trim_start_matches("Bearer ");
    let variables =
        [("PROGRAM", secret(PROGRAM)), ("DESK", secret(DESK)), ("OTHER", secret(OTHER))];
    project.write("tokens.txt", "ana=ana-0123456789abcdef\nben=ben-0123456789abcdef\n");
    Listening::serve(project.path(), &variables, &["--token-file", "tokens.txt"])
}

fn ledger(project: &Project) -> usize {
    run(project.path(), &["ledger", "list"]).out.lines().count()
}

/// A call of the new era by a client that says it can ask a person.
fn call(server: &Listening, token: (&str, &str), more: &Value) -> Value {
    let mut params = json!({ "name": "note", "arguments": { "text": "x" }, "_meta": {
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } } } });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    ask(server, &[token], "tools/call", params).json()
}

fn yes() -> Value {
    json!({ "approval": { "action": "accept", "content": { "approve": true } } })
}

fn waits(said: &Value) -> bool {
    let text = said["result"]["content"][0]["text"].as_str().unwrap_or_default();
    text.contains("CONFIRMATION_REQUIRED") && text.contains("#approvals")
}

#[test]
fn a_program_that_says_it_asks_somebody_waits_for_the_page_all_the_same() {
    let project = Project::usual();
    let server = served(&project);
    for token in [PROGRAM, ANA, BEN] {
        assert!(waits(&call(&server, token, &json!({}))), "{token:?}");
        let brought = call(&server, token, &json!({ "inputResponses": yes() }));
        assert!(waits(&brought), "{brought}");
    }
    assert_eq!(ledger(&project), 0);
    // A person agrees on the page, and the program fetches what came of it, once.
    let open = request_of(&server, "GET /api/approvals", &[ANA], &json!({})).json();
    for one in open.as_array().unwrap() {
        let path = format!("POST /api/approvals/{}", one["id"].as_str().unwrap());
        request_of(&server, &path, &[ANA], &json!({ "answer": "approve" }));
    }
    let ran = call(&server, PROGRAM, &json!({}));
    assert_eq!(ran["result"]["structuredContent"], json!({ "n": 1 }), "{ran}");
    assert_eq!(ledger(&project), 1);
}

#[test]
fn a_client_that_the_operator_named_asks_its_person() {
    let project = Project::usual();
    let server = served(&project);
    let asked = call(&server, DESK, &json!({}));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let back = json!({ "requestState": asked["result"]["requestState"], "inputResponses": yes() });
    for token in [PROGRAM, ANA, OTHER] {
        let stolen = call(&server, token, &back);
        assert_eq!(stolen["error"]["code"], -32602, "{token:?}: {stolen}");
    }
    assert_eq!(ledger(&project), 0);
    let ran = call(&server, DESK, &back);
    assert_eq!(ran["result"]["structuredContent"], json!({ "n": 1 }), "{ran}");
}

#[test]
fn a_name_that_the_operator_takes_back_takes_back_what_was_asked() {
    let project = Project::usual();
    let server = served(&project);
    let asked = call(&server, DESK, &json!({}));
    let back = json!({ "requestState": asked["result"]["requestState"], "inputResponses": yes() });
    assert!(server.ends());
    let config = "[mcp_tokens.desk]\ntoken_env = 'DESK'\nclient = 'ana'\n";
    project.write("ghosthand.toml", config);
    let variables = [("DESK", "desk-0123456789abc")];
    project.write("tokens.txt", "ana=ana-0123456789abcdef\n");
    let people = ["--token-file", "tokens.txt"];
    let server = Listening::serve(project.path(), &variables, &people);
    let refused = call(&server, DESK, &back);
    assert!(waits(&refused), "{refused}");
    assert_eq!(ledger(&project), 0);
}

/// A request of the old era, in a session or before there is one.
fn old(server: &Listening, token: (&str, &str), session: Option<&str>, body: &Value) -> Reply {
    let mut headers = vec![token, ("MCP-Protocol-Version", "2025-11-25")];
    headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
    request_of(server, "POST /mcp", &headers, body)
}

/// Begins a session; gives its id.
fn begun(server: &Listening, token: (&str, &str)) -> String {
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
        "clientInfo": { "name": "hand", "version": "1" } } });
    let reply = old(server, token, None, &hello);
    let head = reply.head.lines().find(|line| line.starts_with("mcp-session-id: "));
    let id = head.unwrap_or_else(|| panic!("{}", reply.head)).split(' ').nth(1).unwrap().to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(old(server, token, Some(&id), &ready).status, 202);
    id
}

#[test]
fn a_program_of_the_old_era_is_not_asked_either() {
    let project = Project::usual();
    let server = served(&project);
    let session = begun(&server, PROGRAM);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "note", "arguments": { "text": "x" } } });
    let said = old(&server, PROGRAM, Some(&session), &call);
    assert!(!said.body.contains("elicitation/create"), "{}", said.body);
    assert!(said.body.contains("CONFIRMATION_REQUIRED"), "{}", said.body);
    assert_eq!(ledger(&project), 0);
}

#[test]
fn a_session_is_its_tokens_and_to_everybody_else_it_does_not_exist() {
    let project = Project::usual();
    let server = served(&project);
    let session = begun(&server, DESK);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let never = "00000000-0000-0000-0000-000000000000";
    let unknown = old(&server, OTHER, Some(never), &list);
    let answer = json!({ "jsonrpc": "2.0", "id": 0,
        "result": { "action": "accept", "content": { "approve": true } } });
    for token in [OTHER, PROGRAM, ANA, BEN] {
        for body in [&list, &answer] {
            let refused = old(&server, token, Some(&session), body);
            assert_eq!((refused.status, &refused.body), (404, &unknown.body), "{token:?}");
        }
        for what in ["GET /mcp", "DELETE /mcp"] {
            let headers = [token, ("Mcp-Session-Id", session.as_str())];
            let refused = request_of(&server, what, &headers, &json!({}));
            assert_eq!(refused.status, 404, "{what} {token:?}");
        }
    }
    assert_eq!(old(&server, DESK, Some(&session), &list).status, 200);
    let headers = [DESK, ("Mcp-Session-Id", session.as_str())];
    assert!(request_of(&server, "DELETE /mcp", &headers, &json!({})).status < 300);
    assert_eq!(old(&server, DESK, Some(&session), &list).status, 404);
}

#[test]
fn where_no_token_is_asked_for_nobody_is_known_and_nobody_is_asked() {
    let project = Project::usual();
    let server = Listening::start(project.path(), &[]);
    let mut params = json!({ "name": "note", "arguments": { "text": "x" } });
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({ "elicitation": { "form": {} } });
    let said = ask(&server, &[], "tools/call", params).json();
    let text = said["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("ghosthand approvals approve"), "{said}");
    assert_eq!(ledger(&project), 0);
}
