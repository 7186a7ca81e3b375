//! Paths inside the project, and paths that would leave it.

use super::*;

/// `read`, `write`: what the path allows below these roots.
#[track_caller]
fn check(path: &str, expected: &str) {
    let roots: Vec<FileRoot> = [
        "kb",
        "data/notes/",
        "tools",
        ".config/app",
        "ghosthand.toml",
        "a.db",
        "prompts",
        "mcp.lock",
        "python.lock",
        "rules.toml",
        "resources.toml",
    ]
    .iter()
    .map(|root| root.parse().unwrap())
    .collect();
    let judged = ProjectPath::parse(path).map(|path| {
        let may = |access| path.check(&roots, access).is_ok();
        match (may(Access::Read), may(Access::Write)) {
            (true, true) => "read, write",
            (true, false) => "read",
            (false, false) => "nothing",
            (false, true) => "write without read",
        }
    });
    assert_eq!(judged.unwrap_or("no path"), expected, "{path:?}");
}

#[test]
fn a_path_stays_below_a_declared_root() {
    check("kb/person/ada.md", "read, write");
    check("kb", "read, write");
    check("kb/", "read, write");
    check("data/notes/a b.txt", "read, write");
    check("data/notes", "read, write");
    check("data", "nothing");
    check("data/other", "nothing");
    check("kbx/a", "nothing");
    check("KB/a", "nothing");
    check("Cargo.toml", "nothing");
}

#[test]
fn a_path_that_leaves_the_root_is_refused() {
    for path in [
        "",
        "/",
        "/etc/passwd",
        "//kb/a",
        ".",
        "..",
        "../kb/a",
        "kb/..",
        "kb/../tools/a",
        "kb/./a",
        "kb//a",
        "kb/a//",
        "kb\\..\\a",
        "kb/..\\a",
        "C:/kb/a",
        "kb/a:stream",
        "kb/a\0b",
        "kb/a\nb",
        "kb/a.",
        "kb/a ",
        "kb/...",
        "kb/.. ",
    ] {
        check(path, "no path");
    }
    check(&format!("kb/{}", "x".repeat(256)), "no path");
    check(&format!("kb{}", "/x".repeat(32)), "no path");
    check(&format!("kb/{}", "x/".repeat(600)), "no path");
    check("kb/%2e%2e/a", "read, write"); // an ordinary name: it is not decoded
}

#[test]
fn the_programs_own_files_are_out_of_reach() {
    check("tools/kb-search/handler.js", "read");
    check("tools", "read");
    check("Tools/a", "nothing"); // declared in lower case
    check("kb/tools/a.md", "read, write");
    check("kb/tools.lock", "read");
    check("kb/tool_registry.json", "read");
    for name in ["mcp.lock", "python.lock", "rules.toml", "resources.toml"] {
        check(name, "read");
        check(&format!("kb/{}", name.to_uppercase()), "read");
    }
    check("prompts/greet.md", "read");
    check("kb/prompts/greet.md", "read, write");
    check("ghosthand.toml", "nothing");
    check("kb/GhostHand.toml", "nothing");
    check("a.db", "nothing");
    check("kb/store.DB", "nothing");
    check("kb/store.db-wal", "nothing");
    check("kb/.git/config", "nothing");
    check("kb/.env", "nothing");
    check("kb/.hidden/a", "nothing");
    check(".config/app/a.toml", "read");
    check(".config/app/.token", "nothing");
    check(".git/config", "nothing");
}
