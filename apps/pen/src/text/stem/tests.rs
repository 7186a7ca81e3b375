//! Forms with the same stem, and words with different ones. GP-10.

use super::stem;

#[track_caller]
fn same(forms: &[&str]) {
    let stems: Vec<_> = forms.iter().map(|form| stem(form)).collect();
    assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{forms:?} → {stems:?}");
}

#[test]
fn gp_10_forms_of_one_word_have_one_stem() {
    same(&["вигорання", "вигоранням", "вигоранню", "вигоранні", "вигорань", "Вигорання"]);
    same(&["клієнт", "клієнти", "клієнтів", "клієнтам", "клієнтами", "клієнтові", "клієнту"]);
    same(&["робота", "роботи", "роботу", "роботою", "роботі"]);
    same(&["контент", "контенту", "контентом", "контенті"]);
    same(&["команда", "команди", "команді", "команду", "командою", "команд"]);
    same(&["друзі", "друзів", "друзям", "друзями", "друзях"]);
    same(&["новий", "нового", "новому", "нова", "нові", "новими"]);
    same(&["стаття", "статті", "статтю", "статтею"]);
    same(&["м'ята", "м’яти", "мʼяту"]);
    same(&["писати", "писала", "писали"]);
    same(&["выгорание", "выгорания", "выгоранием", "выгоранию"]);
    same(&["работа", "работы", "работу", "работой", "работе", "работах"]);
    same(&["burnout", "burnouts", "Burnout"]);
    same(&["work", "works", "worked", "working"]);
    same(&["story", "stories"]);
    same(&["hire", "hired", "hires", "hiring"]);
    same(&["run", "runs", "running"]);
}

#[test]
fn gp_10_different_words_stay_apart() {
    let check = |one: &str, other: &str| assert_ne!(stem(one), stem(other), "{one} {other}");
    check("робота", "робити");
    check("план", "планета");
    check("контент", "контекст");
    check("код", "кода́к");
    check("post", "poster");
    check("business", "busy");
}
