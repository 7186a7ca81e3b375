//! Known intents are read, unknown ones are warnings, invalid ones errors.

use serde_json::json;

use super::*;

#[track_caller]
fn check(entry: &Value, expected: &str) {
    let shown = match Intent::from_entry(0, entry) {
        Ok(intent) => serde_json::to_string(&intent).unwrap(),
        Err(fault) if fault.is_warning() => format!("warning: {fault}"),
        Err(fault) => format!("error: {fault}"),
    };
    assert_eq!(shown, expected);
}

#[test]
fn intents_are_read_by_type() {
    check(
        &json!({"type": "END_VOICE_SESSION", "after": "farewell_spoken"}),
        r#"{"type":"END_VOICE_SESSION","after":"farewell_spoken"}"#,
    );
    check(
        &json!({"type": "SUPPRESS_AUDIO", "value": true}),
        r#"{"type":"SUPPRESS_AUDIO","value":true}"#,
    );
    check(
        &json!({"type": "SET_PENDING_MESSAGE", "message": "hi"}),
        r#"{"type":"SET_PENDING_MESSAGE","message":"hi"}"#,
    );
    check(
        &json!({"type": "DANCE"}),
        "warning: intent 0 has the unknown type `DANCE`; it is ignored",
    );
    check(
        &json!({"type": "END_VOICE_SESSION", "after": "soon"}),
        "error: intent 0 (`END_VOICE_SESSION`): `after`: `soon` is not one of `immediate`, \
         `current_turn`, `farewell_spoken`",
    );
    check(
        &json!({"type": "SUPPRESS_TRANSCRIPT"}),
        "error: intent 0 (`SUPPRESS_TRANSCRIPT`): `value` must be true or false",
    );
    check(&json!("x"), "error: intent 0 (`?`): an intent is an object with a `type`");
}
