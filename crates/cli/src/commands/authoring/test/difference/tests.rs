//! The lines for each kind of difference.

use serde_json::{Value, json};

use super::{Keys, differences};

#[expect(clippy::needless_pass_by_value, reason = "a test table reads best by value")]
fn check(expected: Value, found: Value, keys: Keys, lines: &[&str]) {
    assert_eq!(differences(&expected, &found, keys), lines);
}

#[test]
fn only_the_given_keys_count_unless_all_do() {
    check(json!({"a": {"b": 1}}), json!({"a": {"b": 1.0, "c": 2}}), Keys::Given, &[]);
    let more = ["`/a/c` was not expected: 2"];
    check(json!({"a": {"b": 1}}), json!({"a": {"b": 1, "c": 2}}), Keys::All, &more);
    check(json!({"a~": 1}), json!({}), Keys::Given, &["`/a~0` is missing"]);
}

#[test]
fn lists_are_compared_item_by_item_and_by_length() {
    let nested = ["`/1/x` is 3", "  expected 2"];
    check(json!([1, {"x": 2}]), json!([1, {"x": 3, "y": 4}]), Keys::Given, &nested);
    check(json!([1]), json!([1, 2]), Keys::Given, &["it is [1,2]", "  expected [1]"]);
}

#[test]
fn long_texts_are_shown_where_they_differ() {
    let same = "s".repeat(100);
    let lines = differences(&json!(format!("{same}ä1")), &json!(format!("{same}ä2")), Keys::Given);
    let tail = "s".repeat(19);
    assert_eq!(lines, [format!("it is …\"{tail}ä2\""), format!("  expected …\"{tail}ä1\"")]);
}
