//! Servers that share a store in PostgreSQL behave like one.

use fake_providers::Turn;
use serde_json::{Value, json};
use testkit::Gate;
use testkit::postgres::{PASSWORD, PostgresServer, PostgresVersion};

use super::nodes::{KEEPS, Node, texts, tool};
use crate::support::model_project::FarSide;
use crate::support::program::run_with;

/// The variable with the address of the store.
const STORE: &str = "GHOSTHAND_STORE";

fn start(far: &FarSide, database: &PostgresServer) -> Node {
    let mut command = far.command(&["serve", "--listen", "127.0.0.1:0", "--no-token"]);
    Node::spawn(command.env(STORE, database.tcp_address(database.port())))
}

/// The conversation as soon as this holds.
fn seen(node: &Node, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
    loop {
        let view = node.send("GET", path, &json!({}));
        if holds(&view) {
            return view;
        }
    }
}

#[test]
fn a_killed_server_loses_nothing_and_nothing_happens_twice() {
    let database = PostgresServer::start(PostgresVersion::Debian);
    let far = FarSide::new();
    let asks = json!({ "requiresConfirmation": true, "capabilities": { "kv": ["kept-"] } });
    tool(&far, "keep", &asks, KEEPS);
    let gate = Gate::new();
    far.fake.then(Turn::says("One two three four.").gate_at(4, &gate));
    let (mut first, second) = (start(&far, &database), start(&far, &database));
    let path = first.begin();
    first.say(&path, "Count");
    far.wait(gate.reached());
    let begun = |view: &Value| texts(view).iter().any(|text| text.starts_with("One two"));
    seen(&second, &path, begun);

    far.fake.then(Turn::says("Five."));
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    let view = second.at_rest(&path);
    assert_eq!(texts(&view)[2..], ["broke_off", "Five."], "{view}");

    // A question that one asks is answered on the other, and the tool runs once.
    let first = start(&far, &database);
    far.fake.then(Turn::calls("keep", json!({ "text": "x" }))).then(Turn::says("Kept."));
    first.say(&path, "Keep it");
    let request = loop {
        let open = second.send("GET", "/api/approvals", &json!({}));
        if let Some(id) = open[0]["id"].as_str() {
            break id.to_owned();
        }
    };
    second.send("POST", &format!("/api/approvals/{request}"), &json!({ "answer": "approve" }));
    for node in [&first, &second] {
        let view = node.at_rest(&path);
        assert_eq!(texts(&view).last(), Some(&"Kept."), "{view}");
        assert_eq!(node.send("GET", "/api/kv?key=kept-n", &json!({})), json!({ "kept-n": 1 }));
    }
    assert!(!far.path().join(".ghosthand/store.db").exists(), "something used a file");
}

#[test]
fn doctor_tells_the_state_of_the_database_without_its_password() {
    let database = PostgresServer::start(PostgresVersion::Debian);
    let far = FarSide::new();
    let address = database.tcp_address(database.port());
    let told = run_with(far.command(&["doctor"]).env(STORE, &address));
    for words in ["server         PostgreSQL ", "no standby", "connections    "] {
        assert!(told.out.contains(words), "{words} is missing: {told:?}");
    }
    assert!(!told.out.contains(PASSWORD) && !told.err.contains(PASSWORD), "{told:?}");
    drop(database);
    let gone = run_with(far.command(&["approvals", "list"]).env(STORE, &address));
    assert_eq!(gone.code, 1, "{gone:?}");
    assert!(gone.err.contains("cannot be reached") && gone.err.contains("fix: "), "{gone:?}");
    assert!(!gone.err.contains(PASSWORD), "{gone:?}");
}
