//! Known words in sentences.

use super::KnownForms;

fn known(words: &[&str]) -> KnownForms {
    KnownForms::new(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn known_words_are_found_in_any_case_and_each_once() {
    let known = known(&["ir", "un", "suns"]);
    assert_eq!(known.within(["Suns ir, ir!", "Un kaķis."].into_iter()), ["ir", "suns", "un"]);
    assert_eq!(known.bytes("Suns ir kaķis."), 6);
    assert!(known.covers("Suns ir – un suns 2 ir."));
    assert!(!known.covers("Suns ir kaķis."));
}

#[test]
fn nothing_is_known_of_nothing() {
    assert!(!known(&[]).covers("Suns."));
    assert!(!known(&["suns"]).covers("1 2 …"), "that is no sentence of known words");
}
