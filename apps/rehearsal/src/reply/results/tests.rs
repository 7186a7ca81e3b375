//! Results as a person reads them.

use contract::{CallId, CallResult};
use serde_json::{Value, json};

use super::read_back;
use crate::text::language::Language;

fn result(content: Value, is_error: bool) -> CallResult {
    CallResult { id: CallId("r1".to_owned()), tool: "kb_search".to_owned(), content, is_error }
}

#[track_caller]
fn check(content: Value, expected: &str) {
    assert_eq!(read_back(Language::English, &[&result(content, false)]), expected);
}

#[test]
fn short_values_are_reported_plainly() {
    check(json!(4), "The result is 4.");
    check(json!(true), "Yes.");
    check(json!(null), "Done.");
    check(json!({}), "Done.");
    check(json!("2 add 2 = 4"), "2 add 2 = 4");
    check(json!(""), "The answer is empty.");
    check(json!({ "text": "Wednesday" }), "Wednesday");
}

#[test]
fn chunks_of_a_tool_are_not_repeated() {
    check(json!({ "result": "done", "for_you_and_not_the_user": "a secret" }), "done");
    check(json!({ "shown_to_user_in_your_answer": "Hello.", "result": 4 }), "The result is 4.");
    check(json!({ "for_you_and_not_the_user": "a secret" }), "Done.");
}

#[test]
fn lists_show_five_and_count_the_rest() {
    check(json!([]), "Nothing was found.");
    check(json!([1, 2]), "- 1\n- 2");
    check(json!([1, 2, 3, 4, 5, 6, 7]), "- 1\n- 2\n- 3\n- 4\n- 5\n- and 2 more");
    check(
        json!([{ "title": "Tide clock", "id": "project:tide-clock", "score": 1.5 }, { "start": "a", "end": "b" }]),
        "- Tide clock (project:tide-clock)\n- start: a, end: b",
    );
}

#[test]
fn objects_are_lines() {
    check(
        json!({ "valid": false, "reason": "missing_at", "tags": ["a", "b"], "none": [] }),
        "valid: false\nreason: missing_at\ntags: a, b\nnone: –",
    );
    check(
        json!({ "results": [{ "title": "Tide\nclock" }], "total_found": 1 }),
        "results:\n  - Tide clock\ntotal_found: 1",
    );
}

#[test]
fn long_texts_are_cut_with_an_ellipsis() {
    let text = read_back(Language::English, &[&result(json!("слово ".repeat(1_000)), false)]);
    assert!(text.ends_with('…') && text.chars().count() <= 1_001, "{}", text.chars().count());
}

#[test]
fn failures_say_whether_trying_again_helps() {
    let failure = |retryable: bool| json!({ "type": "X", "message": "The server is down.", "retryable": retryable });
    let say = |language: Language, content: Value| read_back(language, &[&result(content, true)]);
    assert_eq!(
        say(Language::English, failure(true)),
        "`kb_search` failed: The server is down. Trying again may help.",
    );
    assert_eq!(
        say(Language::Ukrainian, failure(false)),
        "`kb_search` не спрацював: The server is down. Повторювати те саме не допоможе.",
    );
    assert_eq!(say(Language::Russian, json!("boom")), "`kb_search` не сработал: boom.");
}

#[test]
fn several_results_are_named() {
    let (one, two) = (result(json!(1), false), result(json!([2]), false));
    assert_eq!(
        read_back(Language::English, &[&one, &two]),
        "`kb_search`: The result is 1.\n\n`kb_search`:\n- 2",
    );
}
