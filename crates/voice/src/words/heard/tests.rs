//! Words that were heard, at every place of an answer.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(marks: &[(usize, u64)], audio_ms: u64, played_ms: u64, expected: &str) {
    let text = "One two three. Four five.";
    let marks: Vec<_> = marks.iter().map(|(byte, ms)| Mark { byte: *byte, ms: *ms }).collect();
    assert_eq!(&text[..heard_bytes(text, &marks, audio_ms, played_ms)], expected);
}

#[test]
fn sentences_with_their_own_audio_are_exact_at_their_ends() {
    let marks = [(15, 1_500), (25, 2_500)];
    check(&marks, 2_500, 0, "");
    check(&marks, 2_500, 299, "");
    check(&marks, 2_500, 300, "One");
    check(&marks, 2_500, 750, "One two");
    check(&marks, 2_500, 1_500, "One two three. ");
    check(&marks, 2_500, 1_899, "One two three. ");
    check(&marks, 2_500, 1_900, "One two three. Four");
    check(&marks, 2_500, 2_500, "One two three. Four five.");
    check(&marks, 2_500, 9_999, "One two three. Four five.");
}

#[test]
fn word_times_are_exact() {
    let marks = [(3, 200), (7, 900), (14, 1_000), (25, 3_000)];
    check(&marks, 3_000, 199, "");
    check(&marks, 3_000, 200, "One");
    check(&marks, 3_000, 899, "One");
    check(&marks, 3_000, 900, "One two");
}

#[test]
fn without_an_end_the_usual_speed_is_assumed() {
    // 25 characters take 1,666 ms; only 500 ms of audio have come.
    check(&[], 500, 500, "One two");
    check(&[], 5_000, 500, "");
    check(&[], 5_000, 5_000, "One two three. Four five.");
    check(&[(15, 1_500)], 1_600, 1_600, "One two three. ");
}

#[test]
fn marks_out_of_order_are_passed_over() {
    check(&[(15, 1_500), (3, 1_600), (25, 2_500)], 2_500, 1_900, "One two three. Four");
    check(&[(999, 1_000)], 1_000, 1_000, "One two three. Four five.");
}

proptest! {
    #[test]
    fn more_time_is_never_less_text(
        text in r"[a-zі ]{0,60}",
        marks in prop::collection::vec((0usize..70, 0u64..4_000), 0..5),
        audio in 0u64..5_000,
        first in 0u64..5_000,
        more in 0u64..2_000,
    ) {
        let marks: Vec<_> = marks
            .into_iter()
            .filter(|(byte, _)| text.is_char_boundary((*byte).min(text.len())))
            .map(|(byte, ms)| Mark { byte, ms })
            .collect();
        let early = heard_bytes(&text, &marks, audio, first);
        let late = heard_bytes(&text, &marks, audio, first + more);
        prop_assert!(early <= late && text.is_char_boundary(late));
        let is_whole = late == text.len() || text[late..].starts_with(' ') || text[..late].is_empty();
        let at_mark = marks.iter().any(|mark| mark.byte == late);
        prop_assert!(is_whole || at_mark || text[..late].ends_with(' '), "{text:?} {late}");
    }
}
