//! Lines of a person, and what they mean for each kind of field.

use serde_json::json;

use super::*;
use crate::render::printer::Printer;

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a test table reads best by value")]
fn check(fields: Value, typed: &str, expected: Value) {
    let schema = json!({ "type": "object", "properties": fields, "required": ["f"] });
    let asks = json!({ "ask": { "q": { "message": "What?", "schema": schema } } });
    let asks = Asks::of_answer(&asks).unwrap().unwrap();
    let mut printer = Printer::new(clap::ColorChoice::Never);
    let given = put(&asks, &mut typed.as_bytes(), &mut printer).unwrap();
    let HandlerAnswer { action, content } = &given["q"];
    let found = if *action == Action::Accept { content.clone() } else { json!(action) };
    assert_eq!(found, expected);
}

#[test]
fn each_kind_of_field_is_read_from_a_line() {
    check(json!({ "f": { "type": "string" } }), "Ana B\n", json!({ "f": "Ana B" }));
    check(json!({ "f": { "type": "integer" } }), "x\n7\n", json!({ "f": 7 }));
    check(json!({ "f": { "type": "number" } }), "1.5\n", json!({ "f": 1.5 }));
    check(json!({ "f": { "type": "boolean" } }), "maybe\nYes\n", json!({ "f": true }));
    let plain = json!({ "f": { "type": "string", "enum": ["red", "blue"] } });
    check(plain.clone(), "2\n", json!({ "f": "blue" }));
    check(plain, "green\nred\n", json!({ "f": "red" }));
    let titled = json!([{ "const": "r", "title": "Red" }, { "const": "b", "title": "Blue" }]);
    let one = json!({ "f": { "type": "string", "oneOf": titled } });
    check(one, "Blue\n", json!({ "f": "b" }));
    let many = json!({ "f": { "type": "array", "items": { "anyOf": titled } } });
    check(many, "1, Blue\n", json!({ "f": ["r", "b"] }));
}

#[test]
fn an_empty_line_leaves_out_what_may_be_left_out() {
    let two = json!({ "f": { "type": "string" }, "g": { "type": "string" } });
    check(two, "\na\n\n", json!({ "f": "a" }));
    check(json!({ "f": { "type": "string", "default": "x" } }), "\n", json!({}));
}

#[test]
fn a_person_can_leave_and_decline() {
    check(json!({ "f": { "type": "string" } }), "", json!("cancel"));
    check(json!({ "f": { "type": "string" } }), "!no\n", json!("decline"));
    check(json!({ "f": { "type": "string" } }), "\n\n\n\n\nlate\n", json!("cancel"));
}
