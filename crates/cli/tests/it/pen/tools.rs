//! Ghostpen's tools in an ordinary project: approvals, reuse, and other surfaces. GP-03, GP-08.

use std::fs;
use std::process::Command;

use crate::pen::support::GOLDEN;
use crate::support::program::{command, copy_unlocked, repository, run_with};

struct PenFolder(tempfile::TempDir);

impl PenFolder {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy_unlocked(&repository().join("apps/pen/tools"), &dir.path().join("tools"));
        fs::create_dir_all(dir.path().join("data/profiles")).unwrap();
        fs::write(dir.path().join("data/profiles/default.json"), GOLDEN).unwrap();
        PenFolder(dir)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = command(self.0.path());
        command.env("XDG_CONFIG_HOME", self.0.path().join("home")).args(args);
        command
    }

    fn profile(&self) -> String {
        fs::read_to_string(self.0.path().join("data/profiles/default.json")).unwrap()
    }
}

const CHANGE: &str = r#"{"changes": {"voice.tone": "теплий"}, "reason": "agreed"}"#;

#[test]
fn gp_08_a_change_waits_for_a_person_and_runs_once_after_the_yes() {
    let folder = PenFolder::new();
    let asked = run_with(&mut folder.command(&["call", "update_style_profile", CHANGE]));
    assert!(asked.err.contains("waiting:"), "{asked:?}");
    assert_eq!(folder.profile(), GOLDEN, "nothing happens without a yes");
    let start = asked.err.find("approvals approve ").unwrap() + "approvals approve ".len();
    let id: String = asked.err[start..].chars().take(8).collect();
    let approved = run_with(&mut folder.command(&["approvals", "approve", &id]));
    assert_eq!(approved.code, 0, "{approved:?}");
    assert!(folder.profile().contains("\"version\": 4,") && folder.profile().contains("теплий"));
    let again = run_with(&mut folder.command(&["approvals", "approve", &id]));
    assert_ne!(again.code, 0, "a yes is used up: {again:?}");
    assert!(folder.profile().contains("\"version\": 4,"));
}

#[test]
fn gp_08_a_refused_change_is_never_asked_about() {
    let folder = PenFolder::new();
    let yes =
        ["call", "--yes", "update_style_profile", r#"{"changes": {"version": 9}, "reason": "x"}"#];
    let run = run_with(&mut folder.command(&yes));
    assert!(
        run.out.contains("validation_failed") && run.out.contains("cannot be changed"),
        "{run:?}"
    );
    assert_eq!(folder.profile(), GOLDEN);
}

#[test]
fn the_tools_are_ordinary_tools_for_other_surfaces() {
    let folder = PenFolder::new();
    let check = run_with(&mut folder.command(&["check", "tools", "--deny-warnings"]));
    assert_eq!(check.code, 0, "{check:?}");
    let shown = run_with(&mut folder.command(&["show", "registry"]));
    for id in pen::tools::IDS {
        assert!(shown.out.contains(id), "{id}: {}", shown.out);
    }
    let read = run_with(&mut folder.command(&["call", "read_style_profile", "{}"]));
    assert!(read.out.contains("дружній, трохи іронічний"), "{read:?}");
}

#[test]
fn nt_02_notion_that_is_not_set_up_says_so_and_is_not_offered() {
    let folder = PenFolder::new();
    let call = |tool: &str, args: &str| {
        run_with(folder.command(&["call", "--yes", tool, args]).env("LC_ALL", "uk_UA.UTF-8"))
    };
    let read = call("read_notion_page", r#"{"page_id": "x"}"#);
    assert_ne!(read.code, 0, "{read:?}");
    let said = format!("{}{}", read.out, read.err);
    assert!(said.contains("notion_not_configured"), "{said}");
    assert!(said.contains("Notion не налаштований. Додайте NOTION_TOKEN до .env файлу."), "{said}");
    let why = run_with(&mut folder.command(&["why", "read_notion_page"]));
    assert!(why.out.contains("not offered") && why.out.contains("NOTION_TOKEN"), "{why:?}");
}

#[test]
fn cases_of_the_tools_hold_and_leave_the_writers_folder_alone() {
    let folder = PenFolder::new();
    let found = run_with(&mut folder.command(&["test"]));
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains("the first time is counted"), "{}", found.out);
    let data: Vec<_> = fs::read_dir(folder.0.path().join("data")).unwrap().flatten().collect();
    assert_eq!(data.len(), 1, "only the profiles that were there: {data:?}");
    assert_eq!(folder.profile(), GOLDEN);
}
