//! Save words, style, answers, the tracker, proposals. GP-13 to GP-17.

mod edits;

use std::fs;

use serde_json::json;

use super::{Answer, Category, Feedback, Tracker, parse_answer, parse_feedback, propose};
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
    check("забагато пафосу", Category::ToneOff);
    check("звучить як ChatGPT", Category::ToneOff);
    check("звучит как робот", Category::ToneOff);
    check("якось нудно", Category::ToneOff);
    check("скучно", Category::ToneOff);
    check("більше емоцій", Category::ToneOff);
    check("нудний початок", Category::HookWeak);
    check("sounds like AI to me", Category::ToneOff);
    check("звучить як реклама", Category::CtaTooPushy);
    check("it reads like an ad", Category::CtaTooPushy);
    check("мені не подобається початок", Category::HookWeak);
    check("I don't like the hook", Category::HookWeak);
    check("не нравится начало", Category::HookWeak);
    check("не використовуй слово «втома»", Category::VocabularyWrong);
    check("не используй слово «усталость»", Category::VocabularyWrong);
    check("never use \"leverage\"", Category::VocabularyWrong);
    check("забагато тексту", Category::TooLong);
    check("слишком много слов", Category::TooLong);
    check("слишком формально", Category::TooFormal);
    check("не похоже на меня", Category::ToneOff);
    for other in ["а де про Київ?", "what about prices", "цікаво", "забагато людей згадано"]
    {
        assert_eq!(parse_feedback(other), Feedback::Other, "{other}");
    }
}

#[test]
fn gp_17_only_a_clear_answer_decides_about_a_proposal() {
    let text = json!("casual, як розмова з другом");
    let check = |line: &str, expected: Answer| {
        assert_eq!(parse_answer(line, &text), expected, "{line}");
    };
    for line in ["так", "так, будь ласка", "оновлюй", "yes please", "да"] {
        check(line, Answer::Yes);
    }
    for line in ["ні", "ні, дякую", "ні, не треба", "нет", "no thanks", "лиши як є"]
    {
        check(line, Answer::No);
    }
    for line in ["потім", "not now", "позже"] {
        check(line, Answer::Later);
    }
    check("exit", Answer::Stop);
    check("?", Answer::Help);
    for line in [
        "зберігай",
        "",
        "хм",
        "може",
        "так, але тепліше",
        "ні, я хочу інакше",
        "а що це дасть?",
        "зроби hook коротшим",
        "занадто формально",
        "undo",
        "…",
        "a",
    ] {
        check(line, Answer::Unclear);
    }
    for line in ["теплий, як лист другу", "warm and dry", "на «ти», без жаргону"]
    {
        check(line, Answer::Value(json!(line)));
    }
    check("= не формально", Answer::Value(json!("не формально")));
    check("значення: так", Answer::Value(json!("так")));
}

#[test]
fn gp_17_a_value_has_the_type_of_its_field() {
    let check = |line: &str, proposed: serde_json::Value, expected: Answer| {
        assert_eq!(parse_answer(line, &proposed), expected, "{line}");
    };
    check("900", json!(1200), Answer::Value(json!(900)));
    check("1 200", json!(1500), Answer::Value(json!(1200)));
    check("коротко", json!(1200), Answer::Unclear);
    check("0", json!(1200), Answer::Unclear);
    let hooks = json!(["питання", "історія"]);
    check("цитата; питання", hooks.clone(), Answer::Value(json!(["цитата", "питання"])));
    check("цитата", hooks.clone(), Answer::Unclear);
    check("= цитата", hooks, Answer::Value(json!(["цитата"])));
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
        let said = Category::TooLong.suggestion(count, &[Platform::X], Lang::Uk);
        assert!(said.starts_with(&format!("Користувач {count} {word} сказав")), "{said}");
    };
    check(3, "рази");
    check(5, "разів");
    check(11, "разів");
    check(21, "раз");
    check(112, "разів");
}

#[test]
fn gp_13_suggestions_name_only_fields_that_can_be_changed() {
    let profile = Profile::parse(GOLDEN).unwrap();
    for category in Category::ALL {
        for field in category.fields(&profile.platforms()) {
            let pointer = format!("/{}", field.replace('.', "/"));
            let old = profile.value().pointer(&pointer).unwrap().clone();
            let changes = json!({ field.as_str(): old });
            profile.changed(changes.as_object().unwrap(), "same", now()).unwrap();
        }
        let said = category.suggestion(3, &profile.platforms(), Lang::Uk);
        assert!(!said.contains('*') && !said.contains("voice у"), "{said}");
    }
    assert!(Category::TooLong.is_about("platforms.x.max_length"));
    assert!(!Category::TooLong.is_about("platforms.x.structure"));
    assert!(!Category::Other.is_about("voice.tone"));
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
