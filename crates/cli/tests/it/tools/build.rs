//! TK-04, TK-06 and the all-or-nothing build.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::program::{command, copy_tree, repository, run, run_with};
use crate::support::tool_tree::base;

fn tools(names: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    names.iter().for_each(|name| write_tool(dir.path(), name));
    dir
}

fn write_tool(root: &Path, name: &str) {
    let folder = root.join("tools").join(name);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in base(&name.replace('-', "_")) {
        fs::write(folder.join(file), text).unwrap();
    }
}

fn registry(root: &Path) -> Value {
    let build = run(root, &["build"]);
    assert_eq!(build.code, 0, "{build:?}");
    let text = fs::read_to_string(root.join("tools/tool_registry.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The registry without what may differ: time and commit.
fn content(root: &Path) -> String {
    let mut registry = registry(root);
    registry.as_object_mut().unwrap().remove("buildTimestamp").unwrap();
    registry.as_object_mut().unwrap().remove("gitCommit").unwrap();
    registry.to_string()
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from} is not in {}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn the_registry_has_what_the_guide_describes() {
    let dir = tools(&["note-add"]);
    let registry = registry(dir.path());
    let version = registry["version"].as_str().unwrap();
    assert!(version.strip_prefix("1.0.").is_some_and(|hex| hex.len() == 8), "{version}");
    assert_eq!(registry["gitCommit"], "unknown");
    let tool = &registry["tools"][0];
    for field in [
        "toolId",
        "version",
        "category",
        "description",
        "sideEffects",
        "idempotent",
        "requiresConfirmation",
        "allowedModes",
        "latencyBudgetMs",
        "jsonSchema",
        "summary",
        "documentation",
        "handlerPath",
        "providerSchemas",
    ] {
        assert!(tool.get(field).is_some(), "{field} is missing");
    }
    assert_eq!(tool["handlerPath"], "note-add/handler.js");
    assert_eq!(tool["jsonSchema"]["required"][0], "text");
}

/// TK-04
#[test]
fn tk_04_order_keys_line_ends_and_marks_do_not_change_the_bytes() {
    let names = ["note-add", "mail-send", "clock"];
    let plain = tools(&names);
    let other = tools(&["clock", "mail-send", "note-add"]);
    for name in names {
        for file in ["schema.json", "doc_summary.md", "doc.md", "handler.js"] {
            let path = other.path().join("tools").join(name).join(file);
            let mut text = fs::read_to_string(&path).unwrap();
            if file == "schema.json" {
                let value: Value = serde_json::from_str(&text).unwrap();
                text = serde_json::to_string_pretty(&reversed(value, Names::Kept)).unwrap();
            }
            fs::write(path, format!("\u{feff}{}", text.replace('\n', "\r\n"))).unwrap();
        }
    }
    assert_eq!(content(plain.path()), content(other.path()));
    assert_eq!(content(plain.path()), content(plain.path()));
}

/// TK-04: the order of optional properties reaches the model, and changes no version.
#[test]
fn tk_04_properties_keep_their_order_and_it_changes_no_version() {
    let order = |dir: &Path| {
        let registry = registry(dir);
        let properties = registry["tools"][0]["jsonSchema"]["properties"].as_object().unwrap();
        let names: Vec<String> = properties.keys().cloned().collect();
        let sent = &registry["tools"][0]["providerSchemas"]["openai"]["function"]["parameters"];
        let sent: Vec<String> = sent["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, sent);
        (registry["version"].clone(), names)
    };
    let dir = tools(&["note-add"]);
    let path = dir.path().join("tools/note-add/schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    for name in ["city", "n", "a"] {
        schema["parameters"]["properties"][name] =
            serde_json::json!({ "type": "string", "description": "Where it was written." });
    }
    fs::write(&path, schema.to_string()).unwrap();
    let (version, names) = order(dir.path());
    assert_eq!(names[names.len() - 3..], ["city", "n", "a"]);
    fs::write(&path, reversed(schema, Names::Reversed).to_string()).unwrap();
    let (again, names) = order(dir.path());
    assert_eq!((again, names[names.len() - 3..].join(" ").as_str()), (version, "a n city"));
}

/// Whether the names under `properties` change their order too.
#[derive(Clone, Copy, PartialEq)]
enum Names {
    Kept,
    Reversed,
}

/// The same JSON with every object's keys the other way round.
fn reversed(value: Value, names: Names) -> Value {
    let each = |(key, value): (String, Value)| match value {
        Value::Object(map) if key == "properties" && names == Names::Kept => {
            let kept = map.into_iter().map(|(name, value)| (name, reversed(value, names)));
            (key, Value::Object(kept.collect()))
        }
        value => (key, reversed(value, names)),
    };
    match value {
        Value::Object(map) => {
            let entries: Vec<_> = map.into_iter().collect();
            Value::Object(entries.into_iter().rev().map(each).collect())
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| reversed(item, names)).collect())
        }
        other => other,
    }
}

/// TK-04
#[test]
fn tk_04_any_change_of_schema_or_summary_changes_the_version_and_no_other_does() {
    let dir = tools(&["note-add"]);
    let folder = dir.path().join("tools/note-add");
    let version = |dir: &Path| registry(dir)["version"].as_str().unwrap().to_owned();
    let mut seen = vec![version(dir.path())];
    let mut changes = |file: &str, from: &str, to: &str| {
        edit(&folder.join(file), from, to);
        let now = version(dir.path());
        assert!(!seen.contains(&now), "{from} → {to} left the version at {now}");
        seen.push(now);
    };
    changes("schema.json", "notebook.", "notebook!");
    changes("schema.json", "500 }", "501 }");
    changes("schema.json", "\"latencyBudgetMs\": 500", "\"latencyBudgetMs\": 501");
    changes("schema.json", "1.0.0", "1.0.1");
    changes("schema.json", "write down.", "write down");
    changes("doc_summary.md", "never invent it.", "never invent it");
    edit(&folder.join("doc.md"), "busy", "closed");
    edit(&folder.join("handler.js"), "args };", "{ ...args } };");
    assert_eq!(Some(&version(dir.path())), seen.last());
}

#[test]
fn an_empty_tree_has_the_empty_version() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("tools/_shared")).unwrap();
    assert_eq!(registry(dir.path())["version"], "1.0.00000000");
}

/// The old registry stays until a new one is complete.
#[test]
fn a_build_with_errors_writes_nothing() {
    let dir = tools(&["note-add", "clock"]);
    let before = registry(dir.path());
    edit(&dir.path().join("tools/clock/schema.json"), "\"action\"", "\"acton\"");
    let build = run(dir.path(), &["build"]);
    assert_eq!(build.code, 1);
    assert!(build.out.contains("did you mean `action`?"), "{}", build.out);
    assert!(build.err.contains("the registry was not written"), "{}", build.err);
    let text = fs::read_to_string(dir.path().join("tools/tool_registry.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), before);
}

/// TK-06
#[test]
fn tk_06_an_older_newer_or_damaged_registry_is_refused_with_the_way_on() {
    let dir = tools(&["note-add"]);
    let path = dir.path().join("tools/tool_registry.json");
    let note = |expected: &str| {
        let shown = run(dir.path(), &["show", "registry"]);
        assert_eq!(shown.code, 0, "{shown:?}");
        assert!(shown.err.contains(expected), "{expected} is not in {}", shown.err);
    };
    note("not built yet; run `ghosthand build`");
    registry(dir.path());
    note("built and up to date");
    edit(&path, "{\"format\":1,", "{\"format\":2,");
    note("has format 2; this program reads format 1; run `ghosthand build`");
    fs::write(&path, "{\"version\":\"1.0.0\",\"tools\":[]}").unwrap();
    note("has format 0");
    fs::write(&path, "{\"format\":1,\"tools\":[{]}").unwrap();
    note("is damaged");
    registry(dir.path());
    edit(&dir.path().join("tools/note-add/handler.js"), "args };", "1 };");
    note("older than the tools; run `ghosthand build`");
}

#[test]
fn a_build_that_is_locked_refuses_what_the_lock_does_not_know() {
    let dir = tools(&["note-add"]);
    let locked = |code: i32, expected: &str| {
        let build = run(dir.path(), &["build", "--locked"]);
        assert_eq!(build.code, code, "{build:?}");
        assert!(build.err.contains(expected), "{}", build.err);
    };
    locked(1, "no tools.lock yet");
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    locked(0, "no faults");
    edit(&dir.path().join("tools/note-add/handler.js"), "args };", "1 };");
    locked(1, "since tools.lock; `ghosthand diff` shows them");
}

#[test]
fn a_watching_build_builds_again_when_a_file_changes() {
    let dir = tools(&["note-add"]);
    let mut child = command(dir.path())
        .args(["build", "--watch", "--losses", "none"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut err = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = out.next().unwrap().unwrap();
    while !err.next().unwrap().unwrap().starts_with("watching tools") {}
    edit(&dir.path().join("tools/note-add/doc_summary.md"), "invent it", "make it up");
    let second = out.next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(first.starts_with("1 tool 1.0.") && second.starts_with("1 tool 1.0."), "{second}");
    assert_ne!(first, second);
}

#[test]
fn the_commit_is_recorded_where_there_is_one() {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&repository().join("tools/validate-email"), &dir.path().join("tools/validate-email"));
    copy_tree(&repository().join("tools/_shared"), &dir.path().join("tools/_shared"));
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
        assert!(git.current_dir(dir.path()).output().unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "x"]);
    let commit = registry(dir.path())["gitCommit"].as_str().unwrap().to_owned();
    assert!(commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{commit}");
}

#[test]
fn the_same_files_are_the_same_bytes_and_the_time_can_be_fixed() {
    let bytes = |dir: &Path, epoch: Option<&str>| {
        let mut build = command(dir);
        build.arg("build").env_remove("SOURCE_DATE_EPOCH");
        if let Some(epoch) = epoch {
            build.env("SOURCE_DATE_EPOCH", epoch);
        }
        let ran = run_with(&mut build);
        (ran.code, ran.err, fs::read(dir.join("tools/tool_registry.json")).unwrap_or_default())
    };
    let (one, other) = (tools(&["note-add"]), tools(&["note-add"]));
    let (_, _, fixed) = bytes(one.path(), Some("1700000000"));
    assert_eq!(fixed, bytes(other.path(), Some("1700000000")).2);
    assert!(String::from_utf8_lossy(&fixed).contains("2023-11-14T22:13:20Z"));
    // Without a fixed time a build of the same files leaves the file as it is.
    assert_eq!(fixed, bytes(one.path(), None).2);
    edit(&one.path().join("tools/note-add/doc_summary.md"), "Add a note", "Keep a note");
    let changed = bytes(one.path(), None).2;
    assert_ne!(fixed, changed);
    assert!(!String::from_utf8_lossy(&changed).contains("2023-11-14T22:13:20Z"));
    let (code, said, _) = bytes(one.path(), Some("yesterday"));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("$SOURCE_DATE_EPOCH is `yesterday`"), "{said}");
}
