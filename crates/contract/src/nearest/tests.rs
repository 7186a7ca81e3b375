//! Which slips are recognised, and which words are simply others.

use super::nearest;

#[test]
fn a_near_word_is_meant_and_a_far_one_is_not() {
    let words = ["side_effects", "because", "may_be_remembered", "kb_search"];
    let check = |found: &str, expected: Option<&str>| assert_eq!(nearest(found, words), expected);
    check("sideEffects", Some("side_effects"));
    check("becuase", Some("because"));
    check("mayBeRemembred", Some("may_be_remembered"));
    check("kb-serch", Some("kb_search"));
    check("colour", None);
    check("", None);
}
