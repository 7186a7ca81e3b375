//! The code of handlers: what does not compile is no tool, and what was approved is what runs.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use fake_providers::Turn;
use serde_json::{Value, json};

use crate::serve::served_pad::{Ended, start};
use crate::support::model_project::FarSide;
use crate::support::program::{Run, exchange, run};
use crate::support::tool_tree::base;

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join("tools").join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A sound tool but for its handler; `edit` changes its contract.
fn tool(dir: &Path, name: &str, file: &str, handler: &str, edit: &[(&str, &str)]) {
    for (file, text) in base(&name.replace('-', "_")) {
        if file != "handler.js" {
            let text = edit.iter().fold(text, |text, (from, to)| text.replace(from, to));
            write(dir, &format!("{name}/{file}"), &text);
        }
    }
    write(dir, &format!("{name}/{file}"), handler);
}

/// Changes the contract into one that looks things up.
const LOOKS_UP: [(&str, &str); 3] = [
    ("\"action\"", "\"retrieval\""),
    ("\"writes\"", "\"read_only\""),
    ("\"idempotent\": false", "\"idempotent\": true"),
];
const ASKS: [(&str, &str); 1] =
    [("\"requiresConfirmation\": false", "\"requiresConfirmation\": true")];

const JS: &str = "export async function execute() { return { ok: true, data: 1 }; }\n";
const PY: &str = "async def execute(args, context):\n    return {'ok': True, 'data': 1}\n";

/// Every command that takes tools for good must refuse this one, and say where and why.
#[track_caller]
fn refused(file: &str, handler: &str, code: &str, place: &str) {
    let dir = tempfile::tempdir().unwrap();
    tool(dir.path(), "note", file, handler, &[]);
    write(dir.path(), "_shared/a.js", "export const a = 1;\n");
    write(dir.path(), "_shared/broken.js", "export const a = ;\n");
    write(dir.path(), "_shared/money.py", "def euros(:\n    pass\n");
    let check = run(dir.path(), &["check"]);
    assert_eq!(check.code, 1, "{handler}: {check:?}");
    assert!(check.out.contains(&format!("error[{code}]")), "{handler}: {check:?}");
    assert!(check.out.contains(place), "{place}: {check:?}");
    assert!(check.out.contains("= fix: "), "{check:?}");
    for args in [&["build"][..], &["lock"], &["test", "note"]] {
        let found = run(dir.path(), args);
        assert_eq!(found.code, 1, "{args:?} {handler}: {found:?}");
    }
    assert!(!dir.path().join("tools/tools.lock").exists());
}

/// TK-22: an action that cannot start passes no command.
#[test]
fn tk_22_javascript_that_cannot_start_is_a_fault_with_its_place() {
    let with = |first: &str| format!("{first}\n{JS}");
    let broken = "export async function execute() {\n  return { ok: true data: 1 };\n}\n";
    refused("handler.js", broken, "T082", "tools/note/handler.js:2:21");
    refused("handler.js", &with("import { a } from './util.js';"), "T083", "note/handler.js:1:20");
    refused("handler.js", &with("import { a } from '../../x.js';"), "T083", "note/handler.js:1:20");
    refused("handler.js", &with("import _ from 'lodash';"), "T081", "note/handler.js:1:16");
    let named = "import { b } from '../_shared/a.js';";
    refused("handler.js", &with(named), "T084", "note/handler.js:1:10");
    let shared = "import { a } from '../_shared/broken.js';";
    refused("handler.js", &with(shared), "T082", "tools/_shared/broken.js:1:18");
    let default = "async function execute() { return 1; }\nexport default execute;\n";
    refused("handler.js", default, "T080", "tools/note/handler.js:2:1");
    let comment = "// export function execute() {}\nexport const x = 'execute';\n";
    refused("handler.js", comment, "T080", "tools/note/handler.js");
}

#[test]
fn tk_22_python_that_cannot_start_is_a_fault_with_its_place() {
    let with = |first: &str| format!("{first}\n{PY}");
    let broken = "async def execute(args, context)\n    return 1\n";
    refused("handler.py", broken, "T082", "tools/note/handler.py:1:33");
    refused("handler.py", &with("from .util import a"), "T083", "tools/note/handler.py:1:6");
    refused("handler.py", &with("import _shared.gone"), "T083", "tools/note/handler.py:1:8");
    refused("handler.py", &with("import lodash"), "T081", "tools/note/handler.py:1:8");
    let inside = "def f():\n    import lodash.deep";
    refused("handler.py", &with(inside), "T081", "tools/note/handler.py:2:12");
    refused("handler.py", &with("from _shared.money import x"), "T082", "_shared/money.py:1:");
    refused("handler.py", "# def execute(args, context):\nx = 1\n", "T080", "note/handler.py");
    refused("handler.py", "class A:\n    def execute(self): pass\n", "T080", "note/handler.py");
}

#[test]
fn handlers_that_can_start_are_not_blamed_and_nothing_of_them_runs() {
    let dir = tempfile::tempdir().unwrap();
    let good = |name: &str, file: &str, handler: &str| tool(dir.path(), name, file, handler, &[]);
    good("one", "handler.js", "export * from '../_shared/all.js';\nthrow new Error('it ran');\n");
    good("two", "handler.js", "const run = async () => 1;\nexport { run as execute };\n");
    write(dir.path(), "_shared/all.js", &format!("import './ring.js';\n{JS}"));
    write(dir.path(), "_shared/ring.js", "import './all.js';\n");
    let lazy = "try:\n    import lodash\nexcept ImportError:\n    lodash = None\n\
        from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import nothing\n\
        import os.path, json\nfrom services.kv_store_service import kv_store\n";
    good("three", "handler.py", &format!("{lazy}{PY}raise SystemExit('it ran')\n"));
    good("four", "handler.py", "from ._inside import execute\n");
    write(dir.path(), "four/_inside.py", PY);
    good("five", "handler.py", "from _shared.star import *\n");
    write(dir.path(), "_shared/star.py", PY);
    let check = run(dir.path(), &["check", "--deny-warnings"]);
    assert_eq!(check.code, 0, "{check:?}");
}

#[test]
fn without_python_one_warning_says_that_its_handlers_were_only_read() {
    let dir = tempfile::tempdir().unwrap();
    tool(dir.path(), "one", "handler.py", PY, &[]);
    tool(dir.path(), "two", "handler.py", PY, &[]);
    fs::write(dir.path().join("ghosthand.toml"), "[python]\nprogram = \"/none/python3\"\n")
        .unwrap();
    let check = run(dir.path(), &["check"]);
    assert_eq!(check.code, 0, "{check:?}");
    assert_eq!(check.out.matches("warning[T085]").count(), 1, "{check:?}");
    assert!(check.out.contains("2 handlers were not compiled"), "{check:?}");
}

/// Two tools that share a module: one looks something up, one asks before it does something.
fn sharing(dir: &Path, lang: &str) -> String {
    let (handler, shared) = match lang {
        "js" => (
            "import { what } from '../_shared/what.js';\n\
             export async function execute() { return { ok: true, data: { what } }; }\n",
            "export const what = 'harmless';\n",
        ),
        _ => (
            "from _shared.what import what\n\
             async def execute(args, context):\n    return {'ok': True, 'data': {'what': what}}\n",
            "what = 'harmless'\n",
        ),
    };
    tool(dir, "find", &format!("handler.{lang}"), handler, &LOOKS_UP);
    tool(dir, "pay", &format!("handler.{lang}"), handler, &ASKS);
    write(dir, &format!("_shared/what.{lang}"), shared);
    shared.replace("harmless", "EVIL")
}

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"))
}

/// TK-12: shared code is part of what was approved, remembered and locked.
#[track_caller]
fn shared_code_counts(lang: &str) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let evil = sharing(dir, lang);
    assert_eq!(run(dir, &["lock"]).code, 0);
    let asked = run(dir, &["call", "pay", r#"{"text": "x"}"#]);
    assert_eq!(json_of(&asked)["type"], "CONFIRMATION_REQUIRED", "{asked:?}");
    let list = run(dir, &["approvals", "list"]);
    let id = list.out.split_whitespace().next().unwrap_or_default().to_owned();
    let found = run(dir, &["call", "find", r#"{"text": "x"}"#]);
    assert_eq!(json_of(&found)["what"], "harmless", "{found:?}");

    write(dir, &format!("_shared/what.{lang}"), &evil);

    let waits = run(dir, &["call", "find", r#"{"text": "x"}"#]);
    let told =
        format!("not as in tools.lock: code that tools share changed: `_shared/what.{lang}`");
    assert!(waits.code == 1 && waits.err.contains(&told), "{waits:?}");
    fs::write(dir.join("ghosthand.toml"), "[tools]\nchanged = \"run\"\n").unwrap();
    let found = run(dir, &["call", "find", r#"{"text": "x"}"#]);
    assert_eq!(json_of(&found)["what"], "EVIL", "an answer of the old code: {found:?}");
    let approved = run(dir, &["approvals", "approve", &id]);
    assert!(!approved.out.contains("EVIL"), "what was not approved ran: {approved:?}");
    let again = "`pay` did not run: it needs another approval";
    assert!(approved.code == 1 && approved.err.contains(again), "{approved:?}");
    let diff = run(dir, &["diff"]);
    let sentence =
        format!("code that tools share changed: `_shared/what.{lang}`; `find`, `pay` load it");
    assert!(diff.out.contains(&sentence), "{diff:?}");
}

#[test]
fn tk_12_changed_shared_javascript_is_asked_about_anew() {
    shared_code_counts("js");
}

#[test]
fn tk_12_changed_shared_python_is_asked_about_anew() {
    shared_code_counts("py");
}

/// A lock that an older program wrote knows nothing of shared files.
#[test]
fn an_older_lock_still_says_truly_whether_shared_code_changed() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let evil = sharing(dir, "js");
    assert_eq!(run(dir, &["lock"]).code, 0);
    let path = dir.join("tools/tools.lock");
    let mut lock: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    lock.as_object_mut().unwrap().remove("shared_files").unwrap();
    for tool in lock["tools"].as_object_mut().unwrap().values_mut() {
        tool.as_object_mut().unwrap().remove("shared").unwrap();
        tool["digest"] = tool["schema"].clone();
    }
    fs::write(&path, lock.to_string()).unwrap();
    let diff = run(dir, &["diff"]);
    assert!(!diff.out.contains("changed"), "{diff:?}");
    write(dir, "_shared/what.js", &evil);
    let diff = run(dir, &["diff"]);
    let sentence = "the code that tools share (`_` folders) changed; `find`, `pay` load it";
    assert!(diff.out.contains(sentence), "{diff:?}");
}

/// TK-06: the model's second request comes in the middle of a turn; then the files change.
#[test]
fn tk_06_a_turn_runs_the_code_it_began_with() {
    let far = FarSide::new();
    fs::remove_dir_all(far.path().join("tools")).unwrap();
    let handlers = [
        (
            "find-js",
            "js",
            "import { b } from './b.js';\n\
          export async function execute() { return { ok: true, data: 'OLD' + b }; }\n",
        ),
        (
            "find-py",
            "py",
            "from .b import b\n\
          async def execute(args, context):\n    return {'ok': True, 'data': 'OLD' + b}\n",
        ),
    ];
    for (name, lang, handler) in handlers {
        tool(far.path(), name, &format!("handler.{lang}"), handler, &LOOKS_UP);
        let quiet = if lang == "js" { "export const b = 'OLD';\n" } else { "b = 'OLD'\n" };
        write(far.path(), &format!("{name}/b.{lang}"), quiet);
    }
    let project = far.path().to_owned();
    let round = AtomicUsize::new(0);
    far.fake.answering(move |_| {
        let calls = |text: &str| {
            let args = json!({ "text": text });
            Turn::new().call("find_js", args.clone()).call("find_py", args)
        };
        match round.fetch_add(1, Ordering::SeqCst) {
            0 => calls("first").into(),
            1 => {
                for file in
                    ["find-js/handler.js", "find-js/b.js", "find-py/handler.py", "find-py/b.py"]
                {
                    let path = project.join("tools").join(file);
                    let text = fs::read_to_string(&path).unwrap();
                    fs::write(&path, text.replace("OLD", "NEW")).unwrap();
                }
                calls("second").into()
            }
            3 => calls("third").into(),
            _ => Turn::says("Done.").into(),
        }
    });
    let results = |run: &Run| {
        let words = run.out.split_whitespace().chain(run.err.split_whitespace());
        let found = words.filter(|word| word.contains("OLD") || word.contains("NEW"));
        found.map(|word| word.trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    let first = far.run(&["chat", "go", "--conversation", "c"]);
    assert_eq!(results(&first), ["OLDOLD"; 4], "{first:?}");
    let next = far.run(&["chat", "again", "--conversation", "c"]);
    assert_eq!(results(&next), ["NEWNEW"; 2], "{next:?}");
}

/// A server looks at its files once a second; what is approved in between is what runs.
#[test]
fn a_handler_that_changes_between_the_question_and_the_yes_does_not_run() {
    let dir = tempfile::tempdir().unwrap();
    for (name, lang) in [("pay-js", "js"), ("pay-py", "py")] {
        let handler = match lang {
            "js" => "export async function execute() { return { ok: true, data: 'OLD' }; }\n",
            _ => "async def execute(args, context):\n    return {'ok': True, 'data': 'OLD'}\n",
        };
        tool(dir.path(), name, &format!("handler.{lang}"), handler, &ASKS);
    }
    let (child, address) = start(dir.path());
    let _ended = Ended(child);
    let post = |path: &str, body: Value| {
        let (status, told) = exchange(&address, "POST", path, &body.to_string());
        assert!(status < 300, "{path}: {status} {told}");
        serde_json::from_str::<Value>(&told).unwrap()
    };
    let id = post("/api/conversations", json!({}))["id"].clone();
    for tool in ["pay_js", "pay_py"] {
        let body = json!({ "conversation": id, "args": { "text": "x" } });
        let asked = post(&format!("/api/tools/{tool}/run"), body);
        let request = asked["waiting"]["request"].as_str().unwrap_or_else(|| panic!("{asked}"));
        let path = dir.path().join("tools").join(match tool {
            "pay_js" => "pay-js/handler.js",
            _ => "pay-py/handler.py",
        });
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("OLD", "NEW")).unwrap();
        let answered = post(&format!("/api/approvals/{request}"), json!({ "answer": "approve" }));
        let settled = &answered["settled"];
        assert!(!settled["content"].to_string().contains("NEW"), "{answered}");
        let ran_old = settled["ok"] == true && settled["content"].to_string().contains("OLD");
        assert!(ran_old || !settled["waiting"].is_null(), "neither run nor asked: {answered}");
    }
}
