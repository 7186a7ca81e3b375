//! Edits of one part: literal ones without a model, others with the named part alone. GP-15.

use std::fs;

use fake_providers::Turn;

use super::support::{TOPIC, posts, session, with_golden};
use crate::support::model_project::FarSide;

const DRAFT: &str = "Три тижні тому я заплакала.\n\nТи ще тихо закриваєш вкладки. Потім помітив.\n\n\
                     Давайте чесно: ніхто не помітив. А ти?\n\n#робота #план #чесно";

fn written(far: &FarSide) -> String {
    let text = fs::read_to_string(&posts(far)[0]).unwrap();
    text.split_once("---\n\n").unwrap().1.trim_end().to_owned()
}

/// The saved text after these lines, and what the model was asked after the first draft.
fn edited(lines: &[&str], answers: &[&str]) -> (String, Vec<String>, String) {
    let far = with_golden();
    far.fake.then(Turn::says(DRAFT));
    for answer in answers {
        far.fake.then(Turn::says(answer));
    }
    let run = session(&far, &[lines, &["ok"]].concat(), &[TOPIC]);
    far.fake.assert_used_up();
    let asked = far.fake.requests().iter().skip(1).map(|one| one.body.to_string()).collect();
    (written(&far), asked, run.err)
}

#[test]
fn gp_15_a_replacement_takes_whole_words_and_keeps_their_case() {
    let (text, asked, shown) = edited(&["заміни «ти» на «ви»"], &[]);
    assert_eq!(text, DRAFT.replace("Ти ще", "Ви ще").replace("А ти?", "А ви?"));
    assert!(asked.is_empty());
    assert!(shown.contains("- Ти ще тихо") && shown.contains("+ Ви ще тихо"), "{shown}");
}

#[test]
fn gp_15_a_rewrite_with_conditions_is_no_removal() {
    for line in [
        "перепиши другий абзац без пафосу",
        "прибери пафос з другого абзацу",
        "cut the fluff in the second paragraph",
    ] {
        let (text, asked, _) = edited(&[line], &["Ти тихо закриваєш вкладки."]);
        let expected = DRAFT
            .replace("Ти ще тихо закриваєш вкладки. Потім помітив.", "Ти тихо закриваєш вкладки.");
        assert_eq!(text, expected, "{line}");
        assert!(asked[0].contains("The part:\\nТи ще тихо закриваєш вкладки. Потім помітив.\\n"));
    }
    let (text, _, _) = edited(&["зміни перше речення: без дати"], &["Я заплакала."]);
    assert_eq!(text, DRAFT.replace("Три тижні тому я заплакала.", "Я заплакала."));
}

#[test]
fn gp_15_a_given_text_replaces_a_part_without_the_model() {
    let (text, asked, _) = edited(&["заміни друге речення на \"Ти мовчиш.\""], &[]);
    assert_eq!(text, DRAFT.replace("Ти ще тихо закриваєш вкладки.", "Ти мовчиш."));
    assert!(asked.is_empty());
}

#[test]
fn gp_15_something_to_add_goes_to_the_model() {
    let answer = DRAFT.replace("я заплакала.", "я заплакала ↓");
    let (text, asked, shown) = edited(&["додай емодзі"], &[&answer]);
    assert_eq!((text, asked.len()), (answer, 1), "{shown}");
}

#[test]
fn gp_15_edits_are_undone_and_redone_to_any_depth() {
    let once = DRAFT.replace("вкладки", "вікна");
    let twice = once.replace("чесно", "щиро");
    let edits = ["заміни «вкладки» на «вікна»", "заміни «чесно» на «щиро»"];
    let check = |moves: &[&str], expected: &str| {
        let (text, ..) = edited(&[&edits[..], moves].concat(), &[]);
        assert_eq!(text, expected, "{moves:?}");
    };
    check(&[], &twice);
    check(&["undo"], &once);
    check(&["скасуй"], &once);
    check(&["поверни як було"], &once);
    check(&["undo", "скасуй"], DRAFT);
    check(&["undo", "undo", "undo"], DRAFT);
    check(&["undo", "undo", "redo"], &once);
    check(&["undo", "undo", "redo", "поверни правку"], &twice);
}

#[test]
fn gp_15_an_edit_that_breaks_a_rule_says_so() {
    let (_, _, shown) = edited(&["заміни «вкладки» на «контент»"], &[]);
    assert!(shown.contains("нові порушення: 1"), "{shown}");
    let (_, _, shown) = edited(&["заміни «вкладки» на «вікна»"], &[]);
    assert!(!shown.contains("нові порушення"), "{shown}");
}

#[test]
fn gp_15_a_word_that_only_occurs_inside_others_is_left_alone() {
    let (text, _, shown) = edited(&["заміни «тиж» на «рок»"], &[]);
    assert_eq!(text, DRAFT);
    assert!(shown.contains("окремого слова «тиж» у тексті немає"), "{shown}");
}
