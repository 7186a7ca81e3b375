//! What recognisers write beside words.

use super::words_only;

#[test]
fn notes_of_a_recogniser_are_not_words() {
    let check = |text: &str, words: &str| assert_eq!(words_only(text), words, "{text}");
    check(" Yes, please.\n", "Yes, please.");
    check("[BLANK_AUDIO]", "");
    check("(door closes) Hello *sighs* there", "Hello there");
    check("[00:00] two\n lines", "two lines");
}
