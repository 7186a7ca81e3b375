//! Keys in the project's `.env`: read, used, and never shown. GP-21, NT-02.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use fake_providers::Turn;
use serde_json::json;
use testkit::notion::{FakeNotion, TOKEN};

use super::support::{GOOD, TOPIC, logs, posts, with_golden};
use crate::support::model_project::{FarSide, KEY};

/// A session of a program whose environment has no keys.
fn session(far: &FarSide, notion: &FakeNotion, lines: &str, args: &[&str]) -> String {
    let mut command = far.command(&[&["pen", "--lang", "uk"], args].concat());
    command.env_remove("FAKE_KEY").env_remove("NOTION_TOKEN").env_remove("NOTION_DATABASE_ID");
    command.env("GHOSTHAND_PEN_NOTION", notion.base_url());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!shown.contains(KEY) && !shown.contains(TOKEN), "a key is told: {shown}");
    shown
}

#[test]
fn gp_21_keys_in_dot_env_are_used_and_never_shown() {
    let far = with_golden();
    let notion = far.wait(FakeNotion::start()).unwrap();
    let page = notion.page("Думки", &json!([]));
    fs::write(far.path().join(".env"), format!("FAKE_KEY={KEY}\nNOTION_TOKEN=\"{TOKEN}\"\n"))
        .unwrap();
    far.fake.then(Turn::says(GOOD));
    let shown = session(&far, &notion, "ok\n", &[TOPIC, "--notion", &page]);
    assert!(shown.contains("read_notion_page") && shown.contains("Думки"), "{shown}");
    assert_eq!(posts(&far).len(), 1, "{shown}");
    let log = logs(&far).remove(0);
    assert!(!log.contains(KEY) && !log.contains(TOKEN), "{log}");
}

#[test]
fn nt_02_a_missing_database_is_said_in_words() {
    let far = with_golden();
    let notion = far.wait(FakeNotion::start()).unwrap();
    fs::write(far.path().join(".env"), format!("FAKE_KEY={KEY}\nNOTION_TOKEN={TOKEN}\n")).unwrap();
    far.fake.then(Turn::says(GOOD));
    let shown = session(&far, &notion, "збережи в Notion\n", &[TOPIC]);
    let said =
        "Базу Notion не задано, збережено локально. Додайте NOTION_DATABASE_ID до .env файлу.";
    assert!(shown.contains(said), "{shown}");
    assert_eq!(posts(&far).len(), 1);
}

#[test]
fn nt_07_notices_of_notion_reach_the_writer_in_their_language() {
    let far = with_golden();
    let notion = far.wait(FakeNotion::start()).unwrap();
    let columns = json!({
        "Name": { "type": "title", "title": {} },
        "Status": { "type": "people", "people": {} },
    });
    let (database, _) = notion.database(&[("Plan", columns)]);
    let keys = format!("FAKE_KEY={KEY}\nNOTION_TOKEN={TOKEN}\nNOTION_DATABASE_ID={database}\n");
    fs::write(far.path().join(".env"), keys).unwrap();
    far.fake.then(Turn::says(GOOD));
    let shown = session(&far, &notion, "збережи в Notion\n", &[TOPIC]);
    for said in [
        "Notion: https://",
        "у базі немає властивості `Topic`; записано без неї",
        "властивість `Status` має тип `people`, який не записується",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert_eq!(notion.made().len(), 1);
}
