//! Typos that are recognised, and words that are too different.

use super::nearest;

#[test]
fn only_a_similar_word_is_suggested() {
    let words = ["side_effects", "because", "may_be_remembered", "kb_search"];
    let check = |found: &str, expected: Option<&str>| assert_eq!(nearest(found, words), expected);
    check("sideEffects", Some("side_effects"));
    check("becuase", Some("because"));
    check("mayBeRemembred", Some("may_be_remembered"));
    check("kb-serch", Some("kb_search"));
    check("colour", None);
    check("", None);
}
