//! Profiles on disk: lists, two concurrent writers, a writer that is killed. GP-03, GP-07, GP-09.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{Workspace, WorkspaceFault};
use crate::clock::Now;
use crate::style::profile::{Profile, ProfileName};

const GOLDEN: &str = include_str!("../../tests/data/golden-profile.json");
/// Set in the child that writes until it is killed.
const WRITE_FOREVER: &str = "PEN_TEST_WRITE_FOREVER";

fn workspace() -> (tempfile::TempDir, Workspace) {
    let dir = tempfile::tempdir().unwrap();
    let workspace = Workspace::new(dir.path());
    workspace.create(&Profile::parse(GOLDEN).unwrap()).unwrap();
    (dir, workspace)
}

fn reference(name: &str, updated_at: &str) -> Profile {
    let mut value: Value = serde_json::from_str(GOLDEN).unwrap();
    value["profile_name"] = json!(name);
    value["profile_type"] = json!("reference");
    value["updated_at"] = json!(updated_at);
    Profile::from_value(&value).unwrap()
}

fn update(workspace: &Workspace, changes: Value) -> Result<super::Changed, WorkspaceFault> {
    let changes = changes.as_object().unwrap();
    workspace.update(&ProfileName::default(), changes, "so it was agreed", Now::read())
}

#[test]
fn gp_03_a_missing_profile_is_told_with_those_there_are() {
    let (_dir, workspace) = workspace();
    workspace.create(&reference("competitor-maria", "2026-02-08T14:00:00Z")).unwrap();
    let fault = workspace.read(&"competitor-alex".parse().unwrap()).unwrap_err().to_string();
    assert_eq!(
        fault,
        "profile `competitor-alex` not found. Available profiles: competitor-maria, default"
    );
    let empty = tempfile::tempdir().unwrap();
    let fault = Workspace::new(empty.path()).read(&ProfileName::default()).unwrap_err().to_string();
    assert!(fault.contains("ghostpen init"), "{fault}");
}

#[test]
fn gp_02_a_broken_file_is_broken_and_not_missing() {
    let (dir, workspace) = workspace();
    fs::write(dir.path().join("profiles/default.json"), "{ oops").unwrap();
    let fault = workspace.read(&ProfileName::default()).unwrap_err();
    assert!(matches!(fault, WorkspaceFault::Broken { .. }), "{fault}");
}

#[test]
fn gp_09_personal_first_then_reference_by_change_and_broken_ones_last() {
    let (dir, workspace) = workspace();
    for (name, at) in [("a", "2026-01-01T00:00:00Z"), ("b", "2026-03-01T00:00:00Z")] {
        workspace.create(&reference(name, at)).unwrap();
    }
    fs::write(dir.path().join("profiles/zz.json"), "nonsense").unwrap();
    let list = workspace.list(crate::text::language::Lang::En);
    let names: Vec<_> = list.iter().map(|line| (line.name.as_str(), line.kind.as_str())).collect();
    assert_eq!(
        names,
        [("default", "personal"), ("b", "reference"), ("a", "reference"), ("zz", "?")]
    );
    assert_eq!(list[0].tone_summary, "дружній, трохи іронічний, з повагою до читача");
    assert!(list[3].broken.is_some());
    assert_eq!(
        Workspace::new(dir.path().join("nothing")).list(crate::text::language::Lang::En),
        []
    );
}

#[test]
fn gp_09_a_profile_that_cannot_be_used_is_listed_as_broken() {
    let (dir, workspace) = workspace();
    let list = |text: &str| {
        fs::write(dir.path().join("profiles/bad.json"), text).unwrap();
        let found = workspace.list(crate::text::language::Lang::En);
        found.into_iter().find(|line| line.name == "bad").unwrap()
    };
    let named = GOLDEN.replacen("\"default\"", "\"bad\"", 1);
    assert_eq!(list(&named).broken, None);
    let without = list(&named.replacen("\"voice\"", "\"voices\"", 1));
    assert_eq!(
        (without.kind.as_str(), without.broken.as_deref()),
        ("?", Some("`voice` is missing"))
    );
    assert!(list(GOLDEN).broken.unwrap().contains("the file says it is profile `default`"));
}

#[test]
fn gp_07_two_writers_at_once_lose_nothing() {
    let (_dir, workspace) = workspace();
    let phrases = ["one", "two", "three", "four"];
    std::thread::scope(|scope| {
        for phrase in phrases {
            let workspace = workspace.clone();
            scope.spawn(move || {
                for round in 0..5 {
                    update(&workspace, json!({ "voice.tone": format!("{phrase} {round}") }))
                        .unwrap();
                }
            });
        }
    });
    let profile = workspace.read(&ProfileName::default()).unwrap();
    assert_eq!(profile.version(), 3 + 20);
    let log = profile.value()["changelog"].as_array().unwrap();
    let versions: Vec<_> = log.iter().map(|entry| entry["version"].as_u64().unwrap()).collect();
    assert_eq!(versions, (1..=23).collect::<Vec<_>>());
}

#[test]
fn gp_07_a_refused_change_leaves_the_file_alone() {
    let (_dir, workspace) = workspace();
    let path = workspace.profile_file(&ProfileName::default());
    let before = fs::read(&path).unwrap();
    assert!(update(&workspace, json!({ "voice.tone": "ok", "voice.hooks": [] })).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
}

/// The child: writes until it is killed, and says so once it has begun.
#[test]
fn a_writer_that_never_stops() {
    #[expect(clippy::disallowed_methods, reason = "this is how the test reaches its child")]
    let Ok(root) = std::env::var(WRITE_FOREVER) else { return };
    let workspace = Workspace::new(root);
    for round in 0_u64.. {
        let long = "слово ".repeat(2_000);
        update(&workspace, json!({ "voice.personality": format!("{long}{round}") })).unwrap();
        println!("wrote {round}");
    }
}

#[test]
fn gp_07_a_crash_in_the_middle_leaves_a_whole_file() {
    let (dir, workspace) = workspace();
    for kills in 1..=5_u64 {
        #[expect(clippy::disallowed_methods, reason = "the child must be killed in the middle")]
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "workspace::tests::a_writer_that_never_stops", "--nocapture"])
            .env(WRITE_FOREVER, dir.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let wrote = lines.map_while(Result::ok).filter(|line| line.contains("wrote"));
        assert!(wrote.take(kills as usize).count() > 0);
        child.kill().unwrap();
        child.wait().unwrap();
        let profile = workspace.read(&ProfileName::default()).unwrap();
        let log = profile.value()["changelog"].as_array().unwrap();
        assert_eq!(log.len() as u64, profile.version(), "each version has its line");
    }
}
