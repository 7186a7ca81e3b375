//! Data and errors as results.

use contract::{ErrorType, ToolError};
use serde_json::{Value, json};

use super::{failure, first_page, success, text_of};

#[track_caller]
fn check(data: Value, text: &str, structured: Option<Value>) {
    let result = success(&data, text_of(&data));
    let first = result.content.first().and_then(|block| block.as_text());
    assert_eq!(first.map(|block| block.text.as_str()), Some(text));
    assert_eq!(result.structured_content, structured);
    assert_eq!(result.is_error, Some(false));
}

#[test]
fn data_is_sent_as_an_object_and_as_text() {
    check(json!({ "a": 1 }), r#"{"a":1}"#, Some(json!({ "a": 1 })));
    check(json!("text"), "text", Some(json!({ "result": "text" })));
    check(json!([1]), "[1]", Some(json!({ "result": [1] })));
    check(json!(null), "null", Some(json!({ "result": null })));
}

#[test]
fn content_blocks_are_sent_unchanged() {
    let blocks = json!({ "content": [{ "type": "text", "text": "see:" },
        { "type": "image", "data": "AA==", "mimeType": "image/png" }] });
    check(blocks, "see:", None);
    // Data that only resembles content blocks stays data.
    check(
        json!({ "content": [{ "type": "odd" }] }),
        r#"{"content":[{"type":"odd"}]}"#,
        Some(json!({ "content": [{ "type": "odd" }] })),
    );
    let more = json!({ "content": [{ "type": "text", "text": "x" }], "n": 1 });
    check(more.clone(), &more.to_string(), Some(more));
}

#[test]
fn an_error_tells_the_model_whether_to_retry() {
    let error = ToolError::before_start(ErrorType::Validation, "give a number");
    let result = failure(&error);
    assert_eq!(result.is_error, Some(true));
    let text = result.content[0].as_text().unwrap().text.clone();
    let json: Value = serde_json::from_str(&text).unwrap();
    let expected = json!({ "type": "VALIDATION", "message": "give a number", "retryable": false });
    assert_eq!(json, expected);
}

#[test]
fn a_truncated_result_is_an_error_only_with_an_output_schema() {
    assert_eq!(first_page("abc", 9, Some("c.1"), true).is_error, Some(true));
    assert_eq!(first_page("abc", 9, Some("c.1"), false).is_error, Some(false));
    let note = first_page("abc", 9, None, false).content[1].as_text().unwrap().text.clone();
    assert!(note.contains("request less"), "{note}");
}
