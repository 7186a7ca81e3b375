//! From definition to tool.

use contract::SideEffects;
use serde_json::{Value, json};

use super::{ImportedTools, import_tools};
use crate::client::server_config::tests::config;
use crate::client::{AskWhen, Definition, Effect, McpLock, ServerConfig};

fn definition(name: &str, annotations: Value) -> Definition {
    Definition {
        name: name.to_owned(),
        title: None,
        description: "Does it.".to_owned(),
        input_schema: json!({ "type": "object" }),
        output_schema: None,
        annotations,
    }
}

#[track_caller]
fn check(config: &ServerConfig, annotations: Value, effects: SideEffects, asks: bool) {
    let ImportedTools { tools, notes } =
        import_tools(config, [&definition("do", annotations)], &McpLock::default());
    assert_eq!(notes, Vec::<String>::new());
    let contract = &tools[0].contract;
    assert_eq!((contract.side_effects, contract.requires_confirmation), (effects, asks));
}

#[test]
fn untrusted_hints_loosen_nothing_and_the_operator_decides() {
    let reads = json!({ "readOnlyHint": true });
    let (none, writes) = (SideEffects::ReadOnly, SideEffects::Writes);
    check(&config(&[]), Value::Null, writes, true);
    check(&config(&[]), reads.clone(), writes, true);
    check(&config(&[("do", Effect::Reads)]), Value::Null, none, false);
    check(&config(&[("do", Effect::Writes)]), reads.clone(), writes, true);
    let always = ServerConfig { ask_when: AskWhen::Always, ..config(&[]) };
    check(&always, reads, writes, true);
    let never = ServerConfig { ask_when: AskWhen::Never, ..config(&[]) };
    check(&never, Value::Null, writes, false);
}

#[test]
fn hints_count_once_a_person_trusts_this_definition() {
    let reads = definition("do", json!({ "readOnlyHint": true, "idempotentHint": true }));
    let silent = definition("say", Value::Null);
    let mut lock = McpLock::default();
    lock.pin("far", [reads.clone(), silent.clone()]);
    let asked = |lock: &McpLock, definition: &Definition| {
        let imported = import_tools(&config(&[]), [definition], lock);
        let contract = &imported.tools[0].contract;
        (contract.requires_confirmation, contract.idempotent)
    };
    assert_eq!(asked(&lock, &reads), (true, false));
    assert!(lock.trust("far", "do") && lock.trust("far", "say") && !lock.trust("far", "gone"));
    assert_eq!(asked(&lock, &reads), (false, true));
    assert_eq!(asked(&lock, &silent), (true, false), "it does not claim to only read");
    // Trust holds for this server and this definition, and ends when it changes.
    let changed = Definition { description: "Deletes it.".to_owned(), ..reads.clone() };
    assert_eq!(asked(&lock, &changed), (true, false));
    lock.pin("far", [changed.clone(), silent]);
    assert_eq!(asked(&lock, &changed), (true, false));
    assert_eq!(asked(&lock, &reads), (true, false));
}

#[test]
fn every_name_becomes_a_unique_id() {
    let names = ["get-sum", "get_sum", "GetSum", "1st", "..", &"x".repeat(100), &"x".repeat(101)];
    let definitions: Vec<_> = names.iter().map(|name| definition(name, Value::Null)).collect();
    let imported = import_tools(&config(&[]), &definitions, &McpLock::default());
    let ids: std::collections::BTreeSet<_> =
        imported.tools.iter().map(|tool| tool.contract.tool_id.as_str()).collect();
    assert_eq!(ids.len(), names.len(), "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("far.") && id.len() <= 64), "{ids:?}");
    assert!(ids.contains("far.get_sum") && ids.contains("far.t_1st"), "{ids:?}");
}

#[test]
fn a_changed_definition_or_address_invalidates_approvals() {
    let digest = |config: &ServerConfig, definition: &Definition| {
        import_tools(config, [definition], &McpLock::default()).tools[0].digests.whole()
    };
    let (far, tool) = (config(&[]), definition("do", Value::Null));
    let same = digest(&far, &tool);
    assert_eq!(same, digest(&far, &tool));
    let changed = Definition { description: "Does more.".to_owned(), ..tool.clone() };
    assert_ne!(same, digest(&far, &changed));
    let mut moved = far;
    moved.endpoint = crate::client::Endpoint::Http {
        url: "https://x".to_owned(),
        headers: [].into(),
        oauth: None,
        guard: None,
    };
    assert_ne!(same, digest(&moved, &tool));
}

#[test]
fn a_bad_definition_is_left_out_alone() {
    let bad = Definition { input_schema: json!({ "type": 7 }), ..definition("bad", Value::Null) };
    let long = "y".repeat(Definition::BYTES_MAX);
    let big = Definition { description: long, ..definition("big", Value::Null) };
    let ImportedTools { tools, notes } = import_tools(
        &config(&[]),
        [&bad, &definition("good", Value::Null), &big],
        &McpLock::default(),
    );
    assert_eq!(tools.len(), 1);
    assert!(notes[0].starts_with("`bad` is left out: its schema"), "{notes:?}");
    assert!(notes[1].starts_with("`big` is left out: its definition has more"), "{notes:?}");
}
