//! Patterns for grammars, and what they match before and after.

use serde_json::json;

use super::anchored;
use crate::Arguments;

const TEXTS: [&str; 24] = [
    "",
    "a",
    "b",
    "ab",
    "aab",
    "abc",
    "https://x",
    "xhttps://",
    "AB-12",
    "12",
    "1.2",
    "a.b",
    "[",
    "]",
    "-",
    "^",
    "$",
    "a b",
    "line\nend",
    "a\nb",
    "\"",
    "\\",
    "aaaa",
    "x-y_z",
];

#[track_caller]
fn check(pattern: &str, expected: &str) {
    let spelled = anchored(pattern);
    assert_eq!(spelled.as_deref().unwrap_or("-"), expected, "{pattern}");
    let Some(spelled) = spelled else { return };
    let matches = |pattern: &str, text: &str| {
        let arguments = Arguments::compile(&json!({ "pattern": pattern })).unwrap();
        arguments.complaints(&json!(text)).is_empty()
    };
    for text in TEXTS {
        assert_eq!(matches(pattern, text), matches(&spelled, text), "{pattern} {spelled} {text:?}");
    }
}

#[test]
fn an_anchored_pattern_matches_the_same() {
    check("^https://", "^https://([^\\n]|\\n)*$");
    check("^[A-Z]{2}-[0-9]{1,4}$", "^[A-Z]{2}-[0-9]{1,4}$");
    check("b$", "^([^\\n]|\\n)*b$");
    check("a", "^([^\\n]|\\n)*a([^\\n]|\\n)*$");
    check("^a|b$", "^(a([^\\n]|\\n)*|([^\\n]|\\n)*b)$");
    check("^(?:ab|c)+?$", "^(ab|c)+$");
    check("^\\d+(\\.\\d+)?$", "^[0-9]+(\\.[0-9]+)?$");
    check("^[\\w.-]+$", "^[.0-9A-Z_a-z-]+$");
    check("^\\.{2}$", "^(\\.){2}$");
    check("^\\/a\\-$", "^/a-$");
    check("^[\\]\\[^-]$", "^[[\\]^-]$");
    check("^[\\^a]$", "^[a^]$");
    check("^.*b$", "^.*b$");
    check("^a{2,}$", "^a{2,}$");
    check("", "^([^\\n]|\\n)*([^\\n]|\\n)*$");
    check("^$", "^$");
}

#[test]
fn a_pattern_that_cannot_be_expressed_gives_none() {
    for pattern in [
        "^(?!x)a$",
        "^(?=a)",
        "(?<n>a)",
        "^(a)\\1$",
        "\\bword\\b",
        "^\\p{L}+$",
        "^\\s+$",
        "^[^/]+$",
        "^\\S+$",
        "^.{1,5}$",
        "^.$",
        "^\"$",
        "^[ -~]+$",
        "^\\\\$",
        "^[\"]$",
        "^é$",
        "^a{500}$",
        "^((a{90}){90}){90}$",
        "^(|a)$",
        "^a^b$",
        "^a$b$",
        "^(a",
        "a)",
        "[a",
        "^\\x41$",
        "^\\n$",
        "^[b-a]$",
        "^a**$",
        "^a{0}$",
        "^[^]$",
        "^[]$",
        "(?i)a",
        "^\\t$",
        "^\\cA$",
    ] {
        assert_eq!(anchored(pattern), None, "{pattern}");
    }
}
