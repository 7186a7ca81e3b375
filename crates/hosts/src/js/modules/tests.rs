//! Imports that are found, and imports that would leave the tools directory.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// A tools directory inside a larger one that contains a secret.
fn tools() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let tools = outer.path().join("tools");
    fs::create_dir_all(tools.join("one")).unwrap();
    fs::create_dir_all(tools.join("_shared")).unwrap();
    fs::write(outer.path().join("secret.js"), "export const secret = 1;").unwrap();
    fs::write(tools.join("one/handler.js"), "handler").unwrap();
    fs::write(tools.join("one/notes.txt"), "notes").unwrap();
    fs::write(tools.join("_shared/help.js"), "help").unwrap();
    symlink(outer.path().join("secret.js"), tools.join("one/absolute.js")).unwrap();
    symlink("../../secret.js", tools.join("one/link.js")).unwrap();
    symlink("../..", tools.join("one/up")).unwrap();
    symlink("../_shared/help.js", tools.join("one/near.js")).unwrap();
    (outer, tools)
}

#[track_caller]
fn check(specifier: &str, expected: Result<(&str, Option<&str>), &str>) {
    let (_outer, tools) = tools();
    let handler = HandlerCache::default().handler(&tools, "one/handler.js").unwrap();
    let found = handler.import("one/handler.js", specifier);
    let expected = expected
        .map(|(name, source)| (name.to_owned(), source.map(str::to_owned)))
        .map_err(|because| format!("one/handler.js imports `{specifier}`, {because}"));
    assert_eq!(found, expected);
}

#[test]
fn imports_lead_to_files_below_the_tools_directory() {
    check("../_shared/help.js", Ok(("_shared/help.js", Some("help"))));
    check("./../_shared/./help.js", Ok(("_shared/help.js", Some("help"))));
    check("./near.js", Ok(("one/near.js", Some("help"))));
    check("../_core/error-types.js", Ok(("_core/error-types.js", None)));
}

#[test]
fn imports_never_leave_the_tools_directory() {
    let leaves = Err("which leaves the tools directory");
    let relative = Err("but only `./…` and `../…` below the tools directory can be imported");
    check("../../secret.js", leaves);
    check("../../../../../../etc/passwd", leaves);
    check("./\\..\\secret.js", leaves);
    check("/etc/passwd", relative);
    check("fs", relative);
    check("node:fs", relative);
    check("https://example.org/x.js", relative);
    check("file:///etc/passwd", relative);
    check("./absolute.js", Err("but one/absolute.js leaves the tools directory"));
    check("./link.js", Err("but one/link.js leaves the tools directory"));
    check("./up/secret.js", Err("but one/up/secret.js leaves the tools directory"));
    check("./notes.txt", Err("which is not a `.js` file"));
    check("./nothing.js", Err("but there is no file one/nothing.js"));
}

#[test]
fn a_changed_file_gets_a_new_number_and_versions_are_never_mixed() {
    let (_outer, tools) = tools();
    let cache = HandlerCache::default();
    let first = cache.handler(&tools, "one/handler.js").unwrap();
    assert_eq!(cache.handler(&tools, "one/handler.js").unwrap().number, first.number);

    first.import("one/handler.js", "../_shared/help.js").unwrap();
    fs::write(tools.join("_shared/help.js"), "other help").unwrap();
    let second = cache.handler(&tools, "one/handler.js").unwrap();
    assert_ne!(second.number, first.number);
    let mixed = first.import("one/handler.js", "../_shared/help.js").unwrap_err();
    assert!(mixed.contains("has just changed"), "{mixed}");
}

#[test]
fn a_missing_handler_is_reported_at_once() {
    let (_outer, tools) = tools();
    let fault = |file| HandlerCache::default().handler(&tools, file).err().unwrap();
    assert_eq!(fault("two/handler.js"), "but there is no file two/handler.js");
    assert_eq!(fault("../secret.js"), "which leaves the tools directory");
    assert_eq!(fault("/etc/passwd"), "which leaves the tools directory");
}
