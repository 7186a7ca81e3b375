//! Ghostpen without a model: profiles, lint, analyze, search, threads, wrong input.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::pen::support::GOLDEN;
use crate::support::program::{Run, command, run_with};

struct PenFolder(tempfile::TempDir);

impl PenFolder {
    fn new() -> Self {
        PenFolder(tempfile::tempdir().unwrap())
    }

    fn with_golden() -> Self {
        let desk = Self::new();
        fs::create_dir_all(desk.path().join("data/profiles")).unwrap();
        fs::write(desk.path().join("data/profiles/default.json"), GOLDEN).unwrap();
        desk
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Run {
        let mut command = command(self.path());
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GHOSTHAND_MODEL"] {
            command.env_remove(name);
        }
        command.env("XDG_CONFIG_HOME", self.path().join("home")).env("LC_ALL", "en_US.UTF-8");
        run_with(command.arg("pen").args(args))
    }
}

#[test]
fn gp_24_init_measures_a_folder_and_a_pipe_without_a_model() {
    let desk = PenFolder::new();
    fs::create_dir(desk.path().join("posts")).unwrap();
    for (name, text) in [
        ("a.md", "I write every day, no fuss whatsoever."),
        ("b.txt", "I stopped planning, no fuss whatsoever."),
    ] {
        desk.write(&format!("posts/{name}"), text);
    }
    let run = desk.run(&["init", "posts", "--yes"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("few posts"), "{}", run.err);
    let profile: Value = serde_json::from_str(
        &fs::read_to_string(desk.path().join("data/profiles/default.json")).unwrap(),
    )
    .unwrap();
    assert_eq!((&profile["language"], &profile["version"]), (&"en".into(), &1.into()));
    assert_eq!(profile["measured"]["posts"], 2);
    assert!(profile["voice"]["signature_phrases"].to_string().contains("no fuss whatsoever"));
    let again = desk.run(&["init", "posts", "--yes"]);
    assert!(again.err.contains("already") && again.err.contains("--replace"), "{}", again.err);
    let empty = desk.run(&["init", "--replace"]);
    assert_eq!(empty.code, 1);
    assert!(empty.err.contains("there are no posts"), "{}", empty.err);
}

#[test]
fn gp_25_analyze_prints_a_diff() {
    let desk = PenFolder::with_golden();
    desk.write("posts.txt", "Довге речення про те, як я працюю щодня без жодного вихідного, і нічого не встигаю.\n---\nЩе один пост має кілька слів 🔥🔥");
    let run = desk.run(&["analyze", "posts.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.err.contains("few posts"), "{}", run.err);
    assert!(run.out.contains("platforms.instagram.hashtags\n  - 12-15 у першому коментарі\n  + instagram allows 5 at most"), "{}", run.out);
    let json: Value =
        serde_json::from_str(&desk.run(&["analyze", "posts.txt", "--json"]).out).unwrap();
    assert_eq!(json["measured"]["posts"], 2);
}

#[test]
fn gp_25_analyze_takes_at_most_thirty_posts() {
    let desk = PenFolder::with_golden();
    let posts: Vec<String> =
        (0..35).map(|number| format!("Сьогодні я знову пишу пост номер {number}.")).collect();
    desk.write("posts.txt", &posts.join("\n---\n"));
    let run = desk.run(&["analyze", "posts.txt", "--json"]);
    assert!(run.err.contains("taken 30 / 35"), "{run:?}");
    let json: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["measured"]["posts"], 30);
}

#[test]
fn gp_20_lint_ends_with_1_and_lists_what_it_did_not_check() {
    let desk = PenFolder::with_golden();
    desk.write("bad.md", "---\nplatform: x\n---\n\nДрузі, в рамках плану!\n");
    let run = desk.run(&["lint", "bad.md", "--json"]);
    assert_eq!(run.code, 1);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    let rules: Vec<_> =
        report["violations"].as_array().unwrap().iter().map(|one| one["rule"].clone()).collect();
    assert!(rules.contains(&"avoid-word".into()), "{rules:?}");
    assert!(report["unchecked"].to_string().contains("пасивний стан"));
    let example = serde_json::from_str::<Value>(GOLDEN).unwrap()["examples"][0]["text"].clone();
    desk.write("copy.md", example.as_str().unwrap());
    let copied = desk.run(&["lint", "copy.md", "--platform", "linkedin"]);
    assert!(copied.code == 1 && copied.err.contains("[copying]"), "{copied:?}");
    let folder = desk.path().join("data/output/generated");
    fs::create_dir_all(&folder).unwrap();
    let post = "Я звільнився у п'ятницю. Не попередив нікого і пішов. Досі соромно.\n\nА ви?";
    fs::write(folder.join("2026-02-01-a-x.md"), post).unwrap();
    let own = desk.run(&["lint", "data/output/generated/2026-02-01-a-x.md", "--platform", "x"]);
    assert!(!own.err.contains("[copying]"), "a post is no copy of its own file: {own:?}");
    desk.write("again.md", post);
    let again = desk.run(&["lint", "again.md", "--platform", "x"]);
    assert!(again.code == 1 && again.err.contains("[copying]"), "{again:?}");
    desk.write("good.md", "Плани не рятують.\n\nОсь у чому штука: вони бояться.\n\nА ви?");
    assert_eq!(desk.run(&["lint", "good.md", "--platform", "x"]).code, 0);
}

#[test]
fn gp_10_posts_are_searched_and_counted() {
    let desk = PenFolder::with_golden();
    let folder = desk.path().join("data/output/generated");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("2026-02-01-a-x.md"), "---\nplatform: x\ntopic: вигорання\ncreated: 2026-02-01T00:00:00Z\nprofile_used: default\n---\n\nТекст.\n").unwrap();
    let run = desk.run(&["posts", "search", "вигоранням"]);
    assert!(run.out.contains("2026-02-01-a-x.md") && run.err.contains("found: 1"), "{run:?}");
    assert!(desk.run(&["posts", "search", "нічого"]).err.contains("found: 0"));
    let stats = desk.run(&["stats"]);
    assert!(
        stats.out.contains("posts: 1\n") && stats.out.contains("month: 2026-02 1"),
        "{}",
        stats.out
    );
}

#[test]
fn profiles_are_moved_compared_and_deleted() {
    let desk = PenFolder::with_golden();
    let shown = desk.run(&["profile", "show", "--json"]);
    assert_eq!(shown.out, GOLDEN, "GP-01: byte for byte");
    assert_eq!(desk.run(&["profile", "export"]).out, GOLDEN);
    let other = GOLDEN
        .replacen("\"default\"", "\"alex\"", 1)
        .replacen("\"personal\"", "\"reference\"", 1)
        .replacen("дружній, трохи іронічний", "сухий", 1);
    desk.write("alex.json", &other);
    assert_eq!(desk.run(&["profile", "import", "alex.json"]).code, 0);
    assert!(desk.run(&["profile", "import", "alex.json"]).err.contains("already"));
    let list = desk.run(&["profile", "list"]).out;
    assert!(list.lines().nth(1).unwrap().starts_with("default  personal"), "{list}");
    let diff = desk.run(&["profile", "diff", "default", "alex"]).out;
    assert!(diff.contains("voice.tone\n  - дружній") && diff.contains("\n  + сухий"), "{diff}");
    let kept = desk.run(&["profile", "delete", "alex"]);
    assert!(kept.err.contains("not deleted"), "{kept:?}");
    assert_eq!(desk.run(&["profile", "delete", "alex", "--yes"]).code, 0);
    assert_eq!(desk.run(&["profile", "delete", "default", "--yes"]).code, 1);
    assert_eq!(desk.run(&["profile", "create", "default", "x"]).code, 1);
    fs::write(desk.path().join("data/profiles/bad.json"), "{").unwrap();
    let list = desk.run(&["profile", "list"]);
    assert!(
        list.code == 0 && list.out.contains("bad") && list.out.contains("? broken"),
        "{list:?}"
    );
}

#[test]
fn wrong_input_is_told_with_a_fix() {
    let desk = PenFolder::with_golden();
    let check = |args: &[&str], code: i32, expected: &str| {
        let run = desk.run(args);
        assert!(run.code == code && run.err.contains(expected), "{args:?}: {run:?}");
    };
    check(&[], 2, "there is no topic");
    check(&["profle", "list"], 2, "did you mean `profile`?");
    check(&["profile", "show", "../x"], 1, "cannot be the name of a profile");
    check(&["profile", "show", "nobody"], 1, "Available profiles: default");
    check(&["lint", "missing.md"], 1, "cannot be read");
    check(&["lint", "x", "--platform", "myspace"], 2, "there is no platform `myspace`");
    check(&["thread", "missing.md"], 1, "cannot be read");
    check(&["analyze", "missing"], 1, "choose a folder or a file with posts");
    check(&["topic", "--mix", "default"], 2, "2 values required");
    fs::write(desk.path().join("data/profiles/default.json"), "{}").unwrap();
    check(&["profile", "show"], 1, "`voice` is missing");
}

#[test]
fn a_thread_goes_to_standard_output() {
    let desk = PenFolder::new();
    desk.write("long.md", &"Це речення про плани, які не працюють зовсім. ".repeat(12));
    let run = desk.run(&["thread", "long.md"]);
    assert!(run.out.starts_with("1/") && run.out.contains("\n\n---\n\n2/"), "{}", run.out);
}

#[test]
fn learning_from_a_file_that_was_changed_by_hand() {
    let desk = PenFolder::with_golden();
    let logs = desk.path().join("data/output/logs");
    fs::create_dir_all(&logs).unwrap();
    for number in 0..3 {
        let file = desk.path().join(format!("post-{number}.md"));
        fs::write(&file, "Погнали, я пишу так.").unwrap();
        let event = serde_json::json!({ "type": "save", "data": { "file": file, "text": "Отже, я пишу так." } });
        let log = serde_json::json!({ "events": [event] });
        fs::write(logs.join(format!("{number}.json")), log.to_string()).unwrap();
    }
    let run = desk.run(&["learn"]);
    assert!(run.out.contains("voice.avoid + «отже»  3×"), "{run:?}");
    assert!(run.out.contains("voice.signature_phrases + «погнали»  3×"), "{run:?}");
}

#[test]
fn a_prompt_to_paste_needs_no_key() {
    let desk = PenFolder::with_golden();
    let folder = desk.path().join("data/output/generated");
    fs::create_dir_all(&folder).unwrap();
    let past =
        "---\nplatform: x\ntopic: вигорання\ncreated: 2026-02-01T00:00:00Z\n---\n\nЯ спав.\n";
    fs::write(folder.join("2026-02-01-a-x.md"), past).unwrap();
    desk.write("notes.txt", "Три місяці без вихідних.");
    let topic = "напиши пост про вигоранням для Telegram";
    let run = desk.run(&["prompt", topic, "--notes", "notes.txt"]);
    assert_eq!(run.code, 0, "{run:?}");
    for part in [
        "The profile's `avoid` is absolute",
        "Platform: telegram. At most 2000 characters, as telegram counts them.",
        "дружній, трохи іронічний",
        "Example (linkedin):\nКонтент-плани не працюють.",
        "- вигорання (2026-02-01T00:00:00Z): Я спав.",
        "Три місяці без вихідних.",
        topic,
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    assert!(!run.out.contains("search_web"), "a chat has none of our tools: {}", run.out);
    assert!(run.err.contains("ghostpen lint"), "{}", run.err);
    let json: Value = serde_json::from_str(&desk.run(&["prompt", "плани", "--json"]).out).unwrap();
    assert_eq!((&json["platform"], &json["profile_used"]), (&"linkedin".into(), &"default".into()));
    assert!(json["prompt"].as_str().unwrap().contains("Request: плани"));
}

#[test]
fn a_prompt_corrects_the_answer_of_a_chat() {
    let desk = PenFolder::with_golden();
    desk.write("answer.txt", "Ось ваш пост:\n\nДрузі, плани не працюють.\n\nА ви?");
    let run = desk.run(&["prompt", "--draft", "answer.txt", "--platform", "x"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.out.starts_with("The draft breaks these rules."), "{}", run.out);
    assert!(run.out.contains("- avoid-word: «Друзі»;"), "{}", run.out);
    assert!(run.out.contains("The draft:\nДрузі, плани не працюють."), "{}", run.out);
    desk.write("good.txt", "Плани не рятують.\n\nОсь у чому штука: вони бояться.\n\nА ви?");
    let run = desk.run(&["prompt", "--draft", "good.txt", "--platform", "x"]);
    assert!(run.code == 0 && run.out.is_empty(), "{run:?}");
    let nobody = desk.run(&["prompt", "плани", "--profile", "nobody"]);
    assert!(nobody.err.contains("Available profiles: default"), "{nobody:?}");
}

#[test]
fn help_and_faults_are_in_the_language_of_the_writer() {
    let desk = PenFolder::with_golden();
    let check = |args: &[&str], code: i32, expected: &[&str]| {
        let run = desk.run(&[&["--lang", "uk"], args].concat());
        let said = format!("{}{}", run.out, run.err);
        for text in expected {
            assert!(run.code == code && said.contains(text), "{args:?}: {text}: {run:?}");
        }
        assert!(!said.contains("error:") && !said.contains("Usage:"), "{said}");
    };
    check(&["--help"], 0, &["Пише пости вашим голосом", "Використання:", "Команди:", "Опції:"]);
    check(&["lint", "--help"], 0, &["Перевірити текст за профілем", "Аргументи:", "Профіль"]);
    check(&["lint", "missing.md"], 1, &["помилка: `missing.md` не читається", "що зробити:"]);
    check(&["lint", "x", "--platform", "myspace"], 2, &["помилка: немає платформи `myspace`"]);
    check(&["lint"], 2, &["помилка: бракує: <FILE>", "ghostpen --help"]);
    check(&["lint", "x", "--josn"], 2, &["немає опції `--josn`", "можливо, `--json`?"]);
    check(&["topic", "--mix", "default"], 2, &["потрібна інша кількість значень"]);
    check(&["profle", "list"], 2, &["немає команди `profle`; можливо, `profile`?"]);
    check(&["profile", "show", "nobody"], 1, &["помилка: Профіль не знайдений"]);
    assert!(desk.run(&["--help"]).out.contains("Write posts in your own voice"));
}
