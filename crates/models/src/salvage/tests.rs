//! Answers truncated at every position.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::json;

use super::*;

#[track_caller]
fn check(text: &str, expected: Value) {
    assert_eq!(salvage(text), Some(expected), "{text}");
}

#[test]
fn complete_elements_are_kept_and_partial_ones_dropped() {
    check(r#"{"cards":[{"a":1},{"a":2},{"a":"#, json!({ "cards": [{ "a": 1 }, { "a": 2 }] }));
    check(r#"[[1,2],[3"#, json!([[1, 2]]));
    check(r#"[1, 23"#, json!([1]));
    check(r#"[1, 23 "#, json!([1, 23]));
    check(r#"["a", "b\""#, json!(["a"]));
    check(r#"["a", "b\u00"#, json!(["a"]));
    check(r#"[true, fal"#, json!([true]));
    check("[", json!([]));
}

#[test]
fn members_are_kept_up_to_the_open_one() {
    check(r#"{"value":{"items":[1,2,"#, json!({ "value": { "items": [1, 2] } }));
    check(r#"{"a":"x","b":"y"#, json!({ "a": "x" }));
    check(r#"{"a":"x","b"#, json!({ "a": "x" }));
    check(r#"{"a":"x","b":"#, json!({ "a": "x" }));
    check(
        r#"{"a":{"b":1,"c":2},"d":{"e":3,"f":"#,
        json!({ "a": { "b": 1, "c": 2 }, "d": { "e": 3 } }),
    );
}

#[test]
fn a_text_without_a_beginning_gives_nothing() {
    for text in ["", "  ", "\"half", "12", "tru", "I cannot do that"] {
        assert_eq!(salvage(text), None, "{text}");
    }
}

#[test]
fn very_deep_nesting_ends() {
    assert!(salvage(&"[".repeat(100_000)).is_some());
}

/// Whether `part` consists of complete elements of `whole`, in order, with nothing added.
fn is_whole_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Array(part), Value::Array(whole)) => {
            part.len() <= whole.len() && part.iter().zip(whole).all(|(a, b)| a == b)
        }
        (Value::Object(part), Value::Object(whole)) => {
            let last = part.len().saturating_sub(1);
            part.iter().enumerate().zip(whole).all(|((index, (key, value)), (own, expected))| {
                let open = index == last && is_whole_part(value, expected);
                key == own && (value == expected || open)
            })
        }
        (part, whole) => part == whole,
    }
}

/// How many elements of the outermost lists must be kept: those that end before the cut.
fn ended_elements(list: &[Value], cut: &str) -> usize {
    let mut written = String::from("[");
    let mut ended = 0;
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            written.push(',');
        }
        written.push_str(&item.to_string());
        let number = item.is_number();
        if cut.len() > written.len() || (cut.len() == written.len() && !number) {
            ended = index + 1;
        }
    }
    ended
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6f64).prop_map(Value::from),
        "[a-z\"\\\\{}\\[\\]:, ü\n]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-z\"\\\\]{0,4}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn fixed() -> Config {
    Config {
        rng_seed: RngSeed::Fixed(6),
        cases: 150,
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn no_prefix_gives_a_partial_element(value in any_json()) {
        let text = value.to_string();
        for (cut, _) in text.char_indices() {
            if let Some(part) = salvage(&text[..cut]) {
                prop_assert!(is_whole_part(&part, &value), "{} gave {part}", &text[..cut]);
            }
        }
        prop_assert_eq!(salvage(&format!("{text} ")), Some(value));
    }

    #[test]
    fn no_complete_element_is_lost(list in prop::collection::vec(any_json(), 0..6)) {
        let text = Value::from(list.clone()).to_string();
        for (cut, _) in text.char_indices().skip(1) {
            let found = salvage(&text[..cut]);
            let expected = &list[..ended_elements(&list, &text[..cut])];
            prop_assert_eq!(found, Some(Value::from(expected.to_vec())), "{}", &text[..cut]);
        }
    }

    #[test]
    fn any_text_terminates(text in "[\\[\\]{}\":,0-9a-z\\\\ -]{0,60}") {
        salvage(&text);
    }
}
