//! FC-20: cards of many sentences are merged, in any order and any number of times.

use proptest::prelude::*;

use super::{ContextsMax, merge};
use crate::deck::card::{Card, Context, Form, Unit};

fn card(base: &str, translation: &str, index: usize, form: &str) -> Card {
    let form = Form { form: form.to_owned(), translation: translation.to_owned(), kind: None };
    Card {
        language: "lv".parse().unwrap(),
        target: "ru".parse().unwrap(),
        unit: Unit::Word,
        base_form: base.to_owned(),
        base_translation: Some(translation.to_owned()),
        forms: Vec::new(),
        contexts: vec![Context {
            sid: Some(format!("s{index}")),
            index: Some(index),
            sig: None,
            text: format!("Teikums {index}."),
            translation: format!("Предложение {index}."),
            document: None,
            forms: vec![form],
        }],
        visible: true,
    }
}

#[test]
fn fc_20_the_same_word_in_three_sentences_is_one_card() {
    let cards = [
        card("Māja", "дом", 2, "māju"),
        card("māja", "дом", 0, "Māja"),
        card("māja", "здание", 1, "māju"),
        card("suns", "собака", 0, "suns"),
    ];
    let merged = merge(cards.clone(), ContextsMax(2));
    assert_eq!(merged.len(), 2);
    let house = &merged[0];
    assert_eq!(
        (house.base_form.as_str(), house.base_translation.as_deref()),
        ("māja", Some("дом"))
    );
    let places: Vec<_> = house.contexts.iter().map(|context| context.index.unwrap()).collect();
    assert_eq!(places, [0, 1]);
    // Forms of contexts that are not shown count too.
    assert_eq!(house.forms.len(), 3);
    assert_eq!(merge(cards, ContextsMax(0))[0].contexts.len(), 1);
}

#[test]
fn a_word_and_a_phrase_stay_two_cards() {
    let phrase = Card { unit: Unit::Phrase, ..card("māja", "дом", 0, "māja") };
    assert_eq!(merge([card("māja", "дом", 0, "māja"), phrase], ContextsMax::USUAL).len(), 2);
}

#[test]
fn what_is_hidden_once_is_hidden() {
    let hidden = Card { visible: false, ..card("māja", "дом", 1, "māju") };
    assert!(!merge([card("māja", "дом", 0, "māja"), hidden], ContextsMax::USUAL)[0].visible);
}

fn any_card() -> impl Strategy<Value = Card> {
    let words = prop_oneof!["māja", "Māja", "suns", "iet"];
    let translations = prop_oneof!["дом", "здание", "идти"];
    (words, translations, 0usize..5, prop_oneof!["māju", "suni", "eju"], any::<bool>()).prop_map(
        |(base, translation, index, form, visible)| Card {
            visible,
            ..card(&base, &translation, index, &form)
        },
    )
}

proptest! {
    #[test]
    fn fc_20_any_order_and_repetition_give_the_same_cards(
        cards in proptest::collection::vec(any_card(), 0..12),
        repeats in proptest::collection::vec(0usize..12, 0..6),
        seed in any::<u64>(),
    ) {
        let expected = merge(cards.clone(), ContextsMax(3));
        let mut other = cards.clone();
        for at in repeats {
            other.extend(cards.get(at).cloned());
        }
        // A shuffle that depends on the seed alone.
        other.sort_by_key(|card| {
            contract::Digest::of(format!("{seed}{card:?}").as_bytes()).to_string()
        });
        prop_assert_eq!(&merge(other, ContextsMax(3)), &expected);
        prop_assert!(expected.iter().all(|card| card.contexts.len() <= 3));
        prop_assert_eq!(merge(expected.clone(), ContextsMax(3)), expected, "merging is at rest");
    }
}
