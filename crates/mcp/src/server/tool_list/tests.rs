//! Tool definitions as clients receive them.

use serde_json::{Value, json};

use super::output_schema;

#[track_caller]
fn check_output(returns: Value, expected: Option<Value>) {
    assert_eq!(output_schema(&returns).map(Value::Object), expected);
}

#[test]
fn results_are_objects_in_both_protocols() {
    let object = json!({ "type": "object", "properties": { "n": {} } });
    check_output(object.clone(), Some(object));
    let wrapped = json!({
        "type": "object", "properties": { "result": { "type": "array" } }, "required": ["result"]
    });
    check_output(json!({ "type": "array" }), Some(wrapped));
    check_output(json!({ "$ref": "#/$defs/a", "$defs": { "a": {} } }), None);
    check_output(json!(true), None);
}
