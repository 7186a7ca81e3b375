//! The formats of cards, and what makes two cards the same.

use serde_json::{Value, json};

use super::read;
use super::{CardKey, CardRef, Unit};
use crate::text::language::Pair;

fn read(value: Value) -> Result<Value, String> {
    let card = read::card(&value, &"lv".parse().unwrap(), &"ru".parse().unwrap())?;
    Ok(serde_json::to_value(card).unwrap())
}

#[test]
fn three_shapes_are_read_and_one_is_written() {
    let first = json!({
        "base_form": "māja", "base_translation": "дом", "unit": "word",
        "forms": [{ "form": "māju", "translation": "дом", "type": "accusative" }],
        "contexts": [{ "lv": "Es redzu māju.", "ru": "Я вижу дом.", "sid": 3, "sig": "x" }],
        "visible": true,
    });
    let second = json!({
        "unit": "Word", "base_form": "māja", "base_translation": "дом", "visible": true,
        "contexts": [{ "latvian": "Es redzu māju.", "russian": "Я вижу дом.",
                       "forms": [{ "form": "māju", "translation": "дом" }] }],
    });
    let third = json!({
        "base_form": "māja", "contexts": [{ "sid": "ab12", "latvian": "Es redzu māju.",
            "translation": "Я вижу дом.", "forms": [] }],
    });
    let one = read(first).unwrap();
    assert_eq!(
        one["contexts"][0],
        json!({ "index": 3, "sig": "x", "text": "Es redzu māju.",
        "translation": "Я вижу дом.", "forms": [] })
    );
    assert_eq!(one["forms"][0]["type"], "accusative");
    let two = read(second).unwrap();
    assert_eq!(
        (&two["unit"], &two["contexts"][0]["forms"][0]["form"]),
        (&json!("word"), &json!("māju"))
    );
    let three = read(third).unwrap();
    assert_eq!(three["contexts"][0]["sid"], "ab12");
    for card in [one, two, three] {
        assert_eq!(card["contexts"][0]["translation"], "Я вижу дом.");
        assert_eq!(
            (&card["language"], &card["target"], &card["visible"]),
            (&json!("lv"), &json!("ru"), &json!(true))
        );
        assert_eq!(read(card.clone()).unwrap(), card, "what is written is read back");
    }
}

#[test]
fn fc_15_a_unit_is_read_whatever_its_capitals() {
    for unit in ["word", "Word", "WORD"] {
        assert_eq!(unit.parse(), Ok(Unit::Word));
    }
    assert!("wrod".parse::<Unit>().is_err());
}

#[test]
fn a_card_that_lacks_something_names_the_place() {
    let check = |value: Value, expected: &str| assert_eq!(read(value).unwrap_err(), expected);
    check(json!([]), "a card must be an object");
    check(json!({ "base_form": " " }), "`base_form` is missing");
    check(json!({ "base_form": "a", "contexts": {} }), "`contexts` must be a list");
    check(
        json!({ "base_form": "a", "contexts": [{ "forms": [{}] }] }),
        "`contexts/0`: `forms/0`: `form` is missing",
    );
    check(json!({ "base_form": "a", "unit": 1 }), "`unit` must be `word` or `phrase`");
}

#[test]
fn a_key_is_the_same_whatever_capitals_and_space() {
    let pair = Pair { from: "lv".parse().unwrap(), to: "uk".parse().unwrap() };
    let key = CardKey::new(&pair, Unit::Phrase, " Uz   Redzēšanos");
    assert_eq!(key.to_string(), "lv:uk:phrase:uz redzēšanos");
    assert_eq!(key.to_string().parse(), Ok(key));
    assert!("māja".parse::<CardKey>().is_err());
}

#[test]
fn fc_21_a_key_names_both_languages_and_a_short_one_takes_the_second_from_the_pair() {
    let pair = |to: &str| Pair { from: "lv".parse().unwrap(), to: to.parse().unwrap() };
    let check = |text: &str, expected: &str| {
        let card: CardRef = text.parse().unwrap();
        assert_eq!(card.to_string(), text);
        assert_eq!(card.resolve(&pair("uk")).to_string(), expected);
    };
    check("lv:word:es", "lv:uk:word:es");
    check("lv:ru:word:es", "lv:ru:word:es");
    check("lv:pt-br:phrase:a:b", "lv:pt-br:phrase:a:b");
    check("lv:word:ru:phrase:x", "lv:uk:word:ru:phrase:x");
    assert_ne!(
        CardKey::new(&pair("uk"), Unit::Word, "es"),
        CardKey::new(&pair("ru"), Unit::Word, "es")
    );
    for bad in ["", "lv", "lv:word", "lv:uk:word", "lv:thing:es", "lv:uk:thing:es", "x:word:es"] {
        assert!(bad.parse::<CardRef>().is_err(), "{bad}");
    }
    let short = "lv:word:es".parse::<CardKey>().unwrap_err();
    assert!(short.contains("does not name the language of the meanings"), "{short}");
}
