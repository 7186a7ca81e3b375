//! What handlers can load, and what the digests cover.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;
use crate::fault::Faults;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    dir
}

#[track_caller]
fn js(files: &[(&str, &str)], code: &[&str], loaded: &[&str]) {
    let dir = tree(files);
    let (found, outside) = javascript("one/handler.js", &Sources::new(dir.path()));
    assert_eq!(found.files().map(|(name, _)| name).collect::<Vec<_>>(), code);
    assert_eq!(outside.0.keys().collect::<Vec<_>>(), loaded);
}

#[test]
fn a_javascript_handler_loads_its_imports_recursively() {
    let files = [
        ("one/handler.js", "import { a } from '../_shared/a.js'; export * from \"./own.js\";"),
        ("one/own.js", "export { t } from '../_core/error-types.js';"),
        ("one/other.js", "never named"),
        ("_shared/a.js", "import {\n  b\n}\nfrom './deep/b.js'; // ./none.js"),
        ("_shared/deep/b.js", "import '../a.js'; import '../../../outside.js';"),
        ("_core/error-types.js", "not read"),
    ];
    js(
        &files,
        &["_shared/a.js", "_shared/deep/b.js", "one/handler.js", "one/own.js"],
        &["_shared/a.js", "_shared/deep/b.js"],
    );
    js(&[("one/handler.js", "import 'lodash'; import './missing.js';")], &["one/handler.js"], &[]);
}

#[test]
fn a_link_out_of_the_tools_directory_is_not_followed() {
    let outer = tree(&[("secret.js", "secret"), ("tools/one/handler.js", "import './link.js'")]);
    let tools = outer.path().join("tools");
    symlink("../../secret.js", tools.join("one/link.js")).unwrap();
    let sources = Sources::new(&tools);
    assert!(sources.read("one/link.js").is_err());
    let (code, _) = javascript("one/handler.js", &sources);
    assert_eq!(code.files().len(), 1);
}

#[test]
fn a_file_is_read_once() {
    let dir = tree(&[("one/handler.js", "first\r\n")]);
    let sources = Sources::new(dir.path());
    assert_eq!(sources.get("one/handler.js").as_deref(), Some(b"first\n".as_slice()));
    fs::write(dir.path().join("one/handler.js"), "second").unwrap();
    assert_eq!(sources.get("one/handler.js").as_deref(), Some(b"first\n".as_slice()));
}

#[track_caller]
fn py(handler: &str, loaded: &[&str]) {
    let files = BTreeMap::from([
        ("one/handler.py", handler),
        ("one/own.py", "import shared.deep"),
        ("_core/money.py", ""),
        ("_core/rates.csv", "1,2"),
        ("shared/__init__.py", ""),
        ("shared/deep.py", "from . import next"),
        ("shared/next.py", ""),
        ("lonely/alone.py", ""),
    ]);
    let dir = tree(&files.iter().map(|(name, text)| (*name, *text)).collect::<Vec<_>>());
    let names: BTreeSet<String> = files.keys().map(|name| (*name).to_owned()).collect();
    let mut faults = Faults::default();
    let python = python_tree(&names, &Sources::new(dir.path()), "tools", &mut faults);
    assert!(faults.is_empty());
    let found = python.loaded_by("one/handler.py", |name| Path::new(name).starts_with("one"));
    assert_eq!(found.0.keys().collect::<Vec<_>>(), loaded, "{handler}");
}

#[test]
fn a_python_handler_loads_what_its_statements_import() {
    let shared = ["shared/__init__.py", "shared/deep.py", "shared/next.py"];
    py("import os, json", &[]);
    py("from _core.money import euros", &["_core/money.py", "_core/rates.csv"]);
    py(
        "from tools._core import (\n  money,  # the rates\n)",
        &["_core/money.py", "_core/rates.csv"],
    );
    py("def execute():\n    from .own import x", &shared);
    py("from shared import deep as d, other", &shared);
    py("from shared import *", &shared);
    py("'''\nimport shared.deep\n'''\n# import shared.deep\nx = 'import shared'", &[]);
    py("def f():\n    yield from shared\n    raise A from None", &[]);
    py("import re\nre.compile('x'); model.eval()", &[]);
}

#[test]
fn a_python_handler_with_dynamic_imports_may_load_everything() {
    let all = [
        "_core/money.py",
        "_core/rates.csv",
        "lonely/alone.py",
        "shared/__init__.py",
        "shared/deep.py",
        "shared/next.py",
    ];
    py("import importlib", &all);
    py("exec(open('x').read())", &all);
    py("from importlib import import_module", &all);
}
