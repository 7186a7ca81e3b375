//! The same door over HTTP: who may come in, and how replies look.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::support::fixtures::Project;
use super::support::http_server::Listening;
use crate::support::program::run;

/// What came back.
pub(super) struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}{}", self.head, self.body))
    }
}

fn post(server: &Listening, headers: &[(&str, &str)], body: &Value) -> Reply {
    request_of(server, "POST /mcp", headers, body)
}

/// One request, by hand, so that every header is the test's.
pub(super) fn request_of(
    server: &Listening,
    what: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Reply {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    send_to(&mut stream, server, what, headers, body);
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let status = head.split_whitespace().nth(1).unwrap().parse().unwrap();
    let body = if head.contains("chunked") { unchunked(body) } else { body.to_owned() };
    Reply { status, head: head.to_lowercase(), body }
}

fn send(stream: &mut TcpStream, server: &Listening, headers: &[(&str, &str)], body: &Value) {
    send_to(stream, server, "POST /mcp", headers, body);
}

pub(super) fn send_to(
    stream: &mut TcpStream,
    server: &Listening,
    what: &str,
    headers: &[(&str, &str)],
    body: &Value,
) {
    let body = body.to_string();
    let mut head = format!(
        "{what} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
        body.len()
    );
    if headers.iter().all(|(name, _)| *name != "Host") {
        head.push_str(&format!("Host: {}\r\n", server.address()));
    }
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    write!(stream, "{head}\r\n{body}").unwrap();
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
        if size == 0 {
            break;
        }
    }
    whole
}

fn request(method: &str, name: Option<&str>, params: Value) -> (Vec<(String, String)>, Value) {
    let mut params = params;
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    let capabilities = &mut params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    if capabilities.is_null() {
        *capabilities = json!({});
    }
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut headers = vec![
        ("MCP-Protocol-Version".to_owned(), "2026-07-28".to_owned()),
        ("Mcp-Method".to_owned(), method.to_owned()),
    ];
    headers.extend(name.map(|name| ("Mcp-Name".to_owned(), name.to_owned())));
    (headers, body)
}

pub(super) fn ask(server: &Listening, more: &[(&str, &str)], method: &str, params: Value) -> Reply {
    let name = params["name"].as_str().map(str::to_owned);
    let (headers, body) = request(method, name.as_deref(), params);
    let headers: Vec<_> = headers.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    post(server, &[&headers, more].concat(), &body)
}

#[test]
fn one_request_is_one_reply_and_becomes_a_stream_with_progress() {
    let project = Project::usual();
    let server = Listening::start(project.path(), &[]);
    let said = ask(
        &server,
        &[],
        "tools/call",
        json!({ "name": "echo", "arguments": { "text": "hello" } }),
    );
    assert_eq!(said.status, 200, "{}", said.body);
    assert!(said.head.contains("content-type: application/json"), "{}", said.head);
    assert_eq!(said.json()["result"]["structuredContent"], json!({ "said": "hello" }));
    let params = json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": "p" } });
    let steps = ask(&server, &[], "tools/call", params);
    assert!(steps.head.contains("text/event-stream"), "{}", steps.head);
    assert!(steps.body.contains("half"), "{}", steps.body);
}

#[test]
fn foreign_hosts_and_pages_are_turned_away() {
    let project = Project::usual();
    let server = Listening::start(project.path(), &[]);
    let list = |headers: &[(&str, &str)]| ask(&server, headers, "tools/list", json!({})).status;
    assert_eq!(list(&[]), 200);
    assert_eq!(list(&[("Origin", "http://localhost:3000")]), 200);
    assert_eq!(list(&[("Origin", "http://evil.example")]), 403);
    assert_eq!(list(&[("Origin", "null")]), 403);
    assert_eq!(list(&[("Host", "evil.example")]), 403);
}

#[test]
fn a_token_opens_the_door_to_its_own_tools() {
    let project = Project::usual();
    let config = "[mcp_tokens.all]\ntoken_env = 'ALL_TOKEN'\n\
                  [mcp_tokens.few]\ntoken_env = 'FEW_TOKEN'\ntools = ['echo', 'ste*']\n";
    project.write("ghosthand.toml", config);
    let tokens = [("ALL_TOKEN", "all-0123456789abcdef"), ("FEW_TOKEN", "few-0123456789abcdef")];
    let server = Listening::start(project.path(), &tokens);
    assert_eq!(ask(&server, &[], "tools/list", json!({})).status, 401);
    let wrong = [("Authorization", "Bearer all-0123456789abcdeX")];
    let refused = ask(&server, &wrong, "tools/list", json!({}));
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("www-authenticate: bearer"), "{}", refused.head);
    let few = [("Authorization", "Bearer few-0123456789abcdef")];
    let listed = ask(&server, &few, "tools/list", json!({})).json();
    let names: Vec<_> = listed["result"]["tools"].as_array().unwrap().iter().collect();
    let names: Vec<_> = names.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["echo", "read_result", "steps"]);
    let hidden =
        ask(&server, &few, "tools/call", json!({ "name": "note", "arguments": {} })).json();
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
    let all = [("Authorization", "bearer all-0123456789abcdef")];
    let seen = ask(&server, &all, "tools/call", json!({ "name": "plain", "arguments": {} }));
    assert_eq!(seen.json()["result"]["isError"], false);
}

#[test]
fn a_long_result_is_its_callers_alone() {
    let project = Project::usual();
    let config = "[mcp_tokens.a]\ntoken_env = 'A'\n[mcp_tokens.b]\ntoken_env = 'B'\n";
    project.write("ghosthand.toml", config);
    let server = Listening::start(
        project.path(),
        &[("A", "a-0123456789abcdef"), ("B", "b-0123456789abcdef")],
    );
    let mine = [("Authorization", "Bearer a-0123456789abcdef")];
    let long = ask(&server, &mine, "tools/call", json!({ "name": "long", "arguments": {} })).json();
    let note = long["result"]["content"][1]["text"].as_str().unwrap();
    let at = note.find('{').unwrap();
    let cursor: Value = serde_json::from_str(&note[at..=note.find('}').unwrap()]).unwrap();
    let read = |headers: &[(&str, &str)]| {
        let params = json!({ "name": "read_result", "arguments": cursor.clone() });
        ask(&server, headers, "tools/call", params).json()["result"]["isError"].clone()
    };
    assert_eq!(read(&[("Authorization", "Bearer b-0123456789abcdef")]), true);
    assert_eq!(read(&mine), false);
}

#[test]
fn an_open_address_needs_a_token() {
    let project = Project::usual();
    let refused = run(project.path(), &["mcp", "--listen", "0.0.0.0:0", "--no-token"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("no token is required"), "{}", refused.err);
}

#[test]
fn a_client_that_hangs_up_stops_the_handler() {
    let project = Project::usual();
    let server = Listening::start(project.path(), &[]);
    let params = json!({ "name": "wait", "arguments": {}, "_meta": { "progressToken": 1 } });
    let (headers, body) = request("tools/call", Some("wait"), params);
    let headers: Vec<_> = headers.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    send(&mut stream, &server, &headers, &body);
    let mut heard = String::new();
    while !heard.contains("waiting") {
        let mut piece = [0; 1024];
        let count = stream.read(&mut piece).unwrap();
        assert_ne!(count, 0, "{heard}");
        heard.push_str(&String::from_utf8_lossy(&piece[..count]));
    }
    drop(stream);
    // It is written down soon; the test runner ends a wait that has no end.
    let stopped = || {
        let audit = run(project.path(), &["audit"]).out;
        audit.lines().any(|line| line.contains(r#""tool":"wait""#) && line.contains("PERMANENT"))
    };
    while !stopped() {
        std::thread::yield_now();
    }
}
