//! What a question of a server is answered with.

use serde_json::{Value, json};

use super::{answer, answers};
use crate::import::Questions;

#[track_caller]
fn check(questions: Questions, properties: Value, required: &[&str], expected: Value) {
    let asked = json!({
        "mode": "form", "message": "Which?",
        "requestedSchema": { "type": "object", "properties": properties, "required": required },
    });
    let asked = serde_json::from_value(asked).unwrap();
    assert_eq!(serde_json::to_value(answer(questions, &asked)).unwrap(), expected);
}

#[test]
fn nobody_answers_unless_the_settings_say_that_defaults_will_do() {
    let name = json!({ "name": { "type": "string", "default": "Ana" } });
    let declined = json!({ "action": "decline" });
    check(Questions::Declined, name.clone(), &[], declined.clone());
    let accepted = json!({ "action": "accept", "content": { "name": "Ana" } });
    check(Questions::Proposed, name, &["name"], accepted);
    let age = json!({ "age": { "type": "integer" } });
    check(Questions::Proposed, age.clone(), &["age"], declined);
    check(Questions::Proposed, age, &[], json!({ "action": "accept", "content": {} }));
}

#[test]
fn a_link_to_follow_is_declined() {
    let asked = json!({
        "mode": "url", "message": "Pay.", "url": "https://x.example", "elicitationId": "1",
    });
    let asked = serde_json::from_value(asked).unwrap();
    let answer = answer(Questions::Proposed, &asked);
    assert_eq!(serde_json::to_value(answer).unwrap(), json!({ "action": "decline" }));
}

#[test]
fn each_question_of_a_call_is_answered_under_its_key_and_a_model_is_not_lent() {
    let form = json!({ "method": "elicitation/create", "params": {
        "message": "Sure?", "requestedSchema": { "type": "object", "properties": {} } } });
    let asked = serde_json::from_value(json!({ "a": form, "b": form })).unwrap();
    let given = serde_json::to_value(answers(Questions::Declined, &asked)).unwrap();
    let declined = json!({ "action": "decline" });
    assert_eq!(given, json!({ "a": declined, "b": declined }));
    let model = json!({ "method": "sampling/createMessage", "params": {
        "messages": [], "maxTokens": 1 } });
    let asked = serde_json::from_value(json!({ "a": form, "c": model })).unwrap();
    assert_eq!(answers(Questions::Proposed, &asked), None);
}
