//! TK-01: what `new` writes passes every check as it is.

use std::fs;

use crate::support::program::{command, run, run_with};

/// TK-01
#[test]
fn tk_01_every_template_in_every_language_checks_tests_and_builds() {
    let dir = tempfile::tempdir().unwrap();
    for template in ["retrieval", "action", "utility"] {
        for lang in ["js", "py"] {
            let name = format!("my-{template}-{lang}");
            let made = run(dir.path(), &["new", &name, "--template", template, "--lang", lang]);
            assert_eq!((made.code, made.out), (0, format!("tools/{name}\n")), "{}", made.err);
        }
    }
    let check = run(dir.path(), &["check", "--deny-warnings"]);
    assert_eq!((check.code, check.out.as_str()), (0, ""), "{}", check.err);
    assert_eq!(run(dir.path(), &["test"]).code, 0);
    assert_eq!(run(dir.path(), &["build"]).code, 0);
    let files = fs::read_dir(dir.path().join("tools/my-action-py")).unwrap().count();
    assert_eq!(files, 4);
    let left = fs::read_dir(dir.path().join("tools")).unwrap();
    let hidden =
        left.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0, "a draft was left behind");
}

#[test]
fn a_name_that_cannot_be_is_refused_with_one_that_can() {
    let dir = tempfile::tempdir().unwrap();
    let check = |name: &str, expected: &str| {
        let found = run(dir.path(), &["new", name]);
        assert_eq!(found.code, 2, "{found:?}");
        assert!(found.err.contains(expected), "{}", found.err);
    };
    check("Send Mail", "as in `ghosthand new send-mail`");
    check("a.b", "as in `ghosthand new a-b`");
    check("../up", "as in `ghosthand new up`");
    check("9 lives", "as in `ghosthand new lives`");
    check("", "as in `ghosthand new note-add`");
    check(&"x".repeat(65), "at most 64");
    assert!(!dir.path().join("tools").exists());
}

#[test]
fn nothing_is_overwritten() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "note-add"]).code, 0);
    fs::write(dir.path().join("tools/note-add/doc.md"), "mine").unwrap();
    for name in ["note-add", "note_add"] {
        let again = run(dir.path(), &["new", name]);
        assert_eq!(again.code, 1);
        assert!(again.err.contains("`tools/note-add` already exists"), "{}", again.err);
    }
    assert_eq!(fs::read_to_string(dir.path().join("tools/note-add/doc.md")).unwrap(), "mine");
}

#[test]
fn another_directory_is_named_in_the_advice() {
    let dir = tempfile::tempdir().unwrap();
    let made = run_with(command(dir.path()).args(["new", "clock", "--dir", "my/tools"]));
    assert_eq!(made.out, "my/tools/clock\n");
    assert_eq!(made.err, "next: ghosthand check my/tools\n");
}
