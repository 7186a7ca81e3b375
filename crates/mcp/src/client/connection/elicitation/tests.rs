//! Answers to a server's questions.

use serde_json::{Value, json};

use super::{answer, answers};
use crate::client::ElicitationPolicy;

#[track_caller]
fn check(questions: ElicitationPolicy, properties: Value, required: &[&str], expected: Value) {
    let asked = json!({
        "mode": "form", "message": "Which?",
        "requestedSchema": { "type": "object", "properties": properties, "required": required },
    });
    let asked = serde_json::from_value(asked).unwrap();
    assert_eq!(serde_json::to_value(answer(questions, &asked)).unwrap(), expected);
}

#[test]
fn questions_are_declined_unless_the_settings_allow_defaults() {
    let name = json!({ "name": { "type": "string", "default": "Ana" } });
    let declined = json!({ "action": "decline" });
    check(ElicitationPolicy::Decline, name.clone(), &[], declined.clone());
    let accepted = json!({ "action": "accept", "content": { "name": "Ana" } });
    check(ElicitationPolicy::AcceptDefaults, name, &["name"], accepted);
    let age = json!({ "age": { "type": "integer" } });
    check(ElicitationPolicy::AcceptDefaults, age.clone(), &["age"], declined);
    check(
        ElicitationPolicy::AcceptDefaults,
        age,
        &[],
        json!({ "action": "accept", "content": {} }),
    );
}

#[test]
fn a_request_to_open_a_link_is_declined() {
    let asked = json!({
        "mode": "url", "message": "Pay.", "url": "https://x.example", "elicitationId": "1",
    });
    let asked = serde_json::from_value(asked).unwrap();
    let answer = answer(ElicitationPolicy::AcceptDefaults, &asked);
    assert_eq!(serde_json::to_value(answer).unwrap(), json!({ "action": "decline" }));
}

#[test]
fn each_question_is_answered_under_its_key_and_sampling_is_refused() {
    let form = json!({ "method": "elicitation/create", "params": {
        "message": "Sure?", "requestedSchema": { "type": "object", "properties": {} } } });
    let asked = serde_json::from_value(json!({ "a": form, "b": form })).unwrap();
    let answered = serde_json::to_value(answers(ElicitationPolicy::Decline, &asked)).unwrap();
    let declined = json!({ "action": "decline" });
    assert_eq!(answered, json!({ "a": declined, "b": declined }));
    let model = json!({ "method": "sampling/createMessage", "params": {
        "messages": [], "maxTokens": 1 } });
    let asked = serde_json::from_value(json!({ "a": form, "c": model })).unwrap();
    assert_eq!(answers(ElicitationPolicy::AcceptDefaults, &asked), None);
}
