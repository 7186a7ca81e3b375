//! The doors for programs inside `ghosthand serve`: the same engine as the page's.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::http::{Reply, ask, request_of, send_to};
use super::support::fixtures::Project;
use super::support::http_server::Listening;
use crate::support::program::run;

fn call(server: &Listening, headers: &[(&str, &str)], tool: &str, args: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": args });
    ask(server, headers, "tools/call", params).json()["result"].clone()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// A request of the page.
fn page(server: &Listening, what: &str, body: &Value) -> Reply {
    request_of(server, what, &[], body)
}

fn get(server: &Listening, path: &str) -> Value {
    page(server, &format!("GET {path}"), &json!({})).json()
}

/// The ids of the questions on the page.
fn asked(server: &Listening) -> Vec<String> {
    let open = get(server, "/api/approvals");
    open.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

fn approve(server: &Listening, id: &str) {
    let path = format!("POST /api/approvals/{id}");
    let told = page(server, &path, &json!({ "answer": "approve" }));
    assert_eq!((told.status, told.json()), (202, json!({})), "{}", told.body);
}

/// How many writes of the tool the ledger has, and how many of them are done.
fn writes(project: &Project, tool: &str) -> (usize, usize) {
    let ledger = run(project.path(), &["ledger", "list"]).out;
    let of_tool: Vec<_> = ledger.lines().filter(|line| line.ends_with(tool)).collect();
    let done = of_tool.iter().filter(|line| line.contains("  done  ")).count();
    (of_tool.len(), done)
}

#[test]
fn a_client_that_cannot_ask_is_led_to_the_page_and_its_call_runs_once() {
    let project = Project::usual();
    let server = Listening::serve(project.path(), &[], &[]);
    let args = json!({ "text": "x" });
    let refused = call(&server, &[], "note", &args);
    assert_eq!(refused["isError"], true);
    let place = format!("open http://{}/#approvals", server.address());
    assert!(text(&refused).contains(&place), "{refused}");
    assert!(text(&call(&server, &[], "note", &args)).contains("CONFIRMATION_REQUIRED"));
    let open = asked(&server);
    assert_eq!(open.len(), 1);
    approve(&server, &open[0]);
    assert_eq!(writes(&project, "note"), (0, 0), "nothing runs before the client calls again");
    let ran = call(&server, &[], "note", &args);
    assert_eq!(ran["structuredContent"], json!({ "n": 1 }), "{ran}");
    assert_eq!(writes(&project, "note"), (1, 1));
    // Another call is another question.
    assert!(text(&call(&server, &[], "note", &args)).contains("CONFIRMATION_REQUIRED"));
    assert_eq!((asked(&server).len(), writes(&project, "note")), (1, (1, 1)));
    // What tools keep for the page's owner is what the client's tools keep.
    assert_eq!(get(&server, "/api/kv?key=notes/n"), json!({ "notes/n": 1 }));
    let calls = get(&server, "/api/audit");
    assert!(calls.as_array().unwrap().iter().any(|line| line["tool"] == "note"), "{calls}");
    assert!(server.ends());
}

#[test]
fn a_yes_on_the_terminal_counts_at_the_door_too() {
    let project = Project::usual();
    let server = Listening::serve(project.path(), &[], &[]);
    let post = || page(&server, "POST /api/call/note", &json!({ "text": "x" }));
    let told = post();
    assert_eq!(told.status, 409, "{}", told.body);
    let id = told.json()["approval"]["id"].as_str().unwrap().to_owned();
    let agreed = run(project.path(), &["approvals", "approve", id.trim_start_matches("ask:")]);
    assert!(agreed.err.contains("when the client calls again"), "{}", agreed.err);
    assert_eq!(writes(&project, "note"), (0, 0));
    let told = post();
    assert_eq!((told.status, &told.json()["data"]), (200, &json!({ "n": 1 })), "{}", told.body);
    assert_eq!(writes(&project, "note"), (1, 1));
}

#[test]
fn a_tool_that_the_page_switches_off_is_off_for_clients() {
    let project = Project::usual();
    let server = Listening::serve(project.path(), &[], &[]);
    let args = json!({ "text": "hello" });
    assert_eq!(call(&server, &[], "echo", &args)["structuredContent"], json!({ "said": "hello" }));
    page(&server, "POST /api/tools/echo/switch", &json!({ "on": false }));
    assert_eq!(call(&server, &[], "echo", &args)["isError"], true);
}

#[test]
fn the_door_is_the_servers_own() {
    let project = Project::usual();
    let server = Listening::serve(project.path(), &[], &[]);
    let list = |headers: &[(&str, &str)]| ask(&server, headers, "tools/list", json!({})).status;
    assert_eq!(list(&[]), 200);
    let own = format!("http://{}", server.address());
    assert_eq!(list(&[("Origin", &own)]), 200);
    assert_eq!(list(&[("Origin", "http://evil.example")]), 403);
    assert_eq!(list(&[("Origin", "null")]), 403);
    assert_eq!(list(&[("Host", "evil.example")]), 403);
}

#[test]
fn people_and_programs_come_in_with_their_tokens() {
    let project = Project::usual();
    let config = "[mcp_tokens.phone]\ntoken_env = 'PHONE'\ntools = ['echo', 'no*']\n\
                  client = 'ana'\n";
    project.write("ghosthand.toml", config);
    project.write("tokens.txt", "ana=ana-0123456789abcdef\nben=ben-0123456789abcdef\n");
    let people = ["--token-file", "tokens.txt"];
    let variables = [("PHONE", "phone-0123456789abcdef")];
    let server = Listening::serve(project.path(), &variables, &people);
    let bearer = |secret: &str| format!("Bearer {secret}-0123456789abcdef");
    let (ana, ben, phone) = (bearer("ana"), bearer("ben"), bearer("phone"));
    let with = |token: &'static str| [("Authorization", token)];
    let (ana, ben): (&'static str, &'static str) = (ana.leak(), ben.leak());
    let phone: &'static str = phone.leak();
    let names = |token: &'static str| -> Vec<String> {
        let listed = ask(&server, &with(token), "tools/list", json!({})).json();
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ask(&server, &[], "tools/list", json!({})).status, 401);
    assert_eq!(names(phone), ["echo", "note", "read_result"]);
    assert!(names(ana).len() > 5);
    let document = request_of(&server, "GET /api/call/openapi.json", &with(phone), &json!({}));
    let paths: Vec<_> = document.json()["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(paths, ["/echo", "/note"]);
    call(&server, &with(phone), "note", &json!({}));
    let open = |token| request_of(&server, "GET /api/approvals", &with(token), &json!({}));
    assert_eq!(open(phone).status, 403);
    assert_eq!(open(ben).json(), json!([]));
    let id = open(ana).json()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("POST /api/approvals/{id}");
    let yes = |token| request_of(&server, &path, &with(token), &json!({ "answer": "approve" }));
    assert_eq!((yes(phone).status, yes(ben).status, yes(ana).status), (403, 409, 202));
    let ran = call(&server, &with(phone), "note", &json!({}));
    assert_eq!(ran["structuredContent"], json!({ "n": 1 }), "{ran}");
    let kept = request_of(&server, "GET /api/kv?key=notes/n", &with(ana), &json!({})).json();
    assert_eq!(kept, json!({ "notes/n": 1 }));
}

/// An ear to the owner's keys: the stream of a conversation.
fn listen(server: &Listening) -> BufReader<TcpStream> {
    let id = page(server, "POST /api/conversations", &json!({})).json()["id"].clone();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let path = format!("/api/conversations/{}/stream", id.as_str().unwrap());
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address()).unwrap();
    let mut reader = BufReader::new(stream);
    hear(&mut reader, "text/event-stream");
    reader
}

fn hear(reader: &mut impl BufRead, wanted: &str) {
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0, "no {wanted}");
    }
}

/// Counts that it began, and goes on when the page says so.
const SLOW: &str = "const n = ((await context.kv.get('notes/begun'))?.value ?? 0) + 1; \
                    await context.kv.set('notes/begun', n); \
                    while (!(await context.kv.get('notes/go'))?.value) \
                        await new Promise((done) => setTimeout(done, 20)); \
                    return { ok: true, data: { n } };";

#[test]
fn a_program_that_hangs_up_stops_the_handler_unless_it_will_ask_again() {
    let project = Project::usual();
    let slow = json!({ "category": "action", "sideEffects": "writes", "latencyBudgetMs": 60_000,
        "capabilities": { "kv": ["notes/"] } });
    project.tool("slow", slow, SLOW);
    let server = Listening::serve(project.path(), &[], &[]);
    let mut ear = listen(&server);
    let mut hang_up = |headers: &[(&str, &str)]| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        send_to(&mut stream, &server, "POST /api/call/slow", headers, &json!({}));
        hear(&mut ear, "notes/begun");
    };
    hang_up(&[]);
    // It is written down soon; the test runner ends a wait that has no end.
    let stopped = || {
        let audit = run(project.path(), &["audit"]).out;
        audit.lines().any(|line| line.contains(r#""tool":"slow""#) && line.contains("PERMANENT"))
    };
    while !stopped() {
        std::thread::yield_now();
    }
    let key = [("Idempotency-Key", "one")];
    hang_up(&key);
    page(&server, "PUT /api/kv/notes%2Fgo", &json!({ "value": true }));
    let told = request_of(&server, "POST /api/call/slow", &key, &json!({}));
    assert_eq!((told.status, &told.json()["data"]), (200, &json!({ "n": 2 })), "{}", told.body);
    assert!(told.head.contains("idempotent-replayed: true"), "{}", told.head);
}

/// Of a write that was cut off nobody knows how far it came; no key runs it again.
#[test]
fn a_write_that_a_crash_cut_off_is_not_run_again_under_its_key() {
    let project = Project::usual();
    let slow = json!({ "category": "action", "sideEffects": "writes", "idempotent": false,
        "latencyBudgetMs": 60_000, "capabilities": { "kv": ["notes/"] } });
    project.tool("slow", slow, SLOW);
    let key = [("Idempotency-Key", "one")];
    let server = Listening::serve(project.path(), &[], &[]);
    let mut ear = listen(&server);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    send_to(&mut stream, &server, "POST /api/call/slow", &key, &json!({}));
    hear(&mut ear, "notes/begun");
    // Dropped, the server is killed.
    drop(server);
    let server = Listening::serve(project.path(), &[], &[]);
    page(&server, "PUT /api/kv/notes%2Fgo", &json!({ "value": true }));
    let told = request_of(&server, "POST /api/call/slow", &key, &json!({}));
    assert!(told.status >= 400, "{}", told.body);
    assert_eq!(get(&server, "/api/kv?key=notes/begun"), json!({ "notes/begun": 1 }));
}
