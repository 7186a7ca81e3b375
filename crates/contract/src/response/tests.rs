//! Valid and invalid responses of a handler.

use serde_json::json;

use super::*;

fn meta() -> Meta {
    Meta {
        tool_id: "kb_search".parse().unwrap(),
        tool_version: Version::new(1, 0, 0),
        registry_version: "1.0.00000000".to_owned(),
        duration: 3,
        response_schema_version: RESPONSE_SCHEMA_VERSION.to_owned(),
    }
}

#[track_caller]
fn check(answer: Value, expected: &str) {
    let shown = match ToolResponse::from_handler(answer, meta()) {
        Ok((response, warnings)) => {
            let mut envelope = serde_json::to_value(&response).unwrap();
            envelope.as_object_mut().unwrap().remove("meta");
            format!("{envelope} {}", warnings.len())
        }
        Err(fault) => fault.to_string(),
    };
    assert_eq!(shown, expected);
}

#[test]
fn data_and_error_exclude_each_other() {
    check(json!({"ok": true, "data": {"a": 1}}), r#"{"ok":true,"data":{"a":1},"intents":[]} 0"#);
    check(json!({"ok": true, "data": null}), r#"{"ok":true,"data":null,"intents":[]} 0"#);
    check(json!({"ok": true}), "`ok` is true, but `data` is missing");
    check(json!({"ok": true, "data": 1, "error": {}}), "`ok` is true, but there is an `error`");
    check(json!({"ok": false}), "`ok` is false, but `error` is missing or not an object");
    check(json!({"ok": false, "data": 1, "error": {}}), "`ok` is false, but there is `data`");
    check(json!({"data": 1}), "`ok` is missing or neither true nor false");
    check(json!({"ok": "true", "data": 1}), "`ok` is missing or neither true nor false");
    check(json!([]), "the handler returned a list, not an object with `ok`");
    check(Value::Null, "the handler returned nothing, not an object with `ok`");
}

#[test]
fn an_error_has_a_type_and_says_whether_to_retry() {
    let error = |error: Value| json!({"ok": false, "error": error});
    check(
        error(json!({"type": "CONFLICT", "message": "taken", "retryable": false})),
        r#"{"ok":false,"error":{"type":"CONFLICT","message":"taken","retryable":false,"idempotencyRequired":false,"partialSideEffects":false},"intents":[]} 0"#,
    );
    check(
        error(json!({"type": "CONFLICT", "message": "taken"})),
        "`error.retryable` is missing or neither true nor false",
    );
    check(
        error(json!({"message": "x", "retryable": true})),
        "`error.type` is missing or not a string",
    );
    check(
        error(json!({"type": "OOPS", "message": "x", "retryable": true})),
        "`error.type`: `OOPS` is not one of `VALIDATION`, `NOT_FOUND`, `INTERNAL`, \
         `MODE_RESTRICTED`, `BUDGET_EXCEEDED`, `CONFIRMATION_REQUIRED`, `LOOP_DETECTED`, \
         `SESSION_INACTIVE`, `TRANSIENT`, `PERMANENT`, `RATE_LIMIT`, `AUTH`, `CONFLICT`",
    );
}

#[test]
fn a_handler_cannot_forge_a_request_for_confirmation() {
    let (response, _) = ToolResponse::from_handler(
        json!({"ok": false, "error": {"type": "CONFIRMATION_REQUIRED", "message": "ok?",
            "retryable": false, "confirmation_request": {"token": "t"}}}),
        meta(),
    )
    .unwrap();
    assert_eq!(response.outcome.unwrap_err().confirmation_request, Value::Null);
}

#[test]
fn intents_go_with_both_and_unknown_ones_are_left_out() {
    check(
        json!({"ok": true, "data": 1, "intents": [{"type": "SUPPRESS_AUDIO", "value": true}, {"type": "X"}]}),
        r#"{"ok":true,"data":1,"intents":[{"type":"SUPPRESS_AUDIO","value":true}]} 1"#,
    );
    check(
        json!({"ok": true, "data": 1, "intents": {}}),
        "`intents` must be a list of at most 16 entries",
    );
}

#[test]
fn there_are_thirteen_error_types_and_a_refusal_never_has_effects() {
    assert_eq!(ErrorType::ALL.len(), 13);
    for kind in ErrorType::ALL {
        let error = ToolError::before_start(*kind, "no");
        assert!(!error.retryable && !error.partial_side_effects);
    }
    assert!(ToolError::broken("oops").partial_side_effects);
}
