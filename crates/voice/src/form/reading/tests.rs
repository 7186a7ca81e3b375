//! Answers for each kind of field, checked by the contract of the form.

use serde_json::json;

use super::*;
use crate::form::Form;

fn locale() -> Locale {
    let today = Day { year: 2026, month: 11, day: 17 };
    Locale { languages: vec![Language::En, Language::Uk], today, utc_offset_minutes: 0 }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a test table reads best by value")]
fn check(field: Value, text: &str, expected: Option<Value>) {
    let form = Form::from_schema("", &json!({ "type": "object", "properties": { "f": field } }));
    assert_eq!(value_of(&form.fields[0], text, &locale()), expected, "{text:?}");
}

#[test]
fn each_kind_of_field_is_read_from_words() {
    check(json!({ "type": "string" }), "Ana B.", Some(json!("Ana B")));
    check(json!({ "type": "integer" }), "twenty five", Some(json!(25)));
    check(json!({ "type": "integer" }), "2.5", None);
    check(json!({ "type": "number" }), "two point five", Some(json!(2.5)));
    check(json!({ "type": "boolean" }), "Yes, please.", Some(json!(true)));
    check(json!({ "type": "boolean" }), "ні", Some(json!(false)));
    check(json!({ "type": "boolean" }), "maybe", None);
    check(json!({ "type": "string", "format": "date" }), "tomorrow", Some(json!("2026-11-18")));
    let time = json!({ "type": "string", "format": "date-time" });
    check(time, "tomorrow at 9:30", Some(json!("2026-11-18T09:30:00+00:00")));
    let one = json!({ "type": "string", "enum": ["red", "blue"] });
    check(one, "the second", Some(json!("blue")));
    let several = json!({ "type": "array", "items": { "enum": ["red", "blue"] } });
    check(several, "red and blue", Some(json!(["red", "blue"])));
}

#[test]
fn the_contract_decides_what_fits() {
    check(json!({ "type": "integer", "minimum": 1, "maximum": 9 }), "twelve", None);
    check(json!({ "type": "string", "maxLength": 3 }), "four", None);
    check(json!({ "type": "string", "minLength": 2 }), "", None);
    let few = json!({ "type": "array", "maxItems": 1, "items": { "enum": ["a", "b"] } });
    check(few, "a and b", None);
}

#[test]
fn addresses_are_spelled_aloud() {
    let email = json!({ "type": "string", "format": "email" });
    check(email.clone(), "Ana at example dot com", Some(json!("ana@example.com")));
    check(email.clone(), "ana@example.com", Some(json!("ana@example.com")));
    check(email.clone(), "Ana at example.com.", Some(json!("ana@example.com")));
    check(email.clone(), "ana собака example крапка com", Some(json!("ana@example.com")));
    check(email, "hello there", None);
}
