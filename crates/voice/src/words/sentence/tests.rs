//! Where sentences end, and that they do not change while a text grows.

use proptest::prelude::*;

use super::*;

const HERE: [Language; 3] = [Language::En, Language::Uk, Language::De];

fn cut(text: &str, end: TextEnd) -> Vec<&str> {
    sentences(text, end, &HERE).into_iter().map(|range| text[range].trim()).collect()
}

#[test]
fn sentences_end_at_marks_and_not_at_abbreviations() {
    let cases: [(&str, &[&str]); 8] = [
        ("It is three. Anything else?", &["It is three.", "Anything else?"]),
        ("Dr. Smith comes at 3.5 p.m. Really!", &["Dr. Smith comes at 3.5 p.m.", "Really!"]),
        ("Nice, e.g. this. Yes", &["Nice, e.g. this.", "Yes"]),
        ("J. R. Smith. Next.", &["J. R. Smith.", "Next."]),
        (
            "Так… Ні! Вул. Зелена, буд. 5. Добре?",
            &["Так…", "Ні!", "Вул. Зелена, буд. 5.", "Добре?"],
        ),
        ("one\ntwo\n\nthree", &["one", "two", "three"]),
        ("Das kostet ca. 5 Euro. Gut.", &["Das kostet ca. 5 Euro.", "Gut."]),
        ("  ", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(cut(text, TextEnd::Final), expected, "{text:?}");
    }
}

#[test]
fn an_open_text_keeps_its_last_sentence_back() {
    assert_eq!(cut("It is three. Anything", TextEnd::Open), ["It is three."]);
    assert_eq!(cut("It is three.", TextEnd::Open), [""; 0]);
    assert_eq!(cut("It is three. ", TextEnd::Open), ["It is three."]);
}

#[test]
fn a_long_sentence_is_cut_at_a_comma() {
    let text = format!("{}, {}", "word ".repeat(40).trim(), "word ".repeat(60).trim());
    let found = cut(&text, TextEnd::Final);
    assert_eq!(found[0], format!("{},", "word ".repeat(40).trim()));
    assert!(found.iter().all(|one| one.chars().count() <= SENTENCE_CHARS_MAX));
    let unbroken = "x".repeat(1_000);
    assert_eq!(cut(&unbroken, TextEnd::Final).len(), 4);
}

proptest! {
    #[test]
    fn a_sentence_stays_however_the_text_goes_on(
        text in r"[a-zA-Zі .!?,\n]{0,400}",
        at in 0usize..400,
    ) {
        let at = text.char_indices().map(|(at, _)| at).nth(at).unwrap_or(text.len());
        let whole = sentences(&text, TextEnd::Final, &HERE);
        let part = sentences(&text[..at], TextEnd::Open, &HERE);
        for (index, range) in part.iter().enumerate() {
            prop_assert_eq!(text[range.clone()].trim(), text[whole[index].clone()].trim());
        }
        let joined: String = whole.iter().map(|range| &text[range.clone()]).collect();
        prop_assert_eq!(joined.trim(), text.trim());
    }
}
