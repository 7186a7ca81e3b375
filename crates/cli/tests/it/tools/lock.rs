//! `lock` and `diff`: a change is told in plain words, and a broken lock is not guessed at.

use std::fs;

use serde_json::Value;

use crate::support::program::{copy_tree, repository, run};

fn samples() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&repository().join("tools"), &dir.path().join("tools"));
    dir
}

#[test]
fn a_wider_reach_and_a_harder_argument_are_said() {
    let dir = samples();
    assert_eq!(run(dir.path(), &["diff"]).code, 0);
    let path = dir.path().join("tools/ignore-user/schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    schema["capabilities"]["net"] = serde_json::json!(["api.example.com"]);
    schema["parameters"]["properties"]["duration_seconds"]["maximum"] = 90_000.into();
    fs::write(&path, schema.to_string()).unwrap();
    let found = run(dir.path(), &["diff"]);
    assert_eq!(found.code, 1);
    assert_eq!(
        found.out,
        "ignore_user\n\
         \x20 + `ignore_user` may now reach `api.example.com`\n\
         \x20 + `ignore_user`: the argument `duration_seconds`: `maximum` raised from 86400 to 90000\n\
         \x20   `ignore_user` still says version 1.0.0; give it a new one\n"
    );
    let checked = run(dir.path(), &["check"]);
    let place = "--> tools/ignore-user/schema.json";
    assert_eq!(checked.out.matches(place).count(), 2, "the file that changed: {checked:?}");
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    assert_eq!(run(dir.path(), &["diff"]).out, "");
    for (file, more) in
        [("doc_summary.md", "More."), ("doc.md", "More."), ("handler.js", "// More.")]
    {
        let path = dir.path().join("tools/ignore-user").join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{text}\n{more}\n")).unwrap();
        let checked = run(dir.path(), &["check"]);
        assert!(checked.out.contains(&format!("--> tools/ignore-user/{file}")), "{checked:?}");
        fs::write(&path, text).unwrap();
    }
}

#[test]
fn what_changed_since_the_lock_is_told_and_does_not_run() {
    let dir = samples();
    copy_tree(&repository().join("kb"), &dir.path().join("kb"));
    let call = ["call", "kb_search", "{\"query\": \"clock\"}"];
    let chat = ["chat", "search the knowledge base for clock"];
    for args in [&call[..], &chat[..]] {
        let before = run(dir.path(), args);
        assert!(!before.err.contains("since tools.lock"), "{}", before.err);
    }
    for tool in ["kb-search", "kb-get"] {
        let handler = dir.path().join("tools").join(tool).join("handler.js");
        let text = fs::read_to_string(&handler).unwrap();
        fs::write(&handler, format!("{text}\n// changed\n")).unwrap();
    }
    let called = run(dir.path(), &call);
    assert_eq!((called.code, called.out.as_str()), (1, ""), "{called:?}");
    let what = "not as in tools.lock: `kb_search`: the handler changed";
    assert!(called.err.contains(what), "{}", called.err);
    assert!(called.err.contains("`ghosthand lock` accepts it"), "{}", called.err);
    assert!(!called.err.contains("kb_get"), "{}", called.err);
    let chatted = run(dir.path(), &chat);
    for tool in ["kb_search", "kb_get"] {
        let told = format!("left out: {tool}: tools/{}/handler.js: ", tool.replace('_', "-"));
        assert!(chatted.err.contains(&told), "{}", chatted.err);
    }
    let checked = run(dir.path(), &["check"]);
    assert_eq!(checked.out.matches("warning[T087]").count(), 2, "{}", checked.out);
    // An operator who says so runs what is there, and is still told.
    let setting = dir.path().join("ghosthand.toml");
    fs::write(&setting, "[tools]\nchanged = \"run\"\n").unwrap();
    let called = run(dir.path(), &call);
    assert_eq!(called.code, 0, "{}", called.err);
    assert!(called.err.contains("since tools.lock:\nkb_search\n"), "{}", called.err);
    fs::remove_file(&setting).unwrap();
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    assert_eq!(run(dir.path(), &call).code, 0);
    fs::write(dir.path().join("tools/tools.lock"), "{").unwrap();
    let called = run(dir.path(), &call);
    assert_eq!(called.code, 1, "{}", called.err);
    assert!(called.err.contains("the lock file `tools/tools.lock` is damaged"), "{}", called.err);
}

#[test]
fn a_tool_that_was_never_locked_waits_where_others_were() {
    let dir = samples();
    assert_eq!(run(dir.path(), &["new", "intruder"]).code, 0);
    let called = run(dir.path(), &["call", "intruder", "{}"]);
    assert_eq!(called.code, 1, "{called:?}");
    assert!(called.err.contains("`intruder` is new"), "{}", called.err);
}

#[test]
fn shared_code_and_files_beside_the_handler_count() {
    let dir = samples();
    let shared = dir.path().join("tools/_shared/refusal.js");
    let text = fs::read_to_string(&shared).unwrap();
    fs::write(&shared, format!("{text}\n// changed\n")).unwrap();
    let found = run(dir.path(), &["diff"]);
    let told = "code that tools share changed: `_shared/refusal.js`; ";
    assert!(found.out.contains(told), "{}", found.out);
    fs::write(&shared, text).unwrap();
    fs::write(dir.path().join("tools/kb-get/helper.js"), "export const x = 1;").unwrap();
    let found = run(dir.path(), &["diff"]);
    assert!(found.out.contains("`kb_get`: the handler changed"), "{}", found.out);
}

#[test]
fn a_lock_that_cannot_be_read_is_an_error_and_stays_as_it_is() {
    let dir = samples();
    let path = dir.path().join("tools/tools.lock");
    for (content, expected) in [
        ("{", "is damaged"),
        ("{\"format\": 9}", "has format 9; this program reads format 1"),
        ("{\"format\": 1, \"x\": 1}", "is damaged"),
    ] {
        fs::write(&path, content).unwrap();
        let found = run(dir.path(), &["diff"]);
        assert_eq!(found.code, 1, "{found:?}");
        assert!(found.err.contains(expected) && found.err.contains("fix:"), "{}", found.err);
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    fs::remove_file(&path).unwrap();
    let found = run(dir.path(), &["diff"]);
    assert!(found.err.contains("create it with `ghosthand lock`"), "{}", found.err);
}
