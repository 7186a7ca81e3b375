//! Every fault code has a page whose bad tree gives exactly its report, and whose good
//! tree gives none. `cargo xtask goldens` rewrites the reports.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use registry::read_tools_with;

use crate::python_reader::PythonReader;
use crate::render;
use crate::support::program::{Run, repository, run};
use crate::support::tool_tree::{Fence, fences, is_of_modules, write};

fn pages() -> Vec<PathBuf> {
    let folder = repository().join("crates/registry/goldens");
    let mut pages: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages
}

/// TK-02 and TK-03: the report names file, place and rule, all faults at once, exit code 1.
#[test]
fn tk_02_goldens_bad_trees_give_exactly_their_report() {
    let mut wrong = Vec::new();
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let all = fences(&page, "Bad");
        let (report, files): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|fence| fence.target == "report");
        let dir = tempfile::tempdir().unwrap();
        write(&files, dir.path());
        let found = check(dir.path(), &files);
        assert!(found.code <= 1, "{name}: {found:?}");
        let printed = found.out.trim_end().to_owned() + "\n";
        assert_eq!(found.code, i32::from(printed.contains("error[")), "{name}: {found:?}");
        if std::env::var_os("GHOSTHAND_GOLDENS").is_some() {
            files::write_atomically(&path, with_report(&page, &printed).as_bytes()).unwrap();
        } else if report[0].body != printed {
            wrong.push(format!("{name}: expected\n{}\nfound\n{printed}", report[0].body));
        }
        if name.starts_with('T') {
            let codes = printed.matches("error[").count() + printed.matches("warning[").count();
            assert!(codes > 0, "{name} reports nothing");
            assert_eq!(printed.matches(&format!("[{name}]")).count(), codes, "{name}:\n{printed}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What `check` says. Pages with modules are read by the tests' own Python, and drawn as
/// the program draws them.
fn check(dir: &Path, files: &[Fence]) -> Run {
    if !files.iter().any(|fence| is_of_modules(&fence.target)) {
        return run(dir, &["check"]);
    }
    let reader = PythonReader { environments: false };
    let build = read_tools_with(&dir.join("tools"), &BTreeSet::new(), &reader).unwrap();
    let drawn = render::faults(&build.faults, build.looked_at, render::Format::Human);
    let out = anstream::adapter::strip_str(&drawn).to_string();
    let out = out.replace(&format!("{}/", dir.display()), "");
    Run { code: build.faults.has_errors().into(), out, err: String::new() }
}

/// The page with another report, in a fence that is longer than any inside it.
fn with_report(page: &str, report: &str) -> String {
    let lines: Vec<_> = page.lines().collect();
    let open = lines.iter().position(|line| line.ends_with("text report")).expect("a report");
    let length = lines[open].chars().take_while(|c| *c == '`').count();
    let close = lines[open + 1..].iter().position(|line| *line == "`".repeat(length));
    let close = open + 1 + close.expect("the end of the report");
    let longest = report.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(3.max(longest + 1));
    let before = lines[..open].join("\n");
    let after = lines[close + 1..].iter().map(|line| format!("\n{line}")).collect::<String>();
    format!("{before}\n{fence}text report\n{report}{fence}{after}\n")
}

#[test]
fn goldens_good_trees_give_no_fault() {
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let files = fences(&page, "Good");
        if files.is_empty() {
            assert!(path.file_stem().unwrap().to_string_lossy().starts_with("multi"), "{path:?}");
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        write(&files, dir.path());
        let found = check(dir.path(), &files);
        assert_eq!((found.code, found.out.as_str()), (0, ""), "{path:?}: {found:?}");
    }
}

#[test]
fn goldens_there_are_more_than_forty_broken_fixtures() {
    assert!(pages().len() >= 40);
}
