//! Edits: what a line means, and what it does to a draft. GP-15, GP-16.

use proptest::prelude::*;

use super::super::{Applied, Change, Edit, Feedback, Part, parse_feedback, word_forms};
use crate::text::paragraphs;

fn phrase(words: &str) -> Part {
    Part::Phrase { words: words.to_owned(), within: None }
}

#[test]
fn gp_16_an_edit_names_a_part_and_is_not_style() {
    let check = |line: &str, part: Part, change: Change| {
        assert_eq!(parse_feedback(line), Feedback::Edit(Edit { part, change }), "{line}");
    };
    let text = |text: &str| Change::Replace(text.to_owned());
    check("зроби hook коротшим", Part::Hook, Change::Rewrite);
    check("заміни третє речення", Part::Sentence(3), Change::Rewrite);
    check("перепиши останній абзац", Part::Paragraph(-1), Change::Rewrite);
    check("перепиши другий абзац без пафосу", Part::Paragraph(2), Change::Rewrite);
    check("перепиши второй абзац проще", Part::Paragraph(2), Change::Rewrite);
    check("зміни перше речення: без дати", Part::Sentence(1), Change::Rewrite);
    check("прибери дату з першого речення", Part::Sentence(1), Change::Rewrite);
    check("cut the fluff in the second paragraph", Part::Paragraph(2), Change::Rewrite);
    check("rewrite paragraph 2", Part::Paragraph(2), Change::Rewrite);
    check("shorten the first sentence", Part::Sentence(1), Change::Rewrite);
    check("зроби кінцівку різкішою", Part::Closing, Change::Rewrite);
    check("прибери хештеги", Part::Hashtags, Change::Remove);
    check("прибери, будь ласка, всі хештеги", Part::Hashtags, Change::Remove);
    check("remove emoji", Part::Emoji, Change::Remove);
    check("прибери другий абзац", Part::Paragraph(2), Change::Remove);
    check("убери последний абзац", Part::Paragraph(-1), Change::Remove);
    check("cut the last sentence", Part::Sentence(-1), Change::Remove);
    check("заміни «контент» на «пости»", phrase("контент"), text("пости"));
    check("заміни слово контент на пости", phrase("контент"), text("пости"));
    check("замени «контент» на «посты»", phrase("контент"), text("посты"));
    check("replace \"plan\" with \"map\"", phrase("plan"), text("map"));
    check("прибери 'друзі'", phrase("друзі"), Change::Remove);
    check("прибери слово друзі", phrase("друзі"), Change::Remove);
    check("заміни друге речення на \"Ти мовчиш.\"", Part::Sentence(2), text("Ти мовчиш."));
    check("заміни перший абзац на: «Новий.»", Part::Paragraph(1), text("Новий."));
    check("додай емодзі", Part::Whole, Change::Rewrite);
    check("додай хештеги", Part::Hashtags, Change::Add);
    check("додай приклад у другий абзац", Part::Paragraph(2), Change::Rewrite);
    check("додай абзац про ціни", Part::Paragraph(-1), Change::Add);
    check("додай «Пишіть.» в кінець", Part::Closing, Change::Insert("Пишіть.".to_owned()));
    let within = Part::Phrase { words: "ти".into(), within: Some(Box::new(Part::Paragraph(2))) };
    check("заміни «ти» на «ви» у другому абзаці", within, text("ви"));
    for other in ["додай, що це було влітку", "зроби коротше", "перепиши все інакше"]
    {
        assert!(!matches!(parse_feedback(other), Feedback::Edit(_)), "{other}");
    }
}

const DRAFT: &str = "Плани не працюють.\n\nЯ слідував плану. Отримав нуль.\nІ все.\n\nДалі 🔥 просто.\n\n\
                     Як у вас?\n\n#план #робота";

#[track_caller]
fn done(draft: &str, line: &str, expected: &str) {
    let edit = Edit::parse(line).unwrap();
    assert_eq!(edit.apply(draft), Applied::Done(expected.to_owned()), "{line}");
}

#[test]
fn gp_15_an_edit_changes_its_part_and_nothing_else() {
    done(DRAFT, "прибери хештеги", DRAFT.strip_suffix("\n\n#план #робота").unwrap());
    done(DRAFT, "прибери emoji", &DRAFT.replace("🔥 ", ""));
    done(DRAFT, "заміни «нуль» на «один»", &DRAFT.replace("нуль", "один"));
    done(DRAFT, "заміни «ПЛАНИ» на «графіки»", &DRAFT.replace("Плани", "Графіки"));
    done(DRAFT, "видали третій абзац", &DRAFT.replace("Далі 🔥 просто.\n\n", ""));
    done(DRAFT, "видали четверте речення", &DRAFT.replace("\nІ все.", ""));
    done(DRAFT, "видали перше речення", &DRAFT.replace("Плани не працюють.\n\n", ""));
    done(DRAFT, "видали друге речення", &DRAFT.replace("Я слідував плану. ", ""));
    done(DRAFT, "заміни третє речення на «Отримав два.»", &DRAFT.replace("нуль.", "два."));
    let longer = DRAFT.replace("Як у вас?", "Як у вас?\n\nПишіть.");
    done(DRAFT, "додай «Пишіть.» в кінець", &longer);
    let span = |line: &str, expected: &str| {
        let Applied::Write(span) = Edit::parse(line).unwrap().apply(DRAFT) else {
            panic!("{line}")
        };
        assert_eq!(&DRAFT[span], expected, "{line}");
    };
    span("зроби hook коротшим", "Плани не працюють.");
    span("заміни третє речення", "Отримав нуль.");
    span("зроби кінцівку різкішою", "Як у вас?");
    span("перепиши другий абзац", "Я слідував плану. Отримав нуль.\nІ все.");
    assert_eq!(Edit::parse("перепиши 9 абзац").unwrap().apply(DRAFT), Applied::NoPart);
}

#[test]
fn gp_15_words_are_replaced_whole_and_in_their_case() {
    let draft = "Три тижні тому я заплакала.\n\nТи ще тихо. А ТИ? Ти-ти й ти’м.";
    let expected = "Три тижні тому я заплакала.\n\nВи ще тихо. А ВИ? Ти-ти й ти’м.";
    done(draft, "заміни «ти» на «ви»", expected);
    done("План і плани, планом.", "заміни «план» на «мапа»", "Мапа і плани, планом.");
    done("Контент-плани і контент.", "заміни «контент» на «пости»", "Контент-плани і пости.");
    done("п'ять і п’ять", "заміни «п'ять» на «сім»", "сім і сім");
    done("C++ і C.", "заміни «C++» на «Rust»", "Rust і C.");
    done("a $5 b", "replace \"$5\" with \"five\"", "a five b");
    let missing = Edit::parse("заміни «тиж» на «рок»").unwrap().apply("Три тижні.");
    assert_eq!(missing, Applied::NoWords("тиж".to_owned()));
    assert_eq!(word_forms("Плани і планом.", "план"), ["Плани", "планом"]);
}

#[test]
fn gp_15_removed_words_leave_no_holes() {
    done("Друзі, плани не працюють.", "прибери «друзі»", "Плани не працюють.");
    done("Ну, друзі, так.", "прибери «друзі»", "Ну, так.");
    done("Це дуже просто.", "прибери «дуже»", "Це просто.");
    done("Просто дуже.", "прибери «дуже»", "Просто.");
    done("Отже плани є.\nОтже все.", "прибери «отже»", "Плани є.\nВсе.");
}

#[test]
fn gp_15_a_model_that_answers_with_the_whole_post_changes_the_part_alone() {
    let edit = Edit::parse("зроби hook коротшим").unwrap();
    let Applied::Write(span) = edit.apply(DRAFT) else { panic!() };
    let check = |answer: &str, expected: Option<&str>| {
        assert_eq!(edit.part_of_answer(DRAFT, &span, answer).as_deref(), expected, "{answer}");
    };
    check("Плани — казка.", Some("Плани — казка."));
    check("Плани —\nказка.", Some("Плани — казка."));
    check(&DRAFT.replace("Плани не працюють.", "Казка.").replace("Далі", "Потім"), Some("Казка."));
    check("", None);
    check(&"довго ".repeat(100), None);
    let added = Edit::parse("додай абзац про ціни").unwrap();
    let longer = format!("{DRAFT}\n\nЦіни ростуть.");
    assert_eq!(added.addition_of_answer(DRAFT, &longer).as_deref(), Some("Ціни ростуть."));
    assert_eq!(added.addition_of_answer(DRAFT, "Ціни.").as_deref(), Some("Ціни."));
}

proptest! {
    #[test]
    fn gp_15_a_part_of_any_draft_leaves_the_other_paragraphs_alone(
        blocks in prop::collection::vec("[а-яА-Яa-z ,.!?🔥#-]{1,40}", 1..6),
        number in 1_i32..6,
        answer in "[а-я .]{0,30}",
    ) {
        let draft = blocks.join("\n\n");
        let before: Vec<&str> = paragraphs(&draft).into_iter().map(|span| &draft[span]).collect();
        let edit = Edit { part: Part::Paragraph(number), change: Change::Rewrite };
        if let Applied::Write(span) = edit.apply(&draft)
            && let Some(part) = edit.part_of_answer(&draft, &span, &answer)
        {
            let mut text = draft.clone();
            text.replace_range(span.clone(), &part);
            prop_assert_eq!(&text[..span.start], &draft[..span.start]);
            prop_assert_eq!(&text[span.start + part.len()..], &draft[span.end..]);
        }
        for line in ["прибери хештеги", "remove emoji", "прибери перше речення"] {
            if let Applied::Done(text) = Edit::parse(line).unwrap().apply(&draft) {
                let after = paragraphs(&text).len();
                prop_assert!(after <= before.len(), "{} -> {}", draft, text);
            }
        }
    }

    #[test]
    fn any_line_is_read(line in "\\PC{0,60}", draft in "(\\PC|\n){0,80}") {
        if let Feedback::Edit(edit) = parse_feedback(&line) {
            edit.apply(&draft);
        }
    }
}
