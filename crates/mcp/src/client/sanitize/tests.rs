//! What is removed from foreign text.

use super::{has_hidden_chars, sanitize};

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(sanitize(text, 20), expected);
}

#[test]
fn invisible_characters_are_removed_and_the_length_is_limited() {
    check("  plain\ttext\n", "plain\ttext");
    check("a\u{200b}b\u{202e}c", "abc");
    check("x\u{1b}[2Jy\0z", "x[2Jyz");
    check("\u{e0041}\u{e0042}ok", "ok");
    check("größe 🎈", "größe 🎈");
    check("12345678901234567890", "12345678901234567890");
    check("123456789012345678901", "12345678901234567890…");
    assert!(has_hidden_chars("a\u{feff}") && !has_hidden_chars("größe 🎈\n"));
}
