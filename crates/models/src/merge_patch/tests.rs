//! The examples of RFC 7396 that matter here, and key order.

use serde_json::json;

use super::*;

#[track_caller]
fn check(target: Value, patch: Value, expected: Value) {
    let mut target = target;
    merge(&mut target, &patch);
    assert_eq!(target.to_string(), expected.to_string());
}

#[test]
fn fields_are_set_changed_and_removed() {
    check(json!({ "a": "b" }), json!({ "a": "c" }), json!({ "a": "c" }));
    check(json!({ "a": "b" }), json!({ "b": "c" }), json!({ "a": "b", "b": "c" }));
    check(json!({ "a": 1, "b": 2, "c": 3 }), json!({ "a": null }), json!({ "b": 2, "c": 3 }));
    check(json!({ "a": ["b"] }), json!({ "a": ["c", "d"] }), json!({ "a": ["c", "d"] }));
    check(
        json!({ "a": { "b": "c" } }),
        json!({ "a": { "b": null, "d": 1 } }),
        json!({ "a": { "d": 1 } }),
    );
    check(json!({ "e": null }), json!({ "a": 1 }), json!({ "e": null, "a": 1 }));
    check(json!({}), json!({ "a": { "bb": { "ccc": null } } }), json!({ "a": { "bb": {} } }));
}

#[test]
fn a_null_patch_changes_nothing() {
    check(json!({ "a": 1 }), Value::Null, json!({ "a": 1 }));
}
