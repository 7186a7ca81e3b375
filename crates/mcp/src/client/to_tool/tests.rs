//! How definitions become tools of ours.

use contract::SideEffects;
use serde_json::{Value, json};

use super::{Adopted, adopt};
use crate::import::neighbour::tests::neighbour;
use crate::import::{Asking, Definition, Effect, Neighbour, Pins};

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
fn check(neighbour: &Neighbour, annotations: Value, effects: SideEffects, asks: bool) {
    let Adopted { tools, notes } =
        adopt(neighbour, [&definition("do", annotations)], &Pins::default());
    assert_eq!(notes, Vec::<String>::new());
    let contract = &tools[0].contract;
    assert_eq!((contract.side_effects, contract.requires_confirmation), (effects, asks));
}

#[test]
fn hints_of_strangers_loosen_nothing_and_the_operator_decides() {
    let reads = json!({ "readOnlyHint": true });
    let (none, writes) = (SideEffects::ReadOnly, SideEffects::Writes);
    check(&neighbour(&[]), Value::Null, writes, true);
    check(&neighbour(&[]), reads.clone(), writes, true);
    check(&neighbour(&[("do", Effect::Reads)]), Value::Null, none, false);
    check(&neighbour(&[("do", Effect::Writes)]), reads.clone(), writes, true);
    let always = Neighbour { asking: Asking::Always, ..neighbour(&[]) };
    check(&always, reads, writes, true);
    let never = Neighbour { asking: Asking::Never, ..neighbour(&[]) };
    check(&never, Value::Null, writes, false);
}

#[test]
fn what_a_tool_says_of_itself_counts_once_a_person_trusts_it_as_it_is() {
    let reads = definition("do", json!({ "readOnlyHint": true, "idempotentHint": true }));
    let silent = definition("say", Value::Null);
    let mut pins = Pins::default();
    pins.pin("far", [reads.clone(), silent.clone()]);
    let asked = |pins: &Pins, definition: &Definition| {
        let adopted = adopt(&neighbour(&[]), [definition], pins);
        let contract = &adopted.tools[0].contract;
        (contract.requires_confirmation, contract.idempotent)
    };
    assert_eq!(asked(&pins, &reads), (true, false));
    assert!(pins.trust("far", "do") && pins.trust("far", "say") && !pins.trust("far", "gone"));
    assert_eq!(asked(&pins, &reads), (false, true));
    assert_eq!(asked(&pins, &silent), (true, false), "it does not say that it is harmless");
    // Trust is in these words, from this server; it ends when they change.
    let changed = Definition { description: "Deletes it.".to_owned(), ..reads.clone() };
    assert_eq!(asked(&pins, &changed), (true, false));
    pins.pin("far", [changed.clone(), silent]);
    assert_eq!(asked(&pins, &changed), (true, false));
    assert_eq!(asked(&pins, &reads), (true, false));
}

#[test]
fn every_name_becomes_an_id_of_its_own() {
    let names = ["get-sum", "get_sum", "GetSum", "1st", "..", &"x".repeat(100), &"x".repeat(101)];
    let definitions: Vec<_> = names.iter().map(|name| definition(name, Value::Null)).collect();
    let adopted = adopt(&neighbour(&[]), &definitions, &Pins::default());
    let ids: std::collections::BTreeSet<_> =
        adopted.tools.iter().map(|tool| tool.contract.tool_id.as_str()).collect();
    assert_eq!(ids.len(), names.len(), "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("far.") && id.len() <= 64), "{ids:?}");
    assert!(ids.contains("far.get_sum") && ids.contains("far.t_1st"), "{ids:?}");
}

#[test]
fn a_changed_definition_or_place_is_another_tool_to_approvals() {
    let digest = |neighbour: &Neighbour, definition: &Definition| {
        adopt(neighbour, [definition], &Pins::default()).tools[0].digests.whole()
    };
    let (far, tool) = (neighbour(&[]), definition("do", Value::Null));
    let same = digest(&far, &tool);
    assert_eq!(same, digest(&far, &tool));
    let changed = Definition { description: "Does more.".to_owned(), ..tool.clone() };
    assert_ne!(same, digest(&far, &changed));
    let mut moved = far;
    moved.reach = crate::import::Reach::Address {
        url: "https://x".to_owned(),
        headers: [].into(),
        oauth: None,
    };
    assert_ne!(same, digest(&moved, &tool));
}

#[test]
fn a_bad_definition_costs_only_itself() {
    let bad = Definition { input_schema: json!({ "type": 7 }), ..definition("bad", Value::Null) };
    let long = "y".repeat(Definition::BYTES_MAX);
    let big = Definition { description: long, ..definition("big", Value::Null) };
    let Adopted { tools, notes } =
        adopt(&neighbour(&[]), [&bad, &definition("good", Value::Null), &big], &Pins::default());
    assert_eq!(tools.len(), 1);
    assert!(notes[0].starts_with("`bad` is left out: its schema"), "{notes:?}");
    assert!(notes[1].starts_with("`big` is left out: its definition has more"), "{notes:?}");
}
