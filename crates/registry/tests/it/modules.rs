//! Trees with modules: what is found, what is ignored, what is reported.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use registry::{Build, Lock, diff, read_tools_with};
use tempfile::TempDir;

use crate::python_reader::PythonReader;

/// A module with one tool of this name and these further keys.
fn module(name: &str, keys: &str) -> String {
    format!(
        "async def run():\n    return 1\n\n\nTOOLS = [\n    {{\n        \"function\": run,\n        \
         \"schema\": {{\"name\": \"{name}\", \"description\": \"Does it.\"}},\n        {keys}\n    }}\n]\n"
    )
}

fn tree(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn read(dir: &Path) -> Build {
    read_tools_with(dir, &BTreeSet::new(), &PythonReader { environments: true }).unwrap()
}

fn ids(build: &Build) -> Vec<String> {
    build.registry.tools().map(|tool| tool.contract.tool_id.to_string()).collect()
}

/// Every fault as `file:line code what`.
fn faults(build: &Build, dir: &Path) -> Vec<String> {
    let root = format!("{}/", dir.display());
    let line = |fault: &registry::Fault| {
        let place = fault.place.file.replace(&root, "");
        format!("{place}:{} {} {}", fault.place.line, fault.code, fault.what)
    };
    build.faults.iter().map(line).collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let dir = tree(files);
    assert_eq!(faults(&read(dir.path()), dir.path()), expected);
}

#[test]
fn modules_are_found_below_folders_and_other_files_are_ignored() {
    let tool = module("it", "");
    let dir = tree(&[
        ("top.py", &tool),
        ("core/inner/deep.py", &tool),
        ("core/__init__.py", "raise SystemExit"),
        ("core/helper.py", "raise SystemExit('a helper is never imported')"),
        ("core/_private.py", &tool),
        ("core/_off/x.py", &tool),
        ("core/.hidden.py", &tool),
        ("_shared/x.py", &tool),
        ("core/venv/pyvenv.cfg", ""),
        ("core/venv/lib/x.py", &tool),
    ]);
    let build = read(dir.path());
    assert_eq!(faults(&build, dir.path()), [""; 0]);
    assert_eq!(ids(&build), ["core.inner.deep.it", "top.it"]);
    assert_eq!(build.looked_at, 2);
}

#[test]
fn a_directory_with_a_contract_is_not_a_folder_of_modules() {
    let tool = module("it", "");
    check(
        &[("note-add/schema.json", "{"), ("note-add/other.py", &tool)],
        &[
            "note-add:0 T001 `doc.md` is missing",
            "note-add:0 T001 `doc_summary.md` is missing",
            "note-add:0 T001 `handler.js` is missing",
            "note-add/schema.json:1 T004 this is not valid JSON: the file ends where a value should be",
        ],
    );
}

#[test]
fn a_broken_file_is_a_fault_with_its_line_and_the_others_load() {
    let good = module("it", "");
    let dir = tree(&[
        ("good.py", &good),
        ("syntax.py", "TOOLS = [\n  {'a':\n"),
        ("error.py", "x = 1\ny = x / 0\nTOOLS = []\n"),
        ("quits.py", "import sys\nTOOLS = []\nsys.exit(3)\n"),
    ]);
    let build = read(dir.path());
    assert_eq!(
        faults(&build, dir.path()),
        [
            "error.py:2 T090 the module cannot be imported: ZeroDivisionError: division by zero",
            "quits.py:3 T090 the module cannot be imported: SystemExit: 3",
            "syntax.py:2 T090 the module cannot be imported: SyntaxError: '{' was never closed",
        ]
    );
    assert_eq!(ids(&build), ["good.it"]);
    let left_out = build.registry.excluded();
    let left_out: Vec<_> = left_out.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(left_out, ["error.py", "quits.py", "syntax.py"]);
    assert_eq!(build.looked_at, 4);
}

#[test]
fn settings_of_an_item_override_its_table_and_the_table_the_defaults() {
    let item = module("one", "\"category\": \"utility\"");
    let plain = module("two", "");
    let settings = "[defaults]\nallowed_modes = [\"text\", \"voice\"]\nversion = \"2.0.0\"\n\
                    [one]\ncategory = \"retrieval\"\nversion = \"3.0.0\"\n\
                    [two]\nside_effects = \"read_only\"\ncapabilities = { net = [\"api.example.com\"] }\n";
    let dir = tree(&[("a.py", &item), ("b.py", &plain), ("tools.toml", settings)]);
    let build = read(dir.path());
    assert_eq!(faults(&build, dir.path()), [""; 0]);
    let one = &build.registry.get("a.one").unwrap().contract;
    assert_eq!((one.category.as_str(), one.side_effects.as_str()), ("utility", "none"));
    assert_eq!((one.version.to_string(), one.allowed_modes.len()), ("3.0.0".to_owned(), 2));
    let two = &build.registry.get("b.two").unwrap().contract;
    assert_eq!(
        (two.side_effects.as_str(), two.version.to_string()),
        ("read_only", "2.0.0".to_owned())
    );
    assert!(!two.requires_confirmation, "it only reads");
}

/// A third-party file cannot remove an approval that the operator requires.
#[test]
fn the_operator_decides_about_approval() {
    let asks = |item: &str, settings: &str| {
        let dir = tree(&[("a.py", &module("it", item)), ("tools.toml", settings)]);
        let build = read(dir.path());
        assert_eq!(faults(&build, dir.path()), [""; 0]);
        build.registry.get("a.it").unwrap().contract.requires_confirmation
    };
    let (yes, no) = ("\"requires_confirmation\": True, ", "\"requires_confirmation\": False, ");
    let (on, off) = ("requires_confirmation = true\n", "requires_confirmation = false\n");
    assert!(asks(no, &format!("[it]\n{on}")));
    assert!(!asks(yes, &format!("[it]\n{off}")));
    assert!(asks(no, &format!("[defaults]\n{on}")));
    assert!(asks(yes, &format!("[defaults]\n{off}")));
    assert!(!asks(no, "") && asks(yes, ""));
    assert!(!asks("", &format!("[defaults]\n{on}[it]\n{off}")));
}

#[test]
fn tools_that_can_change_something_outside_need_approval() {
    let asks = |keys: &str| {
        let dir = tree(&[(
            "a.py",
            &format!("from services.kv_store_service import kv_store\n{}", module("it", keys)),
        )]);
        let build = read(dir.path());
        assert_eq!(faults(&build, dir.path()), [""; 0]);
        let contract = build.registry.get("a.it").unwrap().contract.clone();
        (contract.requires_confirmation, contract.capabilities.kv.len())
    };
    assert_eq!(asks(""), (false, 1));
    assert_eq!(asks("\"capabilities\": {\"net\": [\"api.example.com\"]}"), (true, 1));
    assert_eq!(asks("\"capabilities\": {\"files\": [\"data\"], \"kv\": []}"), (true, 0));
    assert_eq!(
        asks("\"capabilities\": {\"net\": [\"a.b\"]}, \"side_effects\": \"read_only\""),
        (false, 1)
    );
    assert_eq!(
        asks("\"capabilities\": {\"net\": [\"a.b\"]}, \"requires_confirmation\": False"),
        (false, 1)
    );
    assert_eq!(asks("\"side_effects\": \"none\""), (false, 0));
}

#[test]
fn faults_of_the_contract_are_shown_where_the_author_wrote_it() {
    let wrong =
        module("it", "\"side_effects\": \"writing\",\n        \"latency_budget_ms\": \"fast\"");
    check(
        &[("a.py", &wrong)],
        &[
            "a.py:9 T016 `side_effects`: `writing` is not one of `none`, `read_only`, `writes`",
            "a.py:10 T012 `latency_budget_ms` is a string, but must be a whole number",
        ],
    );
    let settings = "[it]\ncategory = \"retrieval\"\nidempotent = false\n";
    check(
        &[("a.py", &module("it", "")), ("tools.toml", settings)],
        &["tools.toml:3 T030 a retrieval tool must be idempotent"],
    );
}

#[test]
fn the_order_is_by_file_and_then_by_item() {
    let two = "async def f():\n    pass\n\n\nTOOLS = [{\"function\": f, \"auto_tool\": True, \
               \"schema\": {\"name\": n, \"description\": n}} for n in [\"zeta\", \"alpha\"]]\n";
    let dir = tree(&[("b.py", two), ("a.py", two)]);
    let build = read(dir.path());
    assert_eq!(faults(&build, dir.path()), [""; 0]);
    let order = build.registry.in_order();
    let order: Vec<_> = order.iter().map(|tool| tool.contract.tool_id.as_str()).collect();
    assert_eq!(order, ["a.zeta", "a.alpha", "b.zeta", "b.alpha"]);
}

#[test]
fn two_spellings_of_one_id_are_a_fault() {
    let tool = module("it", "");
    let dir = tree(&[("my-tool.py", &tool), ("my_tool.py", &tool)]);
    let build = read(dir.path());
    assert_eq!(
        faults(&build, dir.path()),
        [
            "my-tool.py:8 T095 `my-tool.it` has the id `my_tool.it`",
            "my_tool.py:8 T092 `my_tool.it` is also the id of `my-tool.py#it`",
        ]
    );
    assert_eq!(ids(&build), ["my_tool.it"]);
}

#[test]
fn a_file_whose_packages_are_missing_is_not_imported() {
    let dir = tree(&[
        ("core/requirements.txt", "# for the web\nhttpx>=0.27  # newest\n"),
        ("core/a.py", "TOOLS = nonsense"),
        ("b.py", &module("it", "")),
    ]);
    let reader = PythonReader { environments: false };
    let build = read_tools_with(dir.path(), &BTreeSet::new(), &reader).unwrap();
    assert_eq!(
        faults(&build, dir.path()),
        ["core/requirements.txt:0 T100 the packages it needs are not installed: `httpx>=0.27`"]
    );
    assert_eq!(ids(&build), ["b.it"]);
    assert_eq!(build.environments[0].requirements, ["httpx>=0.27"]);
}

#[test]
fn changes_of_code_features_forms_and_shared_helpers_are_reported() {
    let before = module("it", "");
    let dir = tree(&[("a.py", &before), ("helper.py", "x = 1")]);
    let lock = Lock::of(&read(dir.path()).registry);
    let changes = || -> Vec<String> {
        diff(&lock, &read(dir.path()).registry).into_iter().map(|change| change.sentence).collect()
    };
    assert_eq!(changes(), [""; 0]);
    fs::write(dir.path().join("helper.py"), "x = 2").unwrap();
    assert_eq!(changes(), ["the code that tools share (`_` folders) changed; no tool loads it"]);
    fs::write(dir.path().join("helper.py"), "x = 1").unwrap();
    let after = module("it", "\"report_status\": run, \"ui_feature\": {\"id\": \"x\"}");
    fs::write(dir.path().join("a.py"), after).unwrap();
    assert_eq!(
        changes(),
        ["`a.it` now reports a status", "`a.it`: the form changed", "`a.it`: the handler changed",]
    );
}
