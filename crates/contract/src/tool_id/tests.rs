//! Valid and invalid names, and what the fault suggests.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let shown = match text.parse::<ToolId>() {
        Ok(id) => format!("ok {id}"),
        Err(bad) => bad.to_string(),
    };
    assert_eq!(shown, expected);
}

#[test]
fn a_name_is_lower_case_words_joined_by_underscores() {
    check("kb_search", "ok kb_search");
    check("a", "ok a");
    check("combat.punch2", "ok combat.punch2");
    check("kb-search", "`kb-search` contains `-`; use only a-z, 0-9 and _, as in `kb_search`");
    check("Send Mail!", "`Send Mail!` contains `S`; use only a-z, 0-9 and _, as in `send_mail`");
    check("2nd_try", "`2nd_try` starts with `2`; start with a letter, as in `nd_try`");
    check("_x", "`_x` starts with `_`; start with a letter, as in `x`");
    check("a..b", "`a..b` contains `.`; use only a-z, 0-9 and _, as in `a_b`");
    check("", "the name is empty; give it 1 to 64 characters, as in `kb_search`");
    check("пошук", "`пошук` contains `п`; use only a-z, 0-9 and _, as in `kb_search`");
    check(&"a".repeat(64), &format!("ok {}", "a".repeat(64)));
    check(&"a".repeat(65), "the name has 65 characters; at most 64 fit every provider");
}

#[test]
fn dashes_of_a_directory_become_underscores() {
    assert_eq!(ToolId::from_directory("kb-search").unwrap().as_str(), "kb_search");
    assert_eq!(ToolId::from_directory("kb_search").unwrap().as_str(), "kb_search");
}
