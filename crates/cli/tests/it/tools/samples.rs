//! The sample tools of this repository pass their own checks.

use crate::support::program::{repository, run};

#[test]
fn the_samples_are_clean() {
    let found = run(&repository(), &["check", "tools", "--deny-warnings"]);
    assert_eq!((found.code, found.out.as_str()), (0, ""), "{}", found.err);
    assert!(found.err.starts_with("10 tools checked: no faults"), "{}", found.err);
}

/// TK-22
#[test]
fn tk_22_the_examples_of_every_sample_hold() {
    let found = run(&repository(), &["test"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains("kb_search\n  ok    fits "), "{}", found.out);
    assert!(found.out.contains("refused as expected"), "{}", found.out);
    assert!(found.out.contains("validate_email\n  ok    runs as shown "), "{}", found.out);
}

#[test]
fn the_samples_are_as_in_their_lock() {
    let found = run(&repository(), &["diff"]);
    assert_eq!((found.code, found.out.as_str()), (0, ""), "run `ghosthand lock`: {found:?}");
}

#[test]
fn a_sample_can_be_shown() {
    let found = run(&repository(), &["show", "tool", "kb-search"]);
    assert_eq!(found.code, 0, "{found:?}");
    for part in ["kb_search 1.0.0", "category    retrieval", "files in kb", "query", "required"] {
        assert!(found.out.contains(part), "{part} is not in\n{}", found.out);
    }
    let json = run(&repository(), &["show", "tool", "kb_search", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["contract"]["toolId"], "kb_search");
}
