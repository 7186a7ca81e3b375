//! Splitting loses nothing.

use super::cut;

#[track_caller]
fn check(text: &str, bytes_max: usize, expected: &[&str]) {
    let paged_result = cut(text, bytes_max);
    assert_eq!(paged_result, expected);
    assert_eq!(paged_result.concat(), text);
}

#[test]
fn pages_end_at_character_boundaries() {
    check("", 4, &[]);
    check("abcd", 4, &["abcd"]);
    check("abcde", 4, &["abcd", "e"]);
    check("ääää", 5, &["ää", "ää"]);
    check("🎈🎈", 1, &["🎈", "🎈"]);
}
