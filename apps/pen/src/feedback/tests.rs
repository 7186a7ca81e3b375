//! Save words, edits, style, the tracker, proposals. GP-13 to GP-17.

use std::fs;

use serde_json::json;

use super::{Applied, Category, Edit, Feedback, Part, Tracker, parse_feedback, propose};
use crate::clock::Now;
use crate::posts::length::Platform;
use crate::style::profile::Profile;
use crate::text::language::Lang;
use crate::workspace::Workspace;

const GOLDEN: &str = include_str!("../../tests/data/golden-profile.json");

fn now() -> Now {
    Now::at("2026-02-08T16:30:00Z".parse().unwrap())
}

#[test]
fn gp_14_save_and_leave_words_in_both_languages() {
    for word in
        ["ok", "OK!", "ок", "Ок.", "зберігай", "Готово", "так", "👍", "👍🏽", "save", "  done "]
    {
        assert_eq!(parse_feedback(word), Feedback::Save, "{word}");
    }
    for word in ["exit", "quit", "QUIT", "вихід"] {
        assert_eq!(parse_feedback(word), Feedback::Leave, "{word}");
    }
    for word in ["збережи в Notion", "зберегти в ноушн", "save to Notion"] {
        assert_eq!(parse_feedback(word), Feedback::SaveToNotion, "{word}");
    }
    assert_eq!(parse_feedback("edit"), Feedback::ByHand);
    for word in ["не те", "Давай спочатку!", "start over"] {
        assert_eq!(parse_feedback(word), Feedback::Again, "{word}");
    }
}

#[test]
fn gp_16_a_judgement_is_style_and_has_a_category() {
    let check = |line: &str, category: Category| {
        assert_eq!(parse_feedback(line), Feedback::Style(category), "{line}");
    };
    check("занадто формально", Category::TooFormal);
    check("занадто офіційно звучить", Category::TooFormal);
    check("зроби менш формально", Category::TooFormal);
    check("ще формально, я так не пишу", Category::TooFormal);
    check("too formal", Category::TooFormal);
    check("sounds stiff", Category::TooFormal);
    check("формальніше, будь ласка", Category::TooCasual);
    check("too casual", Category::TooCasual);
    check("занадто довго", Category::TooLong);
    check("зроби коротше", Category::TooLong);
    check("too long", Category::TooLong);
    check("закоротко", Category::TooShort);
    check("too short, expand", Category::TooShort);
    check("hook слабкий", Category::HookWeak);
    check("the hook is boring", Category::HookWeak);
    check("hook занадто клікбейтний", Category::HookStrong);
    check("не мій тон", Category::ToneOff);
    check("не схоже на мене", Category::ToneOff);
    check("this doesn't sound like me", Category::ToneOff);
    check("структура не та", Category::StructureWrong);
    check("the structure is wrong", Category::StructureWrong);
    check("я так не кажу: «імпакт»", Category::VocabularyWrong);
    check("немає заклику", Category::CtaMissing);
    check("the CTA is missing", Category::CtaMissing);
    check("CTA нав'язливий", Category::CtaTooPushy);
    check("too pushy", Category::CtaTooPushy);
    for other in ["а де про Київ?", "what about prices", "цікаво"] {
        assert_eq!(parse_feedback(other), Feedback::Other, "{other}");
    }
}

#[test]
fn gp_16_an_edit_names_a_part_and_is_not_style() {
    let check = |line: &str, part: Part, with: Option<&str>| {
        let edit = Edit { part, with: with.map(str::to_owned) };
        assert_eq!(parse_feedback(line), Feedback::Edit(edit), "{line}");
    };
    check("зроби hook коротшим", Part::Hook, None);
    check("заміни третє речення", Part::Sentence(3), None);
    check("перепиши останній абзац", Part::Paragraph(-1), None);
    check("rewrite paragraph 2", Part::Paragraph(2), None);
    check("shorten the first sentence", Part::Sentence(1), None);
    check("зроби кінцівку різкішою", Part::Closing, None);
    check("прибери хештеги", Part::Hashtags, Some(""));
    check("remove emoji", Part::Emoji, Some(""));
    check("прибери другий абзац", Part::Paragraph(2), Some(""));
    check("заміни «контент» на «пости»", Part::Phrase("контент".into()), Some("пости"));
    check("заміни слово контент на пости", Part::Phrase("контент".into()), Some("пости"));
    check("replace \"plan\" with \"map\"", Part::Phrase("plan".into()), Some("map"));
    check("прибери 'друзі'", Part::Phrase("друзі".into()), Some(""));
}

const DRAFT: &str = "Плани не працюють.\n\nЯ слідував плану. Отримав нуль.\nІ все.\n\nДалі 🔥 просто.\n\n\
                     Як у вас?\n\n#план #робота";

#[test]
fn gp_15_an_edit_changes_its_part_and_nothing_else() {
    let done = |line: &str, expected: &str| {
        let edit = Edit::parse(line).unwrap();
        assert_eq!(edit.apply(DRAFT), Applied::Done(expected.to_owned()), "{line}");
    };
    done("прибери хештеги", DRAFT.strip_suffix("\n\n#план #робота").unwrap());
    done("прибери emoji", &DRAFT.replace("🔥 ", ""));
    done("заміни «нуль» на «один»", &DRAFT.replace("нуль", "один"));
    done("заміни «ПЛАНИ» на «графіки»", &DRAFT.replace("Плани", "Графіки"));
    done("видали третій абзац", &DRAFT.replace("Далі 🔥 просто.\n\n", ""));
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
fn gp_15_a_model_that_answers_with_the_whole_post_changes_the_part_alone() {
    let edit = Edit::parse("зроби hook коротшим").unwrap();
    let Applied::Write(span) = edit.apply(DRAFT) else { panic!() };
    let check = |answer: &str, expected: Option<&str>| {
        assert_eq!(edit.part_of_answer(DRAFT, &span, answer).as_deref(), expected, "{answer}");
    };
    check("Плани — казка.", Some("Плани — казка."));
    check(&DRAFT.replace("Плани не працюють.", "Казка.").replace("Далі", "Потім"), Some("Казка."));
    check("", None);
    check(&"довго ".repeat(100), None);
}

#[test]
fn gp_13_the_third_time_reaches_the_threshold_and_names_the_field() {
    let dir = tempfile::tempdir().unwrap();
    let tracker = Tracker::of(&Workspace::new(dir.path()));
    let track = || tracker.track(Category::TooFormal, "офіційно", Lang::Uk, now()).unwrap();
    assert!(!track().threshold_reached);
    assert!(!track().threshold_reached);
    let third = track();
    assert_eq!((third.count, third.threshold_reached), (3, true));
    let suggestion = third.suggestion.unwrap();
    assert!(suggestion.starts_with("Користувач 3 рази сказав, що текст занадто формальний."));
    assert!(suggestion.contains("voice.formality"));
    for _ in 0..9 {
        track();
    }
    let all = tracker.all();
    assert_eq!(all["too_formal"]["count"], 12);
    assert_eq!(all["too_formal"]["last_seen"], "2026-02-08T16:30:00Z");
    assert_eq!(all["too_formal"]["history"].as_array().unwrap().len(), 10);
    assert_eq!(all["too_formal"]["history"][0], json!({ "date": "2026-02-08", "raw": "офіційно" }));
}

#[test]
fn gp_13_an_agreed_change_begins_the_count_anew() {
    let dir = tempfile::tempdir().unwrap();
    let tracker = Tracker::of(&Workspace::new(dir.path()));
    let track = || tracker.track(Category::TooLong, "довго", Lang::En, now()).unwrap();
    (0..3).for_each(|_| drop(track()));
    tracker.resolve(Category::TooLong, now()).unwrap();
    assert_eq!((track().count, tracker.all()["too_long"]["resolved"].as_u64()), (1, Some(1)));
}

#[test]
fn gp_17_a_no_is_not_asked_again_until_three_more() {
    let dir = tempfile::tempdir().unwrap();
    let tracker = Tracker::of(&Workspace::new(dir.path()));
    let reached =
        || tracker.track(Category::ToneOff, "тон", Lang::Uk, now()).unwrap().threshold_reached;
    assert_eq!([reached(), reached(), reached()], [false, false, true]);
    tracker.decline(Category::ToneOff, now()).unwrap();
    assert_eq!([reached(), reached(), reached()], [false, false, true]);
}

#[test]
fn gp_13_a_broken_file_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    fs::write(workspace.tracker_file(), "{ half").unwrap();
    let tracker = Tracker::of(&workspace);
    assert_eq!(tracker.track(Category::Other, "x", Lang::Uk, now()).unwrap().count, 1);
    let aside = dir.path().join("feedback-tracker.broken-2026-02-08-163000.json");
    assert_eq!(fs::read_to_string(aside).unwrap(), "{ half");
    fs::remove_file(workspace.tracker_file()).unwrap();
    fs::create_dir(workspace.tracker_file()).unwrap();
    assert!(tracker.track(Category::Other, "x", Lang::Uk, now()).is_err());
}

#[test]
fn gp_13_categories_are_known_by_name() {
    for category in Category::ALL {
        assert_eq!(category.as_str().parse(), Ok(category));
    }
    let unknown = "to_formal".parse::<Category>().unwrap_err();
    assert_eq!(unknown, "there is no category `to_formal`; did you mean `too_formal`?");
}

#[test]
fn plurals_are_ukrainian() {
    let check = |count, word: &str| {
        let said = Category::TooLong.suggestion(count, Lang::Uk);
        assert!(said.starts_with(&format!("Користувач {count} {word} сказав")), "{said}");
    };
    check(3, "рази");
    check(5, "разів");
    check(11, "разів");
    check(21, "раз");
    check(112, "разів");
}

#[test]
fn gp_17_a_proposal_has_field_old_and_new() {
    let profile = Profile::parse(GOLDEN).unwrap();
    for category in Category::ALL {
        let made = propose(category, &profile, Platform::Linkedin, "не кажу «імпакт»", Lang::Uk);
        let Some(proposal) = made else {
            assert_eq!(category, Category::Other);
            continue;
        };
        let changes = json!({ proposal.field.as_str(): proposal.new });
        profile.changed(changes.as_object().unwrap(), "3x", now()).unwrap();
        assert_ne!(proposal.old, proposal.new, "{category}");
    }
    let long = propose(Category::TooLong, &profile, Platform::Linkedin, "", Lang::Uk).unwrap();
    assert_eq!(
        (long.field.as_str(), long.old, long.new),
        ("platforms.linkedin.max_length", json!(1500), json!(1200))
    );
}
