//! The same handler behind a server: every answer, stream, page, export, trace and log line, and
//! what the list of processes shows of its children.

use std::cell::RefCell;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::web::{Web, WebAnswer};

use super::{CANARY, WAYS, files, project, sightings};
use crate::serve::hostile::raw_request::{Reply, raw, send};
use crate::serve::served_pad::Ended;
use crate::support::program::{command, run};

const TOKEN: &str = "Bearer ana-0123456789abcdef";

/// The processes below this one, as far as they can be looked at: command line and environment.
fn children(parent: u32) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name in brackets may hold anything; the parent is the second word after it.
        let after = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
        if after.split_whitespace().nth(1) != Some(&parent.to_string()) {
            continue;
        }
        for what in ["cmdline", "environ"] {
            let bytes = fs::read(entry.path().join(what)).unwrap_or_default();
            found.push((format!("{what} of a child"), bytes));
        }
        found.extend(children(id));
    }
    found
}

#[test]
fn a_secret_is_in_nothing_that_a_server_says_shows_sends_or_keeps() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.unwrap();
    let collector = runtime.block_on(Web::start(|_| WebAnswer::json(200, &json!({})))).unwrap();
    let dir = project();
    fs::write(dir.path().join("tokens.txt"), "ana=ana-0123456789abcdef\n").unwrap();
    let mut command = command(dir.path());
    command
        .args(["serve", "--listen", "127.0.0.1:0", "--token-file", "tokens.txt"])
        .env("LEAKY_TOKEN", CANARY)
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.base_url())
        .env("GHOSTHAND_TELEMETRY_CONTENT", "shown")
        .env("GHOSTHAND_LOG", "debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = child.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = errors.read_to_end(&mut text);
        text
    });
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let (parent, server) = (child.id(), Ended(child));
    let heard = RefCell::new(Vec::new());
    let hear = |place: String, reply: &Reply| {
        let told = format!("{}{}", reply.head, reply.body);
        heard.borrow_mut().extend(sightings(&place, told.as_bytes()));
    };
    let say = |method: &str, path: &str, body: &Value| {
        let headers = [("authorization", TOKEN), ("content-type", "application/json")];
        let reply = send(&address, method, path, &headers, &body.to_string());
        hear(format!("{method} {path}"), &reply);
        reply
    };
    let talk = say("POST", "/api/conversations", &json!({})).json()["id"].clone();
    let talk = talk.as_str().unwrap().to_owned();
    for way in WAYS {
        let args = json!({ "text": way });
        say("POST", "/api/call/t", &args);
        say("POST", "/api/tools/t/run", &json!({ "conversation": talk, "args": args }));
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "t", "arguments": args, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": "p" } } });
        let body = call.to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {address}\r\nauthorization: {TOKEN}\r\nconnection: close\r\n\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: t\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        hear(format!("MCP {way}"), &raw(&address, request.as_bytes()));
        say(
            "POST",
            &format!("/api/conversations/{talk}/messages"),
            &json!({ "text": format!("use t {way}") }),
        );
    }
    let ran = say("POST", "/api/call/t", &json!({ "text": "result" }));
    assert!(ran.body.contains("[secret]"), "the handler did not get as far as that: {ran:?}");
    while say("GET", &format!("/api/conversations/{talk}"), &json!({})).json()["running"] == true {}
    let mut shown = vec!["/".to_owned(), "/metrics".to_owned()];
    for end in ["", "/export?as=json", "/export?as=md", "/stream?after=0"] {
        shown.push(format!("/api/conversations/{talk}{end}"));
    }
    shown.extend(
        [
            "audit",
            "doubts",
            "inbox",
            "mcp-servers",
            "approvals",
            "tools",
            "features",
            "kv?key=notes%2Fvalue",
            "openapi.json",
            "call/openapi.json",
            "conversations?search=canary",
            "settings",
            "usage",
        ]
        .map(|path| format!("/api/{path}")),
    );
    for path in &shown {
        say("GET", path, &json!({}));
    }
    let mut seen = heard.take();
    let below = children(parent);
    assert!(!below.is_empty(), "the server has children that run handlers");
    for (place, bytes) in &below {
        seen.extend(sightings(place, bytes));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &parent.to_string()]).status();
    assert!(kill.unwrap().success());
    let log = log.join().unwrap();
    drop(server);
    seen.extend(sightings("the log", &log));
    for spans in collector.requests() {
        seen.extend(sightings("a trace", format!("{spans:?}").as_bytes()));
    }
    for args in [&["audit"][..], &["store", "export"], &["ledger", "list"], &["approvals", "list"]]
    {
        let found = run(dir.path(), args);
        seen.extend(sightings(args[0], format!("{}{}", found.out, found.err).as_bytes()));
    }
    for (path, bytes) in files(dir.path()) {
        seen.extend(sightings(&path, &bytes));
    }
    assert_eq!(seen, Vec::<String>::new());
}
