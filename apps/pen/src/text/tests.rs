//! Words, sentences, paragraphs and hashtags of real posts.

use proptest::prelude::*;

use super::{hashtags, is_apostrophe, is_letter, is_mark, paragraphs, sentences, words};

#[track_caller]
fn check_sentences(text: &str, expected: &[&str]) {
    let found: Vec<_> = sentences(text).into_iter().map(|span| &text[span]).collect();
    assert_eq!(found, expected);
}

#[test]
fn sentences_end_at_marks_and_at_line_ends() {
    check_sentences("Без плану. Без структури.", &["Без плану.", "Без структури."]);
    check_sentences("Один рядок\nДругий рядок", &["Один рядок", "Другий рядок"]);
    check_sentences("Це 3.5 млн. грн. на рік. Так!", &["Це 3.5 млн. грн. на рік.", "Так!"]);
    check_sentences("He said \"no.\" I left… Why?!", &["He said \"no.\"", "I left…", "Why?!"]);
    check_sentences("↓\n\n", &[]);
}

#[test]
fn a_hyphen_parts_words_and_an_apostrophe_does_not() {
    let found: Vec<_> = words("Контент-плани, п'ять don’t 'x'").map(|word| word.text).collect();
    assert_eq!(found, ["Контент", "плани", "п'ять", "don’t", "x"]);
}

#[test]
fn paragraphs_stand_between_empty_lines() {
    let text = "a\nb\n\n \nc\r\n\r\nd\n";
    let found: Vec<_> = paragraphs(text).into_iter().map(|span| &text[span]).collect();
    assert_eq!(found, ["a\nb", "c", "d"]);
}

#[test]
fn a_hashtag_is_inside_or_at_the_end() {
    let check = |text: &str, expected: &[(&str, bool)]| {
        let found: Vec<_> =
            hashtags(text).into_iter().map(|tag| (&text[tag.span], tag.at_end)).collect();
        assert_eq!(found, expected, "{text}");
    };
    check(
        "про #вигорання тут\n\n#робота #a_1",
        &[("#вигорання", false), ("#робота", true), ("#a_1", true)],
    );
    check("C# and #1 and a#b", &[]);
    check("text #end", &[("#end", false)]);
}

#[test]
fn a_letter_is_what_unicode_calls_one() {
    for c in '\0'..='\u{2fff}' {
        assert_eq!(is_letter(c), c.is_alphanumeric(), "{c:?}");
    }
}

/// The words by their definition, character by character.
fn plain_words(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let (mut found, mut open) = (Vec::new(), String::new());
    for (at, c) in letters.iter().enumerate() {
        let next_is_letter = letters.get(at + 1).is_some_and(|next| next.is_alphanumeric());
        let inside = is_mark(*c) || (is_apostrophe(*c) && next_is_letter);
        if c.is_alphanumeric() || (inside && !open.is_empty()) {
            open.push(*c);
        } else if !open.is_empty() {
            found.push(std::mem::take(&mut open));
        }
    }
    found.extend(Some(open).filter(|open| !open.is_empty()));
    found
}

proptest! {
    #[test]
    fn words_are_what_their_definition_says(text in "[a-z0-9А-яІіЇїЄєҐґ'’ʼ` .,#é\u{301}漢🔥ё-]{0,40}|\\PC{0,30}") {
        let found: Vec<String> = words(&text).map(|word| word.text.to_owned()).collect();
        prop_assert_eq!(found, plain_words(&text));
        for word in words(&text) {
            prop_assert_eq!(&text[word.start..word.end()], word.text);
        }
    }
}
