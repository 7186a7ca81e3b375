//! FC-08: results by sid, in any order.

use proptest::prelude::*;

use super::{Aggregate, Pair, aggregate};
use crate::deck::card::{Form, Unit};
use crate::deck::merge::ContextsMax;
use crate::model::sentence_result::{SentenceCard, SentenceResult};
use crate::text::manifest::{Chunking, Manifest};

const TEXT: &str = "Suns rej. Kaķis skrien! Putns dzied. Zivs peld";

fn manifest() -> Manifest {
    Manifest::of(TEXT, &"lv".parse().unwrap(), "t", Chunking::usual())
}

fn result(index: usize, translation: &str, word: &str) -> SentenceResult {
    let sentence = &manifest().sentences[index];
    let form = Form { form: word.to_owned(), translation: "x".to_owned(), kind: None };
    SentenceResult {
        sid: sentence.sid.clone(),
        sig: sentence.sig.clone(),
        translation: Some(translation.to_owned()),
        cards: vec![SentenceCard {
            unit: Unit::Word,
            base_form: word.to_owned(),
            base_translation: None,
            forms: vec![form],
            visible: true,
        }],
    }
}

fn of(results: &[SentenceResult]) -> Aggregate {
    let pair = Pair { from: "lv".parse().unwrap(), to: "ru".parse().unwrap() };
    aggregate(&manifest(), TEXT, &pair, results, ContextsMax::USUAL)
}

#[test]
fn fc_08_the_text_stands_in_the_order_of_the_manifest() {
    let results = [result(2, "Птица поёт.", "putns"), result(0, "Собака лает", "suns")];
    let Aggregate { translations, cards, metrics } = of(&results);
    // A sentence that ends has a translation that ends.
    let expected = [Some("Собака лает."), None, Some("Птица поёт."), None];
    assert_eq!(translations.iter().map(Option::as_deref).collect::<Vec<_>>(), expected);
    assert_eq!((metrics.sentences, metrics.received, metrics.missing), (4, 2, 2));
    assert_eq!(
        cards.iter().map(|card| card.base_form.as_str()).collect::<Vec<_>>(),
        ["suns", "putns"]
    );
    assert_eq!(cards[0].contexts[0].text, "Suns rej.");
}

#[test]
fn the_translation_that_most_agree_on_wins_and_the_longest_of_equals() {
    let three = [
        result(1, "кошка бежит", "kaķis"),
        result(1, "Кошка бежит!", "skriet"),
        result(1, "Кот мчится очень быстро!", "un"),
    ];
    assert_eq!(of(&three).translations[1].as_deref(), Some("Кошка бежит!"));
    assert_eq!(of(&three).metrics.translated_twice, 1);
    let two = [result(3, "рыба", "zivs"), result(3, "рыба плывёт", "peld")];
    assert_eq!(of(&two).translations[3].as_deref(), Some("рыба плывёт"));
}

#[test]
fn fc_07_a_changed_sentence_is_counted_and_its_result_used() {
    let changed = SentenceResult { sig: "other".to_owned(), ..result(0, "Собака.", "suns") };
    let unknown = SentenceResult { sid: "nowhere".to_owned(), ..result(0, "x", "y") };
    let Aggregate { metrics, translations, .. } = of(&[changed, unknown]);
    assert_eq!((metrics.changed, metrics.unknown, metrics.received), (1, 1, 1));
    assert_eq!(translations[0].as_deref(), Some("Собака."));
}

proptest! {
    #[test]
    fn fc_08_any_order_and_repetition_give_the_same(
        picks in proptest::collection::vec((0usize..4, 0usize..3), 0..10),
        repeats in proptest::collection::vec(0usize..10, 0..5),
        seed in any::<u64>(),
    ) {
        let texts = ["да", "Да.", "нет"];
        let words = ["suns", "Suns", "iet"];
        let results: Vec<_> =
            picks.iter().map(|(index, pick)| result(*index, texts[*pick], words[*pick])).collect();
        let mut other = results.clone();
        other.extend(repeats.iter().filter_map(|at| results.get(*at).cloned()));
        other.sort_by_key(|result| {
            contract::Digest::of(format!("{seed}{result:?}").as_bytes()).to_string()
        });
        prop_assert_eq!(of(&other), of(&results));
    }
}
