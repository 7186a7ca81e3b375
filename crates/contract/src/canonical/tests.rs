//! Equal values have the same canonical text, and the text parses to the value.

use serde_json::json;

use super::*;

#[test]
fn the_order_of_keys_does_not_matter_and_the_order_of_items_does() {
    let one: Value = serde_json::from_str(r#"{"b":1,"a":{"d":[1,2],"c":null}}"#).unwrap();
    let two: Value = serde_json::from_str(r#"{ "a": {"c":null, "d":[1, 2]}, "b": 1 }"#).unwrap();
    assert_eq!(canonical(&one), r#"{"a":{"c":null,"d":[1,2]},"b":1}"#);
    assert_eq!(canonical(&one), canonical(&two));
    assert_ne!(canonical(&json!([1, 2])), canonical(&json!([2, 1])));
}

#[test]
fn the_text_parses_to_the_value() {
    let value =
        json!({"quote \" slash \\ ": "line\nend\u{1}\u{8}\u{c}\r\t", "я": [1.5, -0.0, 1e300]});
    assert_eq!(serde_json::from_str::<Value>(&canonical(&value)).unwrap(), value);
}

#[test]
fn strings_are_escaped_as_in_serde() {
    for text in ["", "a\"b", "\u{0}\u{1f}\u{7f}", "emoji 🖐 \\ /"] {
        assert_eq!(canonical(&json!(text)), json!(text).to_string());
    }
}
