//! FC-06: spans and gaps together are the text.

use proptest::prelude::*;

use super::super::{Segmentation, segment};

/// Pieces that make cutting hard, in any order.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(". ".to_owned()),
        Just("…".to_owned()),
        Just("?! ".to_owned()),
        Just("\n".to_owned()),
        Just("\r\n\r\n".to_owned()),
        Just(" „".to_owned()),
        Just("“ ".to_owned()),
        Just("– ".to_owned()),
        Just("u.c.".to_owned()),
        Just("Dr. ".to_owned()),
        Just("5. ".to_owned()),
        Just("\u{a0}".to_owned()),
        Just("\u{2028}".to_owned()),
        "[A-ZĀČ][a-zāčē]{0,6} ?",
        "[а-яіїґ]{1,6} ?",
        any::<String>(),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn fc_06_spans_and_gaps_are_the_source(
        text in text(),
        language in prop_oneof!["lv", "en", "uk", "ru", "de", "fi"],
    ) {
        let language = language.parse().unwrap();
        let Segmentation { sentences, .. } = segment(&text, &language);
        let mut at = 0;
        let mut again = String::new();
        for span in &sentences {
            let gap = &text[at..span.start];
            let sentence = &text[span.range()];
            prop_assert!(gap.trim().is_empty(), "a gap has words: {gap:?}");
            prop_assert!(!sentence.is_empty() && sentence == sentence.trim());
            again += gap;
            again += sentence;
            at = span.end;
        }
        prop_assert!(text[at..].trim().is_empty());
        again += &text[at..];
        prop_assert_eq!(&again, &text);
        prop_assert!(sentences.is_sorted_by_key(|span| span.block));
        prop_assert_eq!(segment(&text, &language).sentences, sentences);
    }
}
