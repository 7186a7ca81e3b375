//! Where a command works: `tools.dir` everywhere, and the project around the current folder.

use std::fs;
use std::path::Path;

use crate::support::program::{Run, command, run, run_with};

/// A project whose tools are in `src/hands`.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("ghosthand.toml"), "[tools]\ndir = \"src/hands\"\n").unwrap();
    let made = run(dir.path(), &["new", "good"]);
    assert_eq!((made.code, made.out.as_str()), (0, "src/hands/good\n"), "{made:?}");
    dir
}

const COMMANDS: [&[&str]; 12] = [
    &["check"],
    &["build", "--losses", "none"],
    &["lock"],
    &["diff"],
    &["test"],
    &["test", "good"],
    &["show", "registry"],
    &["show", "tool", "good"],
    &["show", "cost"],
    &["show", "openapi"],
    &["tools", "list"],
    &["call", "good", r#"{"text": "one"}"#],
];

#[test]
fn every_command_obeys_the_setting() {
    let dir = project();
    for args in COMMANDS {
        let found = run(dir.path(), args);
        assert_eq!(found.code, 0, "{args:?}: {found:?}");
    }
    assert!(dir.path().join("src/hands/tools.lock").exists());
    assert!(!dir.path().join("tools").exists());
    let with = run_with(command(dir.path()).arg("check").env("GHOSTHAND_TOOLS_DIR", "elsewhere"));
    assert!(with.err.contains("there is no directory `elsewhere`"), "{with:?}");
}

#[test]
fn a_command_finds_the_project_around_it_and_says_so() {
    let dir = project();
    let root = dir.path().canonicalize().unwrap();
    let said = format!("project: {}", root.display());
    let inside = root.join("src/hands/good");
    for args in COMMANDS {
        let found = run(&inside, args);
        assert_eq!(found.code, 0, "{args:?}: {found:?}");
        let times = found.err.lines().filter(|line| *line == said).count();
        assert_eq!(times, 1, "{args:?}: {found:?}");
    }
    assert!(root.join(".ghosthand/store.db").exists());
    assert!(!inside.join(".ghosthand").exists());
    let made = run(&inside, &["new", "other"]);
    assert_eq!(made.out, "../../../src/hands/other\n", "{made:?}");
    assert!(root.join("src/hands/other/schema.json").exists());
    assert!(!run(&root, &["check"]).err.contains("project:"));
}

#[test]
fn check_takes_a_tool_from_inside_and_a_project_from_outside() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "good"]);
    run(dir.path(), &["new", "other"]);
    let good = dir.path().join("tools/good");
    let one = |found: Run| {
        assert_eq!(found.code, 0, "{found:?}");
        assert!(found.err.contains("1 tool checked: no faults"), "{found:?}");
    };
    one(run(&good, &["check", "."]));
    one(run(&good, &["check", "schema.json"]));
    one(run(dir.path(), &["check", "tools/good"]));
    one(run(dir.path(), &["check", "tools/good/handler.js"]));
    one(run(&dir.path().join("tools"), &["check", "good"]));
    for (at, path) in [("", "."), ("tools", "."), ("tools", ".."), ("tools/good", "..")] {
        let found = run(&dir.path().join(at), &["check", path]);
        assert!(found.err.contains("2 tools checked: no faults"), "{at} {path}: {found:?}");
    }
    let path = good.join("schema.json");
    let text = fs::read_to_string(&path).unwrap().replace("\"utility\"", "\"utilty\"");
    fs::write(&path, text).unwrap();
    let found = run(&good, &["check", "."]);
    assert_eq!(found.code, 1);
    assert!(found.out.contains("--> ./schema.json:5:15"), "{found:?}");
}

#[test]
fn the_store_stays_out_of_version_control() {
    let dir = tempfile::tempdir().unwrap();
    let ignored = || fs::read_to_string(dir.path().join(".gitignore")).unwrap();
    run(dir.path(), &["new", "good"]);
    assert!(ignored().lines().any(|line| line == ".ghosthand/"), "{}", ignored());
    fs::write(dir.path().join(".gitignore"), "target").unwrap();
    run(dir.path(), &["new", "other"]);
    assert!(ignored().starts_with("target\n") && ignored().ends_with("\n.ghosthand/\n"));
    let before = ignored();
    run(dir.path(), &["new", "third"]);
    assert_eq!(ignored(), before);
    let inside = dir.path().join("tools/good");
    run(&inside, &["new", "fourth"]);
    assert!(!inside.join(".gitignore").exists());
    assert!(only_files(&dir.path().join("tools")).is_empty());
}

/// Files of ours that must not appear among the tools.
fn only_files(tools: &Path) -> Vec<String> {
    let names = fs::read_dir(tools).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.starts_with('.')).collect()
}
