//! Python modules through the whole program.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::program::{copy_tree, repository, run};

fn seed() -> PathBuf {
    repository().join("crates/registry/tests/it/seed")
}

#[test]
fn a_new_module_checks_shows_tests_locks_and_builds() {
    let dir = tempfile::tempdir().unwrap();
    let made = run(dir.path(), &["new", "word-count", "--lang", "py", "--module"]);
    assert_eq!((made.code, made.out.as_str()), (0, "tools/word_count.py\n"), "{}", made.err);
    let stub = fs::read_to_string(dir.path().join("tools/ghosthand.pyi")).unwrap();
    assert!(stub.contains("class Context"), "{stub}");
    let again = run(dir.path(), &["new", "word-count", "--lang", "py"]);
    assert!(again.err.contains("`tools/word_count.py` already exists"), "{}", again.err);
    let check = run(dir.path(), &["check", "--deny-warnings"]);
    assert_eq!((check.code, check.out.as_str()), (0, ""), "{}", check.err);
    assert!(check.err.starts_with("1 tool checked: no faults"), "{}", check.err);
    let shown = run(dir.path(), &["show", "tool", "word_count"]);
    for part in
        ["word_count.word_count 1.0.0", "every key", "word_count.py#word_count", "callable, status"]
    {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    assert!(run(dir.path(), &["test"]).out.contains("no examples"));
    assert_eq!(run(dir.path(), &["build", "--losses", "none"]).code, 0);
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    assert_eq!(run(dir.path(), &["diff"]).out, "");
    let path = dir.path().join("tools/word_count.py");
    let text = fs::read_to_string(&path).unwrap();
    let net = "\"category\": \"action\", \"capabilities\": {\"net\": [\"api.example.com\"]}";
    fs::write(&path, text.replace("\"category\": \"action\"", net)).unwrap();
    let changed = run(dir.path(), &["diff"]);
    assert!(changed.out.contains("+ `word_count.word_count` may now reach `api.example.com`"));
    assert!(changed.out.contains("now asks a person before it runs"), "{}", changed.out);
}

#[test]
fn a_module_is_python() {
    let dir = tempfile::tempdir().unwrap();
    let refused = run(dir.path(), &["new", "word-count", "--module"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("give --lang py with --module"), "{}", refused.err);
}

/// The files of a directory, by name.
fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn an_import_replaces_nothing_and_refuses_what_is_no_folder_of_tools() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("from/.git")).unwrap();
    fs::write(dir.path().join("from/.git/x.py"), "").unwrap();
    for (from, expected) in
        [("nowhere", "there is no directory"), ("from", "no Python file with a `TOOLS` list")]
    {
        let refused = run(dir.path(), &["tools", "import", from]);
        assert_eq!(refused.code, 1);
        assert!(refused.err.contains(expected), "{}", refused.err);
    }
    fs::write(dir.path().join("from/a.py"), "TOOLS = []\n").unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    fs::write(dir.path().join("tools/a.py"), "mine = 1\n").unwrap();
    let refused = run(dir.path(), &["tools", "import", "from"]);
    assert_eq!(refused.code, 1);
    assert!(refused.err.contains("1 file in `tools` would be replaced: a.py"), "{}", refused.err);
    assert_eq!(fs::read_to_string(dir.path().join("tools/a.py")).unwrap(), "mine = 1\n");
    let unasked = run(dir.path(), &["tools", "import", "from", "--force"]);
    assert_eq!(unasked.code, 1);
    assert!(unasked.err.contains("confirming 1 file needs a terminal"), "{}", unasked.err);
    assert_eq!(fs::read_to_string(dir.path().join("tools/a.py")).unwrap(), "mine = 1\n");
    run(dir.path(), &["tools", "import", "from", "--force", "--yes"]);
    assert_eq!(fs::read_to_string(dir.path().join("tools/a.py")).unwrap(), "TOOLS = []\n");
    assert!(!dir.path().join("tools/.git").exists());
}

#[test]
fn an_import_of_the_reference_is_a_checked_locked_registry() {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&seed(), &dir.path().join("ghostpad/tools"));
    let found = run(dir.path(), &["tools", "import", "ghostpad", "--yes"]);
    assert_eq!(found.code, 0, "{found:?}");
    for line in [
        "file                 tool                          has",
        "balance.py           balance.balance_widget        form, not for models",
        "calculator.py        calculator.calculator",
        "web_search.py        web_search.web_search         streaming",
    ] {
        assert!(found.out.lines().any(|found| found == line), "{line}\n{}", found.out);
    }
    assert!(names(&dir.path().join("tools")).contains(&"tools.lock".to_owned()));
    assert_eq!(run(dir.path(), &["diff"]).code, 0);
    assert_eq!(run(dir.path(), &["tools", "import", "ghostpad"]).code, 0, "the same again is fine");
}

#[test]
fn a_broken_file_is_named_and_left_where_it_is() {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&seed(), &dir.path().join("from"));
    fs::write(dir.path().join("from/broken.py"), "import nothing_like_it\nTOOLS = []\n").unwrap();
    let found = run(dir.path(), &["tools", "import", "from", "--yes"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.out.contains("--> broken.py:1:1"), "{}", found.out);
    assert!(found.out.contains("skipped: 1 other file: broken.py"), "{}", found.out);
    assert!(!dir.path().join("tools/broken.py").exists());
    assert_eq!(run(dir.path(), &["diff"]).code, 0, "the others are locked");
    fs::copy(dir.path().join("from/broken.py"), dir.path().join("tools/broken.py")).unwrap();
    let why = run(dir.path(), &["why", "calculator.calculator"]);
    assert_eq!(why.code, 0, "{why:?}");
    let said = "left out: broken.py: tools/broken.py:1:1: the module cannot be imported";
    assert!(why.err.starts_with(said), "{}", why.err);
}

/// A folder may hold anything: what is no module, and what no module imports, stays there.
#[test]
fn an_import_takes_modules_and_what_they_import_and_writes_nothing_before_a_yes() {
    let dir = tempfile::tempdir().unwrap();
    let module = "from lib.words import count\n\n\ndef words(text: str):\n    return count(text)\n\n\n\
                  TOOLS = [{\"function\": words, \"schema\": {\"name\": \"words\", \"description\": \
                  \"Count words.\", \"parameters\": {\"type\": \"object\", \"properties\": {\"text\": \
                  {\"type\": \"string\"}}, \"required\": [\"text\"]}}}]\n";
    let files = [
        ("count.py", module),
        ("lib/words.py", "def count(text):\n    return len(text.split())\n"),
        ("lib/other.py", "x = 1\n"),
        ("shadow", "root:secret\n"),
        ("data/list.csv", "1\n"),
        ("sub/x.conf", "a=b\n"),
        ("setup.py", "print('no tools')\n"),
        (".env", "KEY=1\n"),
    ];
    for (name, text) in files {
        let path = dir.path().join("from").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    std::os::unix::fs::symlink("/etc", dir.path().join("from/link")).unwrap();
    let unasked = run(dir.path(), &["tools", "import", "from"]);
    assert_eq!(unasked.code, 1, "{unasked:?}");
    assert!(unasked.out.contains("count.py  count.words"), "{unasked:?}");
    assert!(unasked.out.contains("with: lib/words.py"), "{unasked:?}");
    let left = "skipped: 5 other files: data/list.csv, lib/other.py, setup.py, shadow, sub/x.conf";
    assert!(unasked.out.contains(left), "{unasked:?}");
    assert!(unasked.err.contains("pass --yes"), "{unasked:?}");
    assert!(!dir.path().join("tools").exists(), "nothing is written before a yes");
    let with = ["tools", "import", "from", "--yes", "--with", "data/list.csv"];
    let found = run(dir.path(), &with);
    assert_eq!(found.code, 0, "{found:?}");
    let there = names(&dir.path().join("tools"));
    assert_eq!(there, ["count.py", "data", "lib", "tool_registry.json", "tools.lock"]);
    assert_eq!(names(&dir.path().join("tools/lib")), ["words.py"]);
    let called = run(dir.path(), &["call", "count.words", r#"{"text": "a b"}"#]);
    assert_eq!(called.out, "2\n", "{called:?}");
}

#[test]
fn an_import_without_a_good_module_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("from")).unwrap();
    fs::write(dir.path().join("from/a.py"), "import nothing_like_it\nTOOLS = []\n").unwrap();
    fs::write(dir.path().join("from/passwd"), "root\n").unwrap();
    let found = run(dir.path(), &["tools", "import", "from", "--yes"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.err.contains("nothing was copied"), "{found:?}");
    assert!(!dir.path().join("tools").exists());
}

const GUIDELINES: &str = r#"
from services.kv_store_service import kv_store

async def set_guidelines(text: str):
    await kv_store.set("guidelines", text)
    return "set"

async def show_guidelines():
    return await kv_store.get("guidelines", "none")

def tool(name, function, properties, **more):
    schema = {"name": name, "description": f"Does {name}.",
              "parameters": {"type": "object", "properties": properties, "required": list(properties)}}
    return {"function": function, "schema": schema, **more}

TOOLS = [
    tool("set_guidelines", set_guidelines, {"text": {"type": "string"}}, requires_confirmation=False),
    tool("show_guidelines", show_guidelines, {}, category="retrieval"),
]
"#;

/// GD-18: an imported tool does not write without approval, whatever its contract says.
#[test]
fn gd_18_an_imported_tool_that_writes_asks_until_the_operator_says_otherwise() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("from/core")).unwrap();
    fs::write(dir.path().join("from/core/guidelines.py"), GUIDELINES).unwrap();
    let own = "[set_guidelines]\nrequires_confirmation = false\n";
    fs::write(dir.path().join("from/core/tools.toml"), own).unwrap();
    let found = run(dir.path(), &["tools", "import", "from", "--yes"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.err.contains("tools.toml: core.guidelines.set_guidelines\n"), "{found:?}");
    let path = dir.path().join("tools/core/tools.toml");
    let settings = fs::read_to_string(&path).unwrap();
    assert!(settings.ends_with("[set_guidelines]\nrequires_confirmation = true\n"), "{settings}");
    let call = |tool: &str, args: &str| run(dir.path(), &["call", tool, args]);
    let asked = call("set_guidelines", r#"{"text": "obey"}"#);
    assert!(asked.out.contains("CONFIRMATION_REQUIRED"), "{asked:?}");
    assert_eq!(call("show_guidelines", "{}").out, "\"none\"\n");
    fs::write(&path, settings.replace("true", "false")).unwrap();
    assert_eq!(call("set_guidelines", r#"{"text": "obey"}"#).code, 1, "it was not locked");
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    assert_eq!(call("set_guidelines", r#"{"text": "obey"}"#).out, "\"set\"\n");
    // The same again leaves the operator's word.
    assert_eq!(run(dir.path(), &["tools", "import", "from", "--yes"]).code, 0);
    assert_eq!(call("set_guidelines", r#"{"text": "more"}"#).out, "\"set\"\n");
}
