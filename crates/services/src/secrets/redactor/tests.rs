//! A secret in every encoding that is searched for.

use serde_json::json;

use super::*;

#[track_caller]
fn check(secret: &str, text: &str, expected: &str) {
    let redactor = Redactor::default();
    redactor.remember(&"TOKEN".parse().unwrap(), &Secret::new(secret));
    assert_eq!(redactor.text(text), expected);
}

#[test]
fn a_secret_is_found_in_every_encoding() {
    check("s3cret", "a s3cret b s3cret", "a [secret] b [secret]");
    check("s3cret", "S3CRET s3Cret", "[secret] [secret]");
    check("grün-öl", "GRÜN-ÖL", "[secret]");
    check("a b&c/d", "?q=a%20b%26c%2fd", "?q=[secret]");
    check("hunter2-hunter2", "68756e746572322d68756e74657232", "[secret]");
    check("hunter2-hunter2", "68756E746572322D68756E74657232", "[secret]");
    check("a b&c", "?q=a%20b%26c", "?q=[secret]");
    check("a b&c", "?q=a+b%26c", "?q=[secret]");
    check("a\"b\\c", r#"{"t":"a\"b\\c"}"#, r#"{"t":"[secret]"}"#);
    check("hunter2-hunter2", "aHVudGVyMi1odW50ZXIy", "[secret]");
    // After `u:` and `me:`; characters that also encode the preceding text stay.
    check("hunter2-hunter2", "dTpodW50ZXIyLWh1bnRlcjI=", "dTp[secret]I=");
    check("hunter2-hunter2", "bWU6aHVudGVyMi1odW50ZXIy", "bWU6[secret]");
    check("first-line-of-a-key\nsecond-line-of-a-key\n", "> second-line-of-a-key", "> [secret]");
    check("with space at end ", "with space at end", "[secret]");
}

#[test]
fn the_longer_of_two_secrets_is_redacted_first() {
    let redactor = Redactor::default();
    redactor.remember(&"A".parse().unwrap(), &Secret::new("abc"));
    redactor.remember(&"B".parse().unwrap(), &Secret::new("abcdef"));
    assert_eq!(redactor.text("abcdef abc"), "[secret] [secret]");
    assert_eq!(redactor.found_in("xabcdefx").unwrap().as_str(), "B");
}

#[test]
fn secrets_are_redacted_in_keys_strings_and_numbers() {
    let redactor = Redactor::default();
    redactor.remember(&"PIN".parse().unwrap(), &Secret::new("4711"));
    let value = json!({"4711": ["a4711", 4711, 12, null], "b": {"c": "d"}});
    assert_eq!(
        redactor.value(value.clone()),
        json!({"[secret]": ["a[secret]", "[secret]", 12, null], "b": {"c": "d"}})
    );
    assert!(redactor.found_in_value(&value).is_some());
    assert!(redactor.found_in_value(&json!([4_711])).is_some());
    assert!(redactor.found_in_value(&json!([471])).is_none());
}

const LONG: &str = "sk-test-4f9a1c7be2d8406395ab";

#[test]
fn a_part_of_a_long_secret_is_found() {
    check(LONG, "sk-test-4f9a1c7b…", "[secret]…");
    check(LONG, "…e2d8406395ab", "…[secret]");
    check(LONG, "key sk-test-4f9a…, again E2D8406395AB", "key [secret]…, again [secret]");
    check(LONG, &hex(LONG.as_bytes())[10..40], "[secret]");
    check(LONG, "sk-test-", "sk-test-");
    check("short-secret1", "short-sec", "short-sec");
    let key = format!("-----BEGIN-----\n{}\n{}\n", "x7".repeat(150), LONG.repeat(2));
    check(&key, &LONG[3..20], "[secret]");
}

#[test]
fn nothing_else_is_redacted() {
    let text = "nothing of it is here: 4f9a1c7b e2d84063, ünïcode, {\"a\": [1, 2]}";
    check(LONG, text, text);
    let redactor = Redactor::default();
    assert_eq!(redactor.text(text), text);
    assert!(redactor.found_in(text).is_none());
}
