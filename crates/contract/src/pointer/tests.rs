//! The examples of RFC 6901, and invalid pointers.

use serde_json::json;

use super::*;

#[test]
fn the_examples_of_the_rfc_hold() {
    let document = json!({
        "foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "m~n": 8, " ": 7, "k\"l": 6
    });
    let check = |text: &str, expected: Value| {
        let pointer: Pointer = text.parse().unwrap();
        assert_eq!(pointer.find(&document), Some(&expected), "{text}");
        assert_eq!(pointer.to_string(), text);
    };
    check("", document.clone());
    check("/foo", json!(["bar", "baz"]));
    check("/foo/0", json!("bar"));
    check("/", json!(0));
    check("/a~1b", json!(1));
    check("/c%d", json!(2));
    check("/m~0n", json!(8));
    check("/ ", json!(7));
}

#[test]
fn a_missing_value_is_not_found() {
    let document = json!({"a": [1]});
    for text in ["/b", "/a/1", "/a/00", "/a/-", "/a/+0", "/a/0/x"] {
        assert_eq!(text.parse::<Pointer>().unwrap().find(&document), None, "{text}");
    }
}

#[test]
fn bad_pointers_say_why() {
    assert!(matches!("a".parse::<Pointer>(), Err(BadPointer::Start(_))));
    assert!(matches!("/a~".parse::<Pointer>(), Err(BadPointer::Escape(_))));
    assert!(matches!("/a~2".parse::<Pointer>(), Err(BadPointer::Escape(_))));
}
