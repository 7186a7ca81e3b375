//! What counts as a file, and when a folder has too many.

use super::{FILES_MAX, count, fault, has_code};

#[test]
fn a_module_and_its_folder_count_once() {
    let check = |names: &[&str], expected| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(count(&names), expected, "{names:?}");
    };
    check(&[], 0);
    check(&["lib.rs", "plan.rs", "plan"], 2);
    check(&["data", "schema.sql"], 2);
}

#[test]
fn a_folder_of_data_is_not_counted() {
    let check = |name: &str, expected| assert_eq!(has_code(&[name.to_owned()]), expected, "{name}");
    check("forced-tool.sse", false);
    check("main.rs", true);
}

#[test]
fn an_exception_can_only_shrink() {
    let exceptions = [("crates/a/src", 25, "one file for each keyword")];
    let check = |folder, files, expected: &str| {
        let found = fault(folder, files, &exceptions).unwrap_or_default();
        assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{found}");
    };
    check("crates/b/src", FILES_MAX, "");
    check("crates/b/src", FILES_MAX + 1, "group them");
    check("crates/a/src", 25, "");
    check("crates/a/src", 26, "at most 25");
    check("crates/a/src", 24, "lower it");
}
