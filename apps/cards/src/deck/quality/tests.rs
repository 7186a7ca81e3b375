//! Which meanings are doubted.

use super::{CardDoubts, Doubt};
use crate::deck::card::Card;
use crate::import::read_cards;
use crate::text::language::Pair;

/// Cards as `word = meaning`, and the doubts about the first.
#[track_caller]
fn check(to: &str, cards: &[(&str, &str)], expected: &[Doubt]) {
    let pair = Pair { from: "lv".parse().unwrap(), to: to.parse().unwrap() };
    let card = |(word, meaning): &(&str, &str)| {
        let text = serde_json::json!({ "base_form": word, "base_translation": meaning });
        read_cards(&text.to_string(), &pair).unwrap().remove(0)
    };
    let cards: Vec<Card> = cards.iter().map(card).collect();
    let doubts = CardDoubts::new(cards.iter());
    assert_eq!(doubts.of(&cards[0]), expected, "{cards:?}");
}

const SAME: [(&str, &str); 4] = [("a", "так"), ("b", "Так"), ("c", "так"), ("d", "так")];

#[test]
fn a_meaning_that_many_words_share_is_doubted() {
    check("uk", &SAME, &[Doubt::Repeated]);
    check("uk", &SAME[..3], &[]);
    // The same word in several places is one word.
    check("uk", &[SAME[0]; 9], &[]);
}

#[test]
fn four_synonyms_of_a_long_text_are_not_doubted() {
    let other: Vec<(String, String)> =
        (0..60).map(|n| (format!("vārds{n}"), format!("слово{n}"))).collect();
    let mut cards = SAME.to_vec();
    cards.extend(other.iter().map(|(word, meaning)| (word.as_str(), meaning.as_str())));
    check("uk", &cards, &[]);
}

#[test]
fn a_meaning_that_is_the_word_is_doubted_unless_it_is_a_name() {
    check("en", &[("radio", "Radio")], &[Doubt::SameAsWord]);
    check("en", &[("Anna", "Anna")], &[]);
    check("en", &[("suns", "dog")], &[]);
}

#[test]
fn a_meaning_without_a_letter_of_its_script_is_doubted() {
    check("uk", &[("suns", "dog")], &[Doubt::WrongScript]);
    check("uk", &[("suns", "suns")], &[Doubt::SameAsWord, Doubt::WrongScript]);
    check("en", &[("suns", "собака")], &[Doubt::WrongScript]);
    check("ja", &[("suns", "犬")], &[]);
    check("uk", &[("kabelis", "USB-кабель")], &[]);
    check("uk", &[("simts", "100")], &[]);
    // No script is known for this one.
    check("am", &[("suns", "dog")], &[]);
}

#[test]
fn a_rehearsal_is_not_doubted() {
    let rehearsed = ["a", "b", "c", "d", "e"].map(|word| (word, "(rehearsal)"));
    check("uk", &rehearsed, &[]);
}
