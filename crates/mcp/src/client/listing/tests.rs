//! Malformed pages.

use rmcp::model::{CustomResult, ServerResult};
use serde_json::{Value, json};

use super::{ConnectionFault, Listing};

fn read(page: Value) -> Result<(Listing, Option<String>), ConnectionFault> {
    let mut listing = Listing::default();
    let next = listing.read(ServerResult::CustomResult(CustomResult(page)))?;
    Ok((listing, next))
}

#[track_caller]
fn check(entry: Value, why: &str) {
    let good = json!({ "name": "good", "inputSchema": {} });
    let page = json!({ "tools": [entry, good], "nextCursor": "more" });
    let (listing, next) = read(page).unwrap();
    assert_eq!(listing.left_out, [why]);
    let names: Vec<_> = listing.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names, next.as_deref()), (vec!["good"], Some("more")));
}

#[test]
fn a_bad_entry_is_reported_and_left_out_alone() {
    check(json!(7), "entry 1 of its list is left out: it is not an object");
    check(json!({ "inputSchema": {} }), "entry 1 of its list is left out: it has no `name`");
    check(json!({ "name": 7 }), "entry 1 of its list is left out: its `name` is not a text");
    check(json!({ "name": "a" }), "`a` is left out: it has no `inputSchema`");
    let always = json!({ "name": "a", "inputSchema": true });
    check(always, "`a` is left out: its `inputSchema` is not an object");
    let entry = json!({ "name": "a", "inputSchema": {}, "description": ["x"] });
    check(entry, "`a` is left out: its `description` is not a text");
    let gives = json!({ "name": "a", "inputSchema": {}, "outputSchema": [] });
    check(gives, "`a` is left out: its `outputSchema` is not an object");
}

#[test]
fn faults_in_unused_fields_are_ignored() {
    let odd = json!({ "name": "odd", "inputSchema": {}, "icons": 7, "execution": "soon" });
    let (listing, next) = read(json!({ "tools": [odd], "nextCursor": "" })).unwrap();
    assert_eq!((listing.tools.len(), listing.left_out.len(), next), (1, 0, None));
}

#[test]
fn an_answer_without_a_list_is_a_fault() {
    for page in [json!({}), json!({ "tools": {} }), json!(null)] {
        assert!(matches!(read(page), Err(ConnectionFault::NoList(_))));
    }
}
