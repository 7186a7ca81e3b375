//! `lock` and `diff`: a change is told in plain words, and a broken lock is not guessed at.

use std::fs;

use serde_json::Value;

use crate::program::{copy_tree, repository, run};

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
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    assert_eq!(run(dir.path(), &["diff"]).out, "");
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
        ("{\"format\": 9}", "is of format 9; this program reads format 1"),
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
    assert!(found.err.contains("record the tools with `ghosthand lock`"), "{}", found.err);
}
