//! Valid and invalid names, and the end of a prefix.

use super::*;

#[track_caller]
fn check_key(text: &str, expected: &str) {
    let shown = match text.parse::<Key>() {
        Ok(key) => format!("ok {key}"),
        Err(bad) => bad.to_string(),
    };
    assert_eq!(shown, expected);
}

#[test]
fn a_key_is_any_text_without_control_characters() {
    check_key("pad/user name-ä", "ok pad/user name-ä");
    check_key("", "the key is empty; use 1 to 512 bytes");
    check_key("a\nb", "the key contains the control character '\\n'");
    check_key(&"k".repeat(512), &format!("ok {}", "k".repeat(512)));
    check_key(&"k".repeat(513), "the key has 513 bytes; at most 512 are allowed");
    assert_eq!("".parse::<Prefix>().unwrap(), Prefix::all());
}

#[track_caller]
fn check_end(prefix: &str, expected: Option<&str>) {
    assert_eq!(prefix.parse::<Prefix>().unwrap().end().as_deref(), expected);
}

#[test]
fn a_prefix_ends_at_the_next_text_of_the_same_length() {
    check_end("", None);
    check_end("ab/", Some("ab0"));
    check_end("a\u{d7ff}", Some("a\u{e000}"));
    check_end("a\u{10ffff}", Some("b"));
    check_end("\u{10ffff}\u{10ffff}", None);
}
