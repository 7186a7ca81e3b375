//! Which messages answer a request, and which only look like it.

use super::{PlainAnswer, plain_answer};

#[track_caller]
fn check(messages: &[&str], expected: Option<PlainAnswer>) {
    for message in messages {
        assert_eq!(plain_answer(message), expected, "{message:?}");
    }
}

#[test]
fn tk_12_a_closed_list_of_words_in_three_languages_answers() {
    let yes = ["yes", " Yes. ", "YES!", "y", "ok", "Okay", "\"yes\"", "так", "Так!", "да", "Да…"];
    check(&yes, Some(PlainAnswer::Yes));
    let no = ["no", "No!", "n", "ні", "Ні.", "нет", "НЕТ", "не треба"];
    check(&no, Some(PlainAnswer::No));
}

#[test]
fn tk_12_everything_else_is_another_message() {
    let others = [
        "",
        " ",
        "?",
        "yes?",
        "ok?",
        "так?",
        "no?",
        "yes please send it to bob too",
        "yes no",
        "y/n",
        "yesterday",
        "not now",
        "approve all",
        "да нет",
        "1",
        "true",
        "yes\u{200b}",
        "yes yes",
        "answer: yes",
    ];
    check(&others, None);
    check(&[&format!("{}yes", " ".repeat(37)), "yes"], Some(PlainAnswer::Yes));
    check(&[&format!("{}yes", " ".repeat(38))], None);
}
