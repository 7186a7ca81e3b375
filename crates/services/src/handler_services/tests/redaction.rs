//! A secret that a handler received appears in no output.

use serde_json::json;

use super::*;
use crate::fetch::tests::{Page, Server};

const CANARY: &str = "canary/ü 9f2c+41=\"z\"";

#[tokio::test]
async fn a_secret_appears_in_no_event_fault_key_file_or_result() {
    let mut world = World::new();
    world.secrets.insert("TOKEN", CANARY);
    world.secrets.insert("SHORT", "abc");
    let server = Server::start(Page::ok).await; // an echo
    world.network = server.network();
    let host = server.authority();
    let capabilities = json!({
        "kv": ["notes/"], "files": ["data"], "secrets": ["TOKEN", "UNSET", "SHORT"], "net": [host],
    });
    let run = world.run("writes", capabilities);
    let mut left: Vec<String> = Vec::new();

    let secret = ask(&run, "secrets.get", json!({"name": "TOKEN"})).await;
    assert_eq!(secret, Ok(json!(CANARY)));
    for (name, code) in [("UNSET", "NOT_FOUND"), ("SHORT", "NOT_FOUND"), ("OTHER", "NOT_ALLOWED")] {
        assert_eq!(
            ask(&run, "secrets.get", json!({"name": name})).await,
            Err(code.into()),
            "{name}"
        );
    }

    let nested = json!({CANARY: [format!("a{CANARY}b")], "plain": true});
    for (name, args) in [
        ("chunk", json!({"channel": "assistant", "text": CANARY})),
        ("progress", json!({"fraction": 0, "note": CANARY})),
        ("console", json!({"level": "debug", "text": format!("token={CANARY}")})),
        ("audit.log", json!({"event": CANARY, "data": nested})),
        ("messaging.send", json!({"message": nested})),
    ] {
        assert_eq!(ask(&run, name, args).await, Ok(Value::Null), "{name}");
    }
    left.extend(world.surface.events().iter().map(|event| format!("{event:?}")));
    assert!(left.iter().all(|event| event.contains("[secret]")), "{left:?}");

    for (name, args) in [
        ("kv.set", json!({"key": "notes/a", "value": nested})),
        ("kv.set", json!({"key": format!("notes/{CANARY}"), "value": 1})),
        ("kv.get", json!({"key": CANARY})),
        ("files.write", json!({"path": "data/a.txt", "text": format!("<{CANARY}>")})),
        ("files.read", json!({"path": format!("data/{CANARY}")})),
        ("fetch", json!({"url": format!("https://elsewhere.example.com/?t={CANARY}")})),
        ("fetch", json!({"url": format!("http://{CANARY}.example.com/")})),
        ("fetch", json!({"url": format!("http://{host}/"), "headers": {CANARY: "a"}})),
        ("fetch", json!({"url": format!("http://{host}/"), CANARY: "a"})),
        ("chunk", json!({"channel": CANARY, "text": "a"})),
        (CANARY, json!({})),
    ] {
        let refusal = fault(&run, name, args).await;
        left.push(format!("{refusal:?}"));
    }

    // The server receives it, as intended. What it echoes is redacted at the end.
    let asked = json!({
        "url": format!("http://{host}/?t={}", "canary%2F%C3%BC%209f2c%2B41%3D%22z%22"),
        "headers": {"x-token": "Basic dXNlcjpjYW5hcnkvw7wgOWYyYys0MT0ieiI="},
    });
    let echoed = ask(&run, "fetch", asked).await.unwrap();
    assert!(echoed.to_string().contains("canary%2F"), "the request was sent unchanged");
    left.push(run.redact_value(echoed).to_string());
    left.push(run.redact(&format!("thrown: {CANARY}")));
    left.push(run.redact_value(json!({"data": nested, CANARY: CANARY})).to_string());

    // Plain, in part, and in the middle of a Base64 text.
    for trace in ["canary", "9f2c", "hcnkvw7wgOWYyYys0MT0ie"] {
        assert!(left.iter().all(|text| !text.contains(trace)), "{trace} in {left:#?}");
    }
    let stored = world.store.kv().keys(&store::Prefix::all(), store::PageRequest::first(10)).await;
    assert_eq!(stored.unwrap().items, []);
    assert_eq!(std::fs::read_dir(world.path()).unwrap().count(), 0);
    assert_eq!(format!("{:?}", Secret::new(CANARY)), "[secret]");
}
