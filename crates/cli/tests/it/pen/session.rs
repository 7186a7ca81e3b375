//! Ghostpen as a writer uses it: the whole program, a provider at the far side.

use std::fs;

use fake_providers::{Fault, Turn};
use serde_json::{Value, json};

use super::support::{
    BETTER, GOLDEN, GOOD, TOPIC, described, logs, posts, profile, put_profile, session, terminal,
    with_golden,
};
use crate::support::model_project::{FarSide, KEY};
use crate::support::program::repository;

#[test]
fn gp_14_a_save_word_saves_without_asking_the_model() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    let run = session(&far, &["ok"], &[TOPIC]);
    assert_eq!((run.code, run.out.trim()), (0, GOOD), "{run:?}");
    far.fake.assert_used_up();
    assert_eq!(far.fake.requests().len(), 1);
    let saved = posts(&far);
    let text = fs::read_to_string(&saved[0]).unwrap();
    assert!(saved[0].to_str().unwrap().ends_with("-plany-linkedin.md"), "{saved:?}");
    assert!(text.contains("topic: плани\n") && text.contains("style_profile_version: 3\n"));
    assert!(text.ends_with(&format!("---\n\n{GOOD}\n")), "{text}");
    assert!(run.err.contains("read_style_profile") && run.err.contains("токени:"), "{}", run.err);
}

#[test]
fn gp_14_leaving_saves_nothing_and_says_so() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(GOOD));
    for lines in [&["exit"][..], &[]] {
        let run = session(&far, lines, &[TOPIC]);
        assert!(run.err.contains("вихід без збереження"), "{run:?}");
    }
    assert!(posts(&far).is_empty());
}

#[test]
fn gp_21_the_session_is_logged_without_secrets() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    session(&far, &[&format!("занадто формально {KEY}"), "ok"], &[TOPIC]);
    let log = logs(&far).remove(0);
    assert!(!log.contains(KEY), "{log}");
    let log: Value = serde_json::from_str(&log).unwrap();
    let kinds: Vec<_> =
        log["events"].as_array().unwrap().iter().map(|one| one["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["api_call", "assistant_text", "user_feedback", "api_call", "assistant_text", "save"]
    );
    assert_eq!(log["usage"]["input"], 24);
    assert_eq!((&log["profile_used"], &log["notion_enabled"]), (&json!("default"), &json!(false)));
}

#[test]
fn gp_20_a_hard_violation_is_mended_at_most_twice_and_then_shown() {
    let far = with_golden();
    let bad = GOOD.replace("Плани не рятують", "Друзі, в рамках плану");
    far.fake.then(Turn::says(&bad)).then(Turn::says(GOOD));
    let run = session(&far, &["ok"], &[TOPIC]);
    assert_eq!(run.out.trim(), GOOD, "only the mended draft is shown");
    assert!(run.err.contains("виправляю порушення: 2 (1/2)"), "{}", run.err);
    let asked = far.fake.requests()[1].body.to_string();
    assert!(asked.contains("звертання 'друзі'"), "{asked}");
    far.fake.then(Turn::says(&bad)).then(Turn::says(&bad)).then(Turn::says(&bad));
    let run = session(&far, &["exit"], &[TOPIC]);
    assert!(run.err.contains("(2/2)") && run.err.contains("[avoid-word] Друзі"), "{}", run.err);
    assert!(run.err.contains("не перевірено без моделі: avoid: канцеляризми"), "{}", run.err);
    far.fake.assert_used_up();
}

#[test]
fn gp_15_a_concrete_edit_changes_its_part_and_gp_16_is_not_tracked() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says("Плани — казка."));
    let run = session(&far, &["зроби hook коротшим", "заміни «чесно» на «щиро»", "ok"], &[TOPIC]);
    far.fake.assert_used_up();
    let expected = GOOD.replace("Плани не рятують.", "Плани — казка.").replace("чесно", "щиро");
    assert!(run.out.trim().ends_with(&expected), "{}", run.out);
    assert!(!far.path().join("data/feedback-tracker.json").exists());
}

#[test]
fn gp_17_a_no_leaves_the_profile_alone() {
    let far = with_golden();
    far.fake.script(vec![Turn::says(GOOD); 5]);
    let word = "занадто формально";
    let run = session(&far, &[word, word, word, "ні", word, "exit"], &[TOPIC]);
    assert_eq!(run.err.matches("voice.formality").count(), 1, "{}", run.err);
    assert!(run.err.contains("- casual але експертний"), "{}", run.err);
    assert_eq!(fs::read_to_string(far.path().join("data/profiles/default.json")).unwrap(), GOLDEN);
}

#[test]
fn gp_08_a_model_cannot_change_the_profile_by_itself() {
    let far = with_golden();
    let change = json!({ "changes": { "voice.tone": "x" }, "reason": "I like it" });
    far.fake.then(Turn::calls("update_style_profile", change)).then(Turn::says(GOOD));
    session(&far, &["exit"], &[TOPIC]);
    far.fake.assert_used_up();
    assert_eq!(fs::read_to_string(far.path().join("data/profiles/default.json")).unwrap(), GOLDEN);
    let told = far.fake.requests()[1].body.to_string();
    assert!(
        told.contains("CONFIRMATION") || told.contains("declined") || told.contains("author"),
        "{told}"
    );
}

#[test]
fn gp_12_a_disk_that_fails_shows_the_text() {
    let far = with_golden();
    fs::create_dir_all(far.path().join("data/output")).unwrap();
    fs::write(far.path().join("data/output/generated"), "in the way").unwrap();
    far.fake.then(Turn::says(GOOD));
    let run = session(&far, &["ok"], &[TOPIC]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("Помилка збереження"), "{}", run.err);
    assert_eq!(run.out.matches("Плани не рятують.").count(), 2, "shown, and given to copy");
}

#[test]
fn gp_18_a_mix_says_what_it_takes_and_teaches_the_personal_profile() {
    let far = with_golden();
    let mut alex: Value = serde_json::from_str(GOLDEN).unwrap();
    alex["profile_name"] = json!("competitor-alex");
    alex["profile_type"] = json!("reference");
    alex["voice"]["hooks"] = json!(["звертання ('Друзі, новина')", "твердження"]);
    put_profile(&far, &alex.to_string(), "competitor-alex");
    far.fake.script(vec![Turn::says(GOOD); 4]);
    let word = "too formal";
    let mix = ["--mix", "default", "competitor-alex"];
    let run = session(&far, &[word, word, word, "так", "ok"], &[&[TOPIC], &mix[..]].concat());
    assert!(
        run.err.contains("Mix: взято від competitor-alex: voice.sentence_style"),
        "{}",
        run.err
    );
    assert!(run.err.contains("hook відкинуто, бо база його уникає: звертання"), "{}", run.err);
    let text = fs::read_to_string(&posts(&far)[0]).unwrap();
    assert!(text.contains("profile_used: mix:default+competitor-alex\n"), "{text}");
    assert_eq!(profile(&far)["version"], 4);
    let other = fs::read_to_string(far.path().join("data/profiles/competitor-alex.json")).unwrap();
    assert_eq!(other, alex.to_string());
    let missing = session(&far, &[], &[TOPIC, "--mix", "default", "nobody"]);
    assert!(missing.err.contains("Доступні профілі: competitor-alex, default"), "{}", missing.err);
}

#[test]
fn gp_19_a_platform_that_nobody_named_is_said() {
    let far = with_golden();
    far.fake.then(Turn::says("Плани — казка. Ось у чому штука."));
    let run = session(&far, &["exit"], &["твіт про плани"]);
    assert!(run.err.contains("x 32/280") && !run.err.contains("платформа:"), "{}", run.err);
    far.fake.then(Turn::says(GOOD));
    let run = session(&far, &["exit"], &["плани"]);
    assert!(run.err.contains("платформа: linkedin (інша: --platform)"), "{}", run.err);
    let run = session(&far, &[], &["плани", "--platform", "linkdin"]);
    assert_eq!(run.code, 2);
    assert!(
        run.err.contains("помилка: немає платформи `linkdin`; можливо, `linkedin`?"),
        "{run:?}"
    );
    far.fake.then(Turn::says(GOOD));
    let run = session(&far, &["exit"], &["плани для LinkedIn і для Telegram"]);
    let said = "названо кілька платформ: linkedin, telegram; пишу для linkedin (інша: --platform)";
    assert!(run.err.contains(said), "{}", run.err);
}

#[test]
fn hooks_are_offered_and_the_chosen_one_is_used() {
    let far = with_golden();
    far.fake.then(Turn::says("1. Плани не рятують.\n2. Коли ви планували?")).then(Turn::says(GOOD));
    let run = session(&far, &["1", "exit"], &[TOPIC, "--variants", "2"]);
    assert!(run.out.starts_with("1. Плани не рятують.\n2. Коли ви планували?\n"), "{}", run.out);
    let asked = far.fake.requests()[1].body.to_string();
    assert!(asked.contains("Open with exactly this line: Плани не рятують."), "{asked}");
}

#[test]
fn past_posts_are_shown_to_the_model_and_not_copied() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    session(&far, &["ok"], &[TOPIC]);
    // The same words again are a copy, and the model is told.
    far.fake.then(Turn::says(&GOOD.replace("А ви плануєте?", "А ви?"))).then(Turn::says(BETTER));
    let run = session(&far, &["exit"], &["пост про план для LinkedIn"]);
    assert!(run.err.contains("read_past_posts 1"), "{}", run.err);
    let requests = far.fake.requests();
    assert!(requests[1].body.to_string().contains("do not repeat it"));
    assert!(requests[2].body.to_string().contains("copying"));
}

#[test]
fn a_model_that_fails_costs_an_answer_and_not_the_draft() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Fault::wrong_key());
    let run = session(&far, &["занадто формально", "ok"], &[TOPIC]);
    assert!(run.err.contains("чернетка лишилась"), "{}", run.err);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(fs::read_to_string(&posts(&far)[0]).unwrap().contains("Плани не рятують."));
}

#[test]
fn gp_22_a_draft_arrives_without_a_search() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    let run = session(&far, &["exit"], &[TOPIC, "--facts"]);
    assert!(run.err.contains("Пошук недоступний, генерую без зовнішніх даних"), "{}", run.err);
    assert_eq!(run.out.trim(), GOOD);
    // What is not set up is not offered either.
    let offered = far.fake.requests()[0].body.to_string();
    assert!(
        offered.contains("read_past_posts") && !offered.contains("\"search_web\""),
        "{offered}"
    );
}

#[test]
fn gp_03_a_profile_is_read_once_a_turn() {
    let far = with_golden();
    let read = || Turn::calls("read_style_profile", json!({ "profile_name": "default" }));
    far.fake.then(read()).then(read()).then(Turn::says("Готово."));
    let tools = repository().join("apps/pen/tools");
    let run = far.run(&["chat", "який у мене стиль?", "--dir", tools.to_str().unwrap()]);
    assert_eq!(run.code, 0, "{run:?}");
    let known = run.err.lines().filter(|line| line.contains("reused")).count();
    assert_eq!(known, 1, "{}", run.err);
}

#[test]
fn what_is_wrong_with_the_model_is_told_in_ukrainian() {
    let far = with_golden();
    far.fake.answering(|_| Fault::wrong_key().into());
    let run = session(&far, &["exit"], &[TOPIC]);
    assert!(run.err.contains("ключ моделі не прийнято ("), "{run:?}");
    assert!(run.err.contains("перевірте ключ у .env"), "{run:?}");
    fs::write(far.path().join("posts.txt"), "Я теж боявся писати цей пост.").unwrap();
    let run = session(&far, &[], &["init", "posts.txt", "--yes", "--replace"]);
    assert!(run.err.contains("модель не описала голос: ключ моделі не прийнято"), "{run:?}");
    let run = session(&far, &[], &[TOPIC, "--model", "nobody:x"]);
    assert!(run.err.contains("цією моделлю не скористатися: there is no provider"), "{run:?}");
    assert!(run.err.contains("назвіть модель: --model"), "{run:?}");
}

#[test]
fn a_draft_without_a_key_says_how_to_get_one() {
    let far = with_golden();
    let run = session(&far, &[], &[TOPIC, "--model", "rehearsal"]);
    assert_eq!(run.code, 1);
    assert!(
        run.err.contains("потрібна модель") && run.err.contains("ANTHROPIC_API_KEY"),
        "{}",
        run.err
    );
    let run = far.pipe("", &["pen", "--lang", "en", TOPIC, "--model", "rehearsal"]);
    assert!(run.err.contains("a draft needs a model"), "{}", run.err);
}

#[test]
fn a_missing_profile_says_what_to_do_before_anything_is_asked() {
    let far = FarSide::new();
    let run = session(&far, &[], &[TOPIC]);
    assert_eq!(run.code, 1);
    assert!(run.err.contains("ghostpen init"), "{}", run.err);
    assert!(far.fake.requests().is_empty(), "no draft before the profile");
}

#[test]
fn notion_that_is_not_set_up_leaves_a_file() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD));
    let run = session(&far, &["збережи в Notion"], &[TOPIC]);
    assert!(run.err.contains("Notion не налаштований, збережено локально"), "{}", run.err);
    assert_eq!(posts(&far).len(), 1);
    let run = session(&far, &[], &[TOPIC, "--notion", "https://notion.so/x-1a2b"]);
    assert!(run.err.contains("Notion не налаштований"), "{}", run.err);
}

/// The whole way in a terminal: init from a folder, a draft, three times the same word, the
/// proposal, the yes, the new version, saving, Notion's fallback, and a mix.
#[test]
fn a_writer_at_a_terminal_goes_the_whole_way() {
    let far = FarSide::new();
    let folder = far.path().join("posts");
    fs::create_dir_all(&folder).unwrap();
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    for (index, example) in golden["examples"].as_array().unwrap().iter().enumerate() {
        fs::write(folder.join(format!("{index}.md")), example["text"].as_str().unwrap()).unwrap();
    }
    fs::write(folder.join("2.txt"), "Коротко: я теж боявся писати.\n\nІ це нормально.").unwrap();

    far.fake.then(Turn::calls("style_profile", described()));
    let shown = terminal(
        &far,
        &["init", "posts"],
        &[("ok — зберегти", "voice.tone = теплий, іронічний"), ("тон", "")].map(
            |(expected, typed)| {
                if typed.is_empty() { ("ok — зберегти", "ok") } else { (expected, typed) }
            },
        ),
    );
    assert!(shown.contains("постів: 3") && shown.contains("збережено:"), "{shown}");
    assert_eq!(profile(&far)["voice"]["tone"], "теплий, іронічний");
    assert_eq!(profile(&far)["voice"]["formality"], "діловий, на відстані");
    assert!(profile(&far)["measured"]["posts"] == 3);

    for draft in [GOOD, BETTER, GOOD, BETTER] {
        far.fake.then(Turn::says(draft));
    }
    let word = "занадто формально";
    let shown = terminal(
        &far,
        &[TOPIC],
        &[
            ("ok — зберегти", word),
            ("ok — зберегти", word),
            ("ok — зберегти", word),
            ("оновити? так / ні", "так"),
            ("ok — зберегти", "збережи в Notion"),
        ],
    );
    far.fake.assert_used_up();
    assert!(shown.contains("voice.formality"), "{shown}");
    assert!(shown.contains("- діловий, на відстані"), "{shown}");
    assert!(shown.contains("casual, як розмова з другом"), "{shown}");
    assert!(shown.contains("профіль оновлено, версія 2"), "{shown}");
    assert!(shown.contains("Notion не налаштований, збережено локально"), "{shown}");
    let now = profile(&far);
    assert_eq!(
        (&now["version"], &now["voice"]["formality"]),
        (&json!(2), &json!("casual, як розмова з другом"))
    );
    assert_eq!(now["changelog"][1]["fields_changed"], json!(["voice.formality"]));
    assert_eq!(now["changelog"][1]["description"], "3x too_formal");
    let text = fs::read_to_string(&posts(&far)[0]).unwrap();
    assert!(
        text.contains("style_profile_version: 2\n") && text.contains("Плани брешуть."),
        "{text}"
    );
    let tracker = fs::read_to_string(far.path().join("data/feedback-tracker.json")).unwrap();
    assert!(tracker.contains("\"count\": 0"), "{tracker}");

    far.fake.then(Turn::calls("style_profile", described()));
    terminal(&far, &["profile", "create", "competitor-alex", "posts"], &[("ok — зберегти", "ok")]);
    far.fake.then(Turn::says(&GOOD.replace("Плани", "Ціни").replace("план", "ціна")));
    let topic = "напиши пост про ціни для LinkedIn";
    let shown =
        terminal(&far, &[topic, "--mix", "default", "competitor-alex"], &[("ok — зберегти", "👍")]);
    assert!(shown.contains("Mix: взято від competitor-alex"), "{shown}");
    let mixed = posts(&far).into_iter().map(|path| fs::read_to_string(path).unwrap());
    assert!(mixed.into_iter().any(|text| text.contains("mix:default+competitor-alex")));
    assert!(repository().join("apps/pen/tools").is_dir());
}
