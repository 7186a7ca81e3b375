//! What a reviewer reads after a change, sentence by sentence.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{Contract, Digest};
use serde_json::json;

use super::*;
use crate::registry::Shared;
use crate::tool::{Digests, Features, Handler, HandlerKind, Tool};

fn registry(contract: Value, handler: &str) -> Registry {
    let contract: Contract = serde_json::from_value(contract).unwrap();
    let digests = Digests {
        schema: Digest::of(&contract::canonical_bytes(&serde_json::to_value(&contract).unwrap())),
        summary: Digest::of(b"s"),
        doc: Digest::of(b"d"),
        handler: Digest::of(handler.as_bytes()),
        shared: None,
    };
    let tool = Tool {
        summary: "s".into(),
        documentation: "d".into(),
        examples: Vec::new(),
        handler: Handler {
            kind: HandlerKind::JavaScript,
            path: "send-mail/handler.js".into(),
            environment: None,
        },
        features: Features::default(),
        ui: None,
        ui_handlers: Vec::new(),
        order: 0,
        digests,
        code: Arc::default(),
        contract,
    };
    let tools = BTreeMap::from([(tool.contract.tool_id.clone(), Arc::new(tool))]);
    Registry::new(tools, Shared { digest: Digest::of(b""), files: Arc::default() })
}

fn mail() -> Value {
    json!({
        "toolId": "send_mail", "version": "1.0.0", "description": "Send a mail.",
        "category": "action", "sideEffects": "writes", "idempotent": false,
        "requiresConfirmation": true, "allowedModes": ["text"], "latencyBudgetMs": 500,
        "parameters": {
            "type": "object", "additionalProperties": false, "required": ["text"],
            "properties": {
                "text": {"type": "string", "maxLength": 100},
                "to": {"type": "string", "enum": ["ana", "bo"]},
                "head": {"type": "object", "properties": {"cc": {"type": "string"}}}
            }
        },
        "capabilities": {"net": ["mail.example.com"]}
    })
}

/// Changes the contract by setting values at pointers, and expects sentences.
#[track_caller]
fn check(edits: &[(&str, Value)], expected: &[&str]) {
    let mut changed = mail();
    for (pointer, value) in edits {
        let (around, key) = pointer.rsplit_once('/').unwrap();
        let object = changed.pointer_mut(around).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            object.remove(key);
        } else {
            object.insert(key.to_owned(), value.clone());
        }
    }
    let changes = diff(&Lock::of(&registry(mail(), "h")), &registry(changed, "h"));
    let mark = |change: &Change| match change.weight {
        ChangeWeight::Widens => "+ ",
        ChangeWeight::Breaks => "! ",
        ChangeWeight::Changes | ChangeWeight::Advice => "  ",
    };
    let shown: Vec<_> =
        changes.iter().map(|change| format!("{}{}", mark(change), change.sentence)).collect();
    let expected: Vec<_> = expected.iter().map(|line| (*line).to_owned()).collect();
    let version = "  `send_mail` still says version 1.0.0; give it a new one".to_owned();
    let versioned = edits.iter().any(|(pointer, _)| *pointer == "/version") || expected.is_empty();
    assert_eq!(shown, [expected, if versioned { vec![] } else { vec![version] }].concat());
}

#[test]
fn without_changes_nothing_is_reported() {
    check(&[], &[]);
}

#[test]
fn changes_of_whom_a_tool_may_ask_are_reported() {
    check(
        &[("/asks", json!(["model", "person"]))],
        &["+ `send_mail` may now ask `model` and `person` during a call"],
    );
}

#[test]
fn wider_capabilities_and_fewer_approvals_are_marked() {
    check(
        &[("/capabilities/net", json!(["api.example.com", "mail.example.com"]))],
        &["+ `send_mail` may now reach `api.example.com`"],
    );
    check(
        &[("/capabilities", json!({"secrets": ["KEY"], "files": ["out"]}))],
        &[
            "  `send_mail` may no longer reach `mail.example.com`",
            "+ `send_mail` may now use the secret `KEY`",
            "+ `send_mail` may now read and write files in `out`",
        ],
    );
    check(
        &[("/requiresConfirmation", json!(false))],
        &["+ `send_mail` no longer asks a person before it runs"],
    );
    check(
        &[("/sideEffects", json!("read_only")), ("/version", json!("2.0.0"))],
        &[
            "  `send_mail`: `sideEffects` was `writes` and is `read_only`",
            "  `send_mail`: the version was 1.0.0 and is 2.0.0",
        ],
    );
}

#[test]
fn changed_arguments_are_named() {
    check(
        &[("/parameters/required", json!(["text", "to"]))],
        &["! `send_mail`: the argument `to` became required"],
    );
    check(
        &[("/parameters/properties/text/maxLength", json!(200))],
        &["+ `send_mail`: the argument `text`: `maxLength` raised from 100 to 200"],
    );
    check(
        &[("/parameters/properties/text/maxLength", json!(10))],
        &["! `send_mail`: the argument `text`: `maxLength` lowered from 100 to 10"],
    );
    check(
        &[("/parameters/properties/to/enum", json!(["ana", "cy"]))],
        &[
            "  `send_mail`: the argument `to` may now be `cy`",
            "! `send_mail`: the argument `to` may no longer be `bo`",
        ],
    );
    check(
        &[("/parameters/properties/head/properties/cc/type", json!("array"))],
        &["! `send_mail`: the argument `head.cc`: `type` changed from string to array"],
    );
    check(
        &[("/parameters/properties/to", Value::Null), ("/parameters/properties/cc", json!({}))],
        &["  `send_mail`: the argument `cc` is new", "! `send_mail`: the argument `to` is gone"],
    );
    check(
        &[("/parameters/additionalProperties", json!(true))],
        &["+ `send_mail`: the arguments may now include unknown names"],
    );
}

#[test]
fn changed_handlers_and_added_or_removed_tools_are_reported() {
    let shared = Shared { digest: Digest::of(b""), files: Arc::default() };
    let empty = Registry::new(BTreeMap::new(), shared);
    let sentences =
        |changes: Vec<Change>| changes.into_iter().map(|c| c.sentence).collect::<Vec<_>>();
    let lock = Lock::of(&registry(mail(), "h"));
    assert_eq!(
        sentences(diff(&lock, &registry(mail(), "other"))),
        [
            "`send_mail`: the handler changed",
            "`send_mail` still says version 1.0.0; give it a new one"
        ]
    );
    assert_eq!(sentences(diff(&lock, &empty)), ["`send_mail` is gone"]);
    assert_eq!(
        sentences(diff(&Lock::of(&empty), &registry(mail(), "h"))),
        [
            "`send_mail` is new: it writes, and asks a person first",
            "`send_mail` may now reach `mail.example.com`"
        ]
    );
}
