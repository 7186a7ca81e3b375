//! Words, sentences, paragraphs and hashtags of real posts.

use super::{hashtags, is_letter, paragraphs, sentences, words};

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
