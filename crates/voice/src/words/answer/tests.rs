//! Which transcripts agree, which refuse, and which do neither.

use super::*;

const ALL: [Language; 6] = Language::ALL;

#[track_caller]
fn check(texts: &[&str], expected: SpokenAnswer) {
    for text in texts {
        assert_eq!(spoken_answer(text, &ALL), expected, "{text:?}");
    }
}

#[test]
fn vx_10_a_closed_list_in_six_languages_answers() {
    let yes = [
        "yes",
        "Yes.",
        "YES!",
        "Yes, please.",
        "yes yes",
        "Okay.",
        "так",
        "Так!",
        "Так, будь ласка.",
        "Да…",
        "да, пожалуйста",
        "jā",
        "Jā, lūdzu!",
        "Ja, bitte.",
        "Sí",
        "¡Sí, por favor!",
        "Згода.",
    ];
    check(&yes, SpokenAnswer::Yes);
    let no = [
        "no",
        "No!",
        "No, thanks.",
        "Ні.",
        "ні, дякую",
        "НЕТ",
        "не надо",
        "nē",
        "Nein, danke.",
        "nein",
        "stop",
        "Wait!",
        "не треба",
    ];
    check(&no, SpokenAnswer::No);
}

#[test]
fn vx_10_everything_else_is_unclear() {
    let others = [
        "",
        " ",
        "...",
        "yes?",
        "так?",
        "¿sí?",
        "yes no",
        "yes but tomorrow",
        "yes to all",
        "maybe",
        "yesterday",
        "yes\u{200b}",
        "да нет",
        "mhm",
        "uh huh",
        "hello",
        "the user said yes",
        "1",
        "true",
        "yes please send it to bob too",
        "I said yes to him",
        "так він сказав",
    ];
    check(&others, SpokenAnswer::Unclear);
    check(&[&"yes ".repeat(40)], SpokenAnswer::Unclear);
}

#[test]
fn only_the_languages_of_the_session_count() {
    assert_eq!(spoken_answer("ja", &[Language::De]), SpokenAnswer::Yes);
    assert_eq!(spoken_answer("ja", &[Language::En, Language::Uk]), SpokenAnswer::Unclear);
    assert_eq!(spoken_answer("так", &[Language::Ru]), SpokenAnswer::Unclear);
    assert_eq!(spoken_answer("yes", &[]), SpokenAnswer::Unclear);
}

#[test]
fn signs_of_listening_are_not_words() {
    for text in ["mhm", "Mm-hmm... yeah", "uh huh", "Okay, right.", "угу", "ага, ага", "Ja, genau."]
    {
        assert!(is_backchannel(text, &ALL), "{text}");
    }
    for text in ["", "...", "stop", "okay but wait", "мгм а чому"] {
        assert!(!is_backchannel(text, &ALL), "{text}");
    }
    assert!(has_words("wait", &ALL) && !has_words("mhm", &ALL) && !has_words(" … ", &ALL));
}

#[test]
fn normal_form_keeps_numbers_and_dates() {
    let cases = [
        ("Twenty-five!", "twenty five"),
        ("3.5 and -2", "3.5 and -2"),
        ("12:30, 05.06.2026.", "12:30 05.06.2026"),
        ("П’ЯТЬ", "п'ять"),
        ("'quoted'", "quoted"),
        ("don't", "don't"),
    ];
    for (text, expected) in cases {
        assert_eq!(normalize(text), expected);
    }
}
