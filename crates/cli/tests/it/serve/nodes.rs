//! Servers that share a store behave like one: real processes on one SQLite file.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use fake_providers::Turn;
use serde_json::{Value, json};
use store::{LogName, Sequence, SqliteOptions, SqliteStore, Store};
use testkit::Gate;

use crate::support::model_project::FarSide;
use crate::support::program::{exchange, exchange_with};
use crate::support::tool_tree::base;

/// One server of a project.
pub(super) struct Node {
    pub(super) child: Child,
    address: String,
}

impl Node {
    fn start(far: &FarSide) -> Self {
        Self::start_with(far, &["--no-token"])
    }

    fn start_with(far: &FarSide, args: &[&str]) -> Self {
        Self::spawn(far.command(&["serve", "--listen", "127.0.0.1:0"]).args(args))
    }

    pub(super) fn spawn(command: &mut Command) -> Self {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = child.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).unwrap_or_else(|| panic!("no address: {line}"));
        let address = address.split('/').next().unwrap().trim().to_owned();
        Self { child, address }
    }

    #[track_caller]
    pub(super) fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, told) = exchange(&self.address, method, path, &body.to_string());
        assert!(status < 300, "{method} {path}: {status} {told}");
        serde_json::from_str(&told).unwrap_or_default()
    }

    fn status(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        exchange(&self.address, method, path, &body.to_string())
    }

    fn signal(&self, name: &str) {
        let kill = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    pub(super) fn begin(&self) -> String {
        let told = self.send("POST", "/api/conversations", &json!({}));
        format!("/api/conversations/{}", told["id"].as_str().unwrap())
    }

    pub(super) fn say(&self, path: &str, text: &str) {
        self.send("POST", &format!("{path}/messages"), &json!({ "text": text }));
    }

    /// The conversation when no turn is open any more.
    pub(super) fn at_rest(&self, path: &str) -> Value {
        loop {
            let view = self.send("GET", path, &json!({}));
            if view["open"] == false {
                return view;
            }
        }
    }

    /// The stream of a conversation after an event, until this is in it.
    fn stream_until(&self, path: &str, after: u64, wanted: &str) -> String {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        write!(
            socket,
            "GET {path}/stream HTTP/1.1\r\nhost: {}\r\nlast-event-id: {after}\r\n\r\n",
            self.address
        )
        .unwrap();
        let (mut seen, mut bytes) = (String::new(), [0; 4_096]);
        while !seen.contains(wanted) {
            let count = socket.read(&mut bytes).unwrap();
            assert_ne!(count, 0, "the stream ended: {seen}");
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        seen
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until the log of a conversation has an event of this kind.
fn logged(far: &FarSide, path: &str, event: &str) {
    let file = far.path().join(".ghosthand/store.db");
    let id = path.rsplit('/').next().unwrap();
    let (log, wanted): (LogName, _) =
        (format!("talk/{id}").parse().unwrap(), format!("\"event\":\"{event}\""));
    far.wait(async {
        let store = SqliteStore::open(&file, SqliteOptions::machine()).unwrap();
        let mut feed = store.log().follow(&log, Sequence::FIRST).await.unwrap();
        while !feed.next().await.unwrap().body.as_str().contains(&wanted) {}
    });
}

pub(super) fn texts(view: &Value) -> Vec<&str> {
    let entries = view["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["text"].as_str().or(entry["entry"].as_str()).unwrap()).collect()
}

/// Two servers; the first is in the middle of an answer.
fn in_an_answer(far: &FarSide) -> (Node, Node, String) {
    let gate = Gate::new();
    far.fake.then(Turn::says("One two three four.").gate_at(4, &gate));
    let (first, second) = (Node::start(far), Node::start(far));
    let path = first.begin();
    first.say(&path, "Count");
    far.wait(gate.reached());
    logged(far, &path, "partial");
    (first, second, path)
}

#[track_caller]
fn is_finished_by(far: &FarSide, node: &Node, path: &str) {
    let view = node.at_rest(path);
    let shown = texts(&view);
    assert_eq!((shown.len(), &shown[2..]), (4, &["broke_off", "Five."][..]), "{shown:?}");
    assert!(shown[1].starts_with("One two"), "{shown:?}");
    far.fake.then(Turn::says("Six."));
    node.say(path, "And?");
    assert_eq!(texts(&node.at_rest(path)).last(), Some(&"Six."));
}

#[test]
fn a_turn_whose_server_is_killed_is_finished_by_another() {
    let far = FarSide::new();
    let (mut first, second, path) = in_an_answer(&far);
    far.fake.then(Turn::says("Five."));
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    is_finished_by(&far, &second, &path);
}

#[test]
fn a_server_that_was_frozen_cannot_write_to_a_turn_that_another_has_taken_over() {
    let far = FarSide::new();
    let (first, second, path) = in_an_answer(&far);
    far.fake.then(Turn::says("Five."));
    first.signal("-STOP");
    is_finished_by(&far, &second, &path);
    let shown = second.send("GET", &path, &json!({}))["entries"].clone();
    first.signal("-CONT");
    // It drops the answer that it was reading.
    far.wait(far.fake.abandoned(1));
    assert_eq!(first.send("GET", &path, &json!({}))["entries"], shown);
    far.fake.then(Turn::says("Seven."));
    first.say(&path, "Still there?");
    assert_eq!(texts(&first.at_rest(&path)).last(), Some(&"Seven."));
    assert_eq!(texts(&second.at_rest(&path)).last(), Some(&"Seven."));
}

#[test]
fn a_server_that_is_asked_to_end_leaves_its_turn_to_another() {
    let far = FarSide::new();
    let (mut first, second, path) = in_an_answer(&far);
    far.fake.then(Turn::says("Five."));
    first.signal("-TERM");
    is_finished_by(&far, &second, &path);
    assert!(first.child.wait().unwrap().success());
}

#[test]
fn a_turn_is_followed_and_stopped_on_another_server() {
    let far = FarSide::new();
    let (first, second, path) = in_an_answer(&far);
    let last = second.send("GET", &path, &json!({}))["last"].as_u64().unwrap();
    assert_eq!(second.send("GET", &path, &json!({}))["running"], true);
    let (status, told) =
        second.status("POST", &format!("{path}/messages"), &json!({ "text": "x" }));
    assert_eq!(status, 409, "{told}");
    let stopped = second.send("POST", &format!("{path}/stop"), &json!({}));
    assert_eq!(stopped, json!({ "stopped": true }));
    far.wait(far.fake.abandoned(1));
    second.stream_until(&path, last, "RUN_FINISHED");
    for node in [&first, &second] {
        let view = node.at_rest(&path);
        assert!(texts(&view)[1].starts_with("One two"), "{view}");
    }
    far.fake.then(Turn::says("Six."));
    second.say(&path, "And?");
    assert_eq!(texts(&first.at_rest(&path)).last(), Some(&"Six."));
}

pub(super) const KEEPS: &str = "const n = (await context.kv.get('kept-n'))?.value ?? 0;
    await context.kv.set('kept-n', n + 1);
    return { ok: true, data: n + 1 };";

/// Adds a tool with this handler.
pub(super) fn tool(far: &FarSide, id: &str, fields: &Value, body: &str) {
    let folder = far.path().join("tools").join(id);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in base(id) {
        fs::write(folder.join(file), text).unwrap();
    }
    let file = folder.join("schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        schema[name] = value.clone();
    }
    fs::write(file, schema.to_string()).unwrap();
    let handler = format!("export async function execute({{ args, context }}) {{\n{body}\n}}\n");
    fs::write(folder.join("handler.js"), handler).unwrap();
}

#[test]
fn a_question_is_answered_on_another_server() {
    let far = FarSide::new();
    let asks = json!({ "requiresConfirmation": true, "capabilities": { "kv": ["kept-"] } });
    tool(&far, "keep", &asks, KEEPS);
    far.fake.then(Turn::calls("keep", json!({ "text": "x" }))).then(Turn::says("Kept."));
    let (first, second) = (Node::start(&far), Node::start(&far));
    let path = first.begin();
    first.say(&path, "Keep it");
    logged(&far, &path, "asked");
    let open = second.send("GET", "/api/approvals", &json!({}));
    let request = open[0]["id"].as_str().unwrap();
    second.send("POST", &format!("/api/approvals/{request}"), &json!({ "answer": "approve" }));
    for node in [&first, &second] {
        assert_eq!(texts(&node.at_rest(&path)).last(), Some(&"Kept."));
        let kept = node.send("GET", "/api/kv?key=kept-n", &json!({}));
        assert_eq!(kept, json!({ "kept-n": 1 }));
    }
}

#[test]
fn a_call_under_one_key_runs_once_on_all_servers() {
    let far = FarSide::new();
    let writes = json!({ "category": "action", "sideEffects": "writes", "idempotent": false,
        "capabilities": { "kv": ["kept-"] } });
    tool(&far, "keep", &writes, KEEPS);
    let (first, second) = (Node::start(&far), Node::start(&far));
    for key in 1..=5 {
        let call = |node: &Node| {
            let header = format!("idempotency-key: k{key}\r\n");
            let body = json!({ "text": "x" }).to_string();
            exchange_with(&node.address, &header, "POST", "/api/call/keep", &body)
        };
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(|| call(&first));
            (call(&second), one.join().unwrap())
        });
        for (status, told) in [one, other] {
            let told: Value = serde_json::from_str(&told).unwrap();
            assert_eq!((status, &told["data"]), (200, &json!(key)), "{told}");
        }
    }
}

/// A request with another `Host` than the address.
fn request(node: &Node, head: &str, body: &str) -> String {
    let mut socket = TcpStream::connect(&node.address).unwrap();
    let length = body.len();
    write!(
        socket,
        "{head}\r\nhost: pad.test\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut told = String::new();
    socket.read_to_string(&mut told).unwrap();
    told
}

#[test]
fn a_browser_that_signed_in_on_one_server_is_signed_in_on_all() {
    let far = FarSide::new();
    let file = far.path().join("tokens");
    fs::write(&file, "ana=0123456789abcdef0123\n").unwrap();
    let args = ["--token-file", file.to_str().unwrap(), "--host", "pad.test"];
    let (first, second) = (Node::start_with(&far, &args), Node::start_with(&far, &args));
    let signed = request(&first, "POST /login HTTP/1.1", "token=0123456789abcdef0123");
    let cookie = signed.to_lowercase();
    let at = cookie.find("set-cookie: ").unwrap_or_else(|| panic!("{signed}")) + 12;
    let cookie = signed[at..].split(';').next().unwrap().to_owned();
    for node in [&first, &second] {
        let told = request(node, &format!("GET /api/session HTTP/1.1\r\ncookie: {cookie}"), "");
        assert!(told.starts_with("HTTP/1.1 200") && told.contains("\"owner\":\"ana\""), "{told}");
    }
    let out = format!("DELETE /api/session HTTP/1.1\r\ncookie: {cookie}");
    assert!(request(&second, &out, "").starts_with("HTTP/1.1 204"));
    let told = request(&first, &format!("GET /api/session HTTP/1.1\r\ncookie: {cookie}"), "");
    assert!(told.starts_with("HTTP/1.1 401"), "{told}");
}

#[test]
fn a_server_with_other_tools_takes_no_turns_and_says_so() {
    let far = FarSide::new();
    let first = Node::start(&far);
    let path = first.begin();
    for place in ["/health", "/healthz", "/readyz"] {
        assert_eq!(first.send("GET", place, &json!({})), json!({ "ok": true }));
    }
    let other = far.path().join("other-tools");
    crate::support::program::copy_unlocked(&far.path().join("tools"), &other);
    fs::remove_dir_all(other.join("validate-email")).unwrap();
    let args = ["--no-token", "--dir", other.to_str().unwrap()];
    let second = Node::start_with(&far, &args);
    let (status, told) = second.status("GET", "/readyz", &json!({}));
    assert_eq!(status, 503, "{told}");
    assert!(told.contains("differ from those of the other servers"), "{told}");
    assert_eq!(second.send("GET", "/healthz", &json!({})), json!({ "ok": true }));
    let (status, told) =
        second.status("POST", &format!("{path}/messages"), &json!({ "text": "x" }));
    assert_eq!(status, 503, "{told}");
    // The first one goes on, and when it has ended the other takes turns.
    far.fake.then(Turn::says("One.")).then(Turn::says("Two."));
    first.say(&path, "Hello");
    assert_eq!(texts(&first.at_rest(&path)).last(), Some(&"One."));
    drop(first);
    while second.status("GET", "/readyz", &json!({})).0 != 200 {}
    second.say(&path, "Hello");
    assert_eq!(texts(&second.at_rest(&path)).last(), Some(&"Two."));
}
