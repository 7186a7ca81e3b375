//! Forms with the same stem, and words with different ones.

use super::stem;

#[track_caller]
fn same(words: &[&str]) {
    let stems: Vec<_> = words.iter().map(|word| stem(word)).collect();
    assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{words:?} become {stems:?}");
}

#[test]
fn forms_of_a_word_have_one_stem() {
    same(&["search", "searches", "searching", "Searched"]);
    same(&["validate", "validation", "validated", "validating"]);
    same(&["create", "creates", "creating", "creation"]);
    same(&["reply", "replies"]);
    same(&["stop", "stopped", "stopping"]);
    same(&["календар", "календаря", "календарі", "календарь"]);
    same(&["зустріч", "зустрічі", "зустрічей"]);
    same(&["встреча", "встречи", "встречу", "встречей"]);
    same(&["документ", "документи", "документами", "документов"]);
}

#[test]
fn short_words_are_not_stemmed() {
    for word in ["is", "bus", "this", "add", "час", "дай", "red", "sing"] {
        assert!(stem(word).chars().count() >= 2, "{word}");
    }
    assert_ne!(stem("базі"), stem("без"));
}
