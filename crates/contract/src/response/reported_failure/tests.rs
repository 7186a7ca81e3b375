//! Data that reports a failure, and data that does not.

use serde_json::{Value, json};

use super::failure_in;

#[track_caller]
fn check(data: Value, expected: Option<&str>) {
    assert_eq!(failure_in(&data, None).as_deref(), expected, "{data}");
}

#[test]
fn a_result_that_reports_a_failure_is_recognised() {
    check(json!({"success": false, "message": "no gold"}), Some("no gold"));
    check(json!({"success": false, "error": "You are not hurt."}), Some("You are not hurt."));
    check(json!({"ok": false}), Some("The tool says that it failed."));
    check(
        json!({"ok": false, "message": " "}),
        Some("The tool says that it failed. {\"message\":\" \"}"),
    );
    check(json!({"error": "not found"}), Some("not found"));
    check(
        json!({"error": {"message": "gone", "code": 4}}),
        Some("gone {\"error\":{\"message\":\"gone\",\"code\":4}}"),
    );
    check(
        json!({"error": true, "hint": "log in"}),
        Some("The tool says that it failed. {\"error\":true,\"hint\":\"log in\"}"),
    );
    check(json!({"error": 7}), Some("The tool says that it failed. {\"error\":7}"));
    check(json!({"error": ["a"]}), Some("The tool says that it failed. {\"error\":[\"a\"]}"));
    check(json!({"success": false, "reason": "late", "needed": 5}), Some("late {\"needed\":5}"));
    check(json!({"success": false, "detail": "late"}), Some("late"));
    check(
        json!({"ok": true, "error": "half of it", "status": 500}),
        Some("half of it {\"status\":500}"),
    );
}

#[test]
fn ordinary_data_is_not_a_failure() {
    for data in [
        json!(null),
        json!(false),
        json!("error"),
        json!([{"ok": false}]),
        json!({}),
        json!({"ok": true}),
        json!({"success": "false"}),
        json!({"success": 0}),
        json!({"results": [{"success": false}]}),
        json!({"error": null}),
        json!({"error": ""}),
        json!({"error": "  "}),
        json!({"error": false}),
        json!({"error": []}),
        json!({"error": {}}),
        json!({"error": "one of them", "results": [1]}),
        json!({"message": "no gold"}),
    ] {
        check(data, None);
    }
}

#[test]
fn fields_that_the_contract_describes_are_data() {
    let returns = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}});
    let failure = |data: Value| failure_in(&data, Some(&returns));
    assert_eq!(failure(json!({"ok": false, "status": 404})), None);
    assert_eq!(
        failure(json!({"success": false})).as_deref(),
        Some("The tool says that it failed.")
    );
    let returns = json!({"type": "object", "properties": {"error": {"type": "string"}}});
    assert_eq!(failure_in(&json!({"error": "typo"}), Some(&returns)), None);
}
