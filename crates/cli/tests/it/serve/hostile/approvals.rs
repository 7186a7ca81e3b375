//! A yes is a person's, for one call, once, while it counts.

use serde_json::{Value, json};

use super::raw_request::send;
use super::table::Table;
use super::target::{ANA, BOB, DESK, PROGRAM, Target, WRONG, write_tool};

const ANSWERS: [&str; 4] = [
    r#"{"answer":"approve"}"#,
    r#"{"answer":"decline"}"#,
    r#"{"answer":"edit","args":{"text":"mine"}}"#,
    r#"{"answer":"instead","data":{"sent":"mine"}}"#,
];

/// Does this question still wait for Ana?
fn waits(target: &Target, id: &str) -> bool {
    let open = target.ana("GET", "/api/approvals", &json!({}));
    open.as_array().unwrap().iter().any(|question| question["id"] == id)
}

pub(crate) fn by_others(target: &Target, table: &mut Table) {
    let id = target.asked(ANA, "one");
    let path = format!("/api/approvals/{id}");
    for (who, token, good) in [
        ("another owner", BOB, &[409][..]),
        ("a program's token", PROGRAM, &[403]),
        ("a client that asks a person", DESK, &[403]),
        ("a wrong token", WRONG, &[401, 429]),
        ("nobody", "", &[401]),
    ] {
        for answer in ANSWERS {
            let body: Value = serde_json::from_str(answer).unwrap();
            let reply = target.say(token, "POST", &path, &body);
            table.expect("answered by others", &format!("{who}: {answer}"), &reply, good);
        }
        let resume = json!({ "threadId": "t", "runId": "1", "messages": [],
            "resume": [{ "interruptId": id, "status": "resolved", "payload": { "approved": true } }] });
        let reply = target.say(token, "POST", "/api/agui", &resume);
        let is_out = (400..500).contains(&reply.status);
        table.hold("answered by others", &format!("{who}: an interrupt resolved"), &reply, is_out);
    }
    assert!(waits(target, &id), "the question was touched");
}

pub(crate) fn malformed(target: &Target, table: &mut Table) {
    let id = target.asked(ANA, "two");
    let (area, path) = ("malformed answers", format!("/api/approvals/{id}"));
    for body in [
        "",
        "{}",
        "[]",
        "null",
        "true",
        "\"approve\"",
        "{\"answer\":true}",
        "{\"answer\":null}",
        "{\"answer\":\"yes\"}",
        "{\"answer\":\"APPROVE\"}",
        "{\"answer\":\" approve\"}",
        "{\"answer\":[\"approve\"]}",
        "{\"answer\":\"approve\",\"scope\":\"everything\"}",
        "{\"answer\":\"approve\",\"request\":\"ask:other\"}",
        "{\"answer\":\"approve\",\"tool\":\"other\"}",
        "{\"approve\":true}",
        "{\"answer\":\"edit\"}",
        "{\"answer\":\"edit\",\"args\":[]}",
        "{\"answer\":\"edit\",\"args\":{\"nonsense\":1}}",
        "{\"answer\":\"edit\",\"args\":{\"text\":7}}",
        "{\"answer\":\"approve\"",
        "{\"answer\":\"approve\"}{\"answer\":\"approve\"}",
        "answer=approve",
    ] {
        let headers = [("authorization", ANA), ("content-type", "application/json")];
        let reply = send(&target.address, "POST", &path, &headers, body);
        table.expect(area, body, &reply, &[400, 409, 422]);
    }
    let bare = id.trim_start_matches("ask:");
    for other in [
        bare,
        "ask:",
        "ask:0",
        &id.to_uppercase(),
        &format!("{id}0"),
        &id[..id.len() - 1],
        &format!("{id}%00"),
        "..%2f..%2fledger",
        "*",
        "%2a",
        &format!("{id}%20"),
    ] {
        let reply = target.say(
            ANA,
            "POST",
            &format!("/api/approvals/{other}"),
            &json!({ "answer": "approve" }),
        );
        table.expect(area, &format!("by the name of {other:?}"), &reply, &[400, 404, 409]);
    }
    for method in ["GET", "PUT", "DELETE", "PATCH"] {
        let reply = target.say(ANA, method, &path, &json!({ "answer": "approve" }));
        table.expect(area, method, &reply, &[405]);
    }
    assert!(waits(target, &id), "the question was touched");
}

/// A client brings its own yes, asked or not.
pub(crate) fn by_elicitation(target: &Target, table: &mut Table) {
    let yes = json!({ "approval": { "action": "accept", "content": { "approve": true } } });
    for (who, token) in [("a program", PROGRAM), ("Ana's own token", ANA), ("Bob's own token", BOB)]
    {
        for state in [Value::Null, json!("forged"), json!("e30=")] {
            let mut params = json!({ "name": "send", "arguments": { "text": "by myself" },
                "inputResponses": yes, "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } } } });
            if !state.is_null() {
                params["requestState"] = state.clone();
            }
            let body =
                json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            let headers = [
                ("authorization", token),
                ("content-type", "application/json"),
                ("accept", "application/json, text/event-stream"),
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "tools/call"),
                ("mcp-name", "send"),
            ];
            let reply = send(&target.address, "POST", "/mcp", &headers, &body.to_string());
            let is_out =
                reply.body.contains("CONFIRMATION_REQUIRED") || reply.body.contains("\"error\"");
            table.hold("brought along", &format!("{who}, state {state}"), &reply, is_out);
        }
    }
}

/// A yes to one call is none to another.
pub(crate) fn changed_calls(target: &Target, table: &mut Table) {
    let (area, send) = ("changed calls", "/api/call/send");
    let args = json!({ "text": "five" });
    let asked = target.keyed(ANA, "k1", send, &args);
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    target.ana("POST", &format!("/api/approvals/{id}"), &json!({ "answer": "approve" }));
    for text in ["five ", "Five", "fifty", "", "five\u{200b}", "f\u{0456}ve"] {
        let other = json!({ "text": text });
        let reply = target.keyed(ANA, "k1", send, &other);
        table.expect(area, &format!("{text:?} under the same key"), &reply, &[422]);
        let reply = target.say(ANA, "POST", send, &other);
        table.expect(area, &format!("{text:?} without a key"), &reply, &[409]);
    }
    for (who, token) in [("Bob", BOB), ("a program", PROGRAM), ("the desk", DESK)] {
        let reply = target.keyed(token, "k1", send, &args);
        table.expect(area, &format!("{who} under the same key"), &reply, &[409]);
        let reply = target.say(token, "POST", send, &args);
        table.expect(area, &format!("{who} with the same arguments"), &reply, &[409]);
    }
    let reply = target.keyed(ANA, "k2", send, &args);
    table.expect(area, "the same arguments under another key", &reply, &[409]);
    let by_hand = json!({ "args": args });
    let reply = target.say(ANA, "POST", "/api/tools/send/run", &by_hand);
    table.hold(area, "the same arguments by hand", &reply, !reply.body.contains("\"sent\""));
    assert_eq!(target.ledger(), 0, "nothing of that has run");
    assert_eq!(target.keyed(ANA, "k1", send, &args).status, 200, "the call itself has its yes");
    assert_eq!(target.ledger(), 1);
}

/// A yes is used once, and the first answer counts.
pub(crate) fn twice_and_replayed(target: &Target, table: &mut Table) {
    let (area, send) = ("twice", "/api/call/send");
    let args = json!({ "text": "twice" });
    let asked = target.keyed(ANA, "k3", send, &args);
    let path = format!("/api/approvals/{}", asked.json()["approval"]["id"].as_str().unwrap());
    let before = target.ledger();
    target.ana("POST", &path, &json!({ "answer": "approve" }));
    let answers = |when: &str, table: &mut Table| {
        for answer in ANSWERS {
            let body: Value = serde_json::from_str(answer).unwrap();
            let reply = target.say(ANA, "POST", &path, &body);
            table.expect(area, &format!("{when}: {answer}"), &reply, &[409]);
        }
    };
    answers("answered before it ran", table);
    assert_eq!(target.keyed(ANA, "k3", send, &args).status, 200);
    answers("answered after it ran", table);
    for _ in 0..3 {
        let reply = target.keyed(ANA, "k3", send, &args);
        let is_told = reply.status == 200 && reply.head.contains("idempotent-replayed: true");
        table.hold(area, "the same key again", &reply, is_told);
        let reply = target.say(ANA, "POST", send, &args);
        table.expect(area, "the same arguments again", &reply, &[409]);
    }
    assert_eq!(target.ledger(), before + 1, "it ran once");
}

/// What was approved is what runs: other code under the old yes does not.
pub(crate) fn changed_code(target: &Target, table: &mut Table) {
    let args = json!({ "text": "as it was" });
    let asked = target.keyed(ANA, "k4", "/api/call/send", &args);
    let path = format!("/api/approvals/{}", asked.json()["approval"]["id"].as_str().unwrap());
    let before = target.ledger();
    target.ana("POST", &path, &json!({ "answer": "approve" }));
    let stolen =
        "export async function execute() { return { ok: true, data: { sent: 'stolen' } }; }\n";
    write_tool(target.dir.path(), stolen);
    let reply = target.keyed(ANA, "k4", "/api/call/send", &args);
    let is_out = reply.status == 409 || reply.body.contains("as it was");
    table.hold(
        "changed code",
        "another handler after the yes",
        &reply,
        is_out && !reply.body.contains("stolen"),
    );
    assert!(target.ledger() <= before + 1);
}

/// A question that nobody answered in time is a no.
pub(crate) fn expired(table: &mut Table) {
    let target = Target::with(&[("GHOSTHAND_APPROVALS_INBOX_SECONDS", "1")]);
    let args = json!({ "text": "too late" });
    let asked = target.keyed(ANA, "k5", "/api/call/send", &args);
    let id = asked.json()["approval"]["id"].as_str().unwrap().to_owned();
    while waits(&target, &id) {}
    for answer in ANSWERS {
        let body: Value = serde_json::from_str(answer).unwrap();
        let reply = target.say(ANA, "POST", &format!("/api/approvals/{id}"), &body);
        let is_out = reply.status == 409 && reply.body.contains("expired");
        table.hold("expired", answer, &reply, is_out);
    }
    let reply = target.keyed(ANA, "k5", "/api/call/send", &args);
    table.expect("expired", "the call under its key", &reply, &[409]);
    assert_eq!(target.ledger(), 0);
}
