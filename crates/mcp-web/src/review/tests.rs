//! What differs, and what a person accepts.

use mcp::client::{Definition, Listing};
use serde_json::{Value, json};

use super::{ToolChoice, chosen, differences};

fn definition(changes: Value) -> Definition {
    let mut all = json!({
        "name": "echo", "description": "Says it back.", "inputSchema": { "type": "object" },
    });
    all.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    serde_json::from_value(all).unwrap()
}

#[test]
fn every_part_of_a_definition_is_compared() {
    let check = |changes: Value, expected: &[&str]| {
        let found = differences(&definition(json!({})), &definition(changes));
        assert_eq!(found.iter().map(|one| one.what).collect::<Vec<_>>(), expected);
    };
    check(json!({}), &[]);
    check(json!({ "description": "Reads mail." }), &["description"]);
    check(json!({ "title": "Echo" }), &["title"]);
    check(json!({ "inputSchema": { "type": "object", "required": ["a"] } }), &["arguments"]);
    check(json!({ "outputSchema": { "type": "object" } }), &["result"]);
    check(json!({ "annotations": { "readOnlyHint": true } }), &["claims"]);
    // It looks the same and is not.
    check(json!({ "description": "Says\u{200b} it back." }), &["description"]);
}

#[test]
fn only_a_definition_that_was_shown_can_be_accepted() {
    let (old, new) = (definition(json!({})), definition(json!({ "description": "New." })));
    let listing = Listing { tools: vec![new.clone()], left_out: Vec::new() };
    let choice = |one: &Definition| ToolChoice { digest: one.digest().to_string(), reads: true };
    assert!(chosen(&listing, &[choice(&old)]).is_none());
    let accepted = chosen(&listing, &[choice(&new)]).unwrap();
    assert_eq!((accepted.len(), accepted[0].reads), (1, true));
    assert!(chosen(&listing, &[]).unwrap().is_empty());
}
