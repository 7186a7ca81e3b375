//! `build --python-env`: packages are installed once, locked, and asked for by name.
//!
//! The index is a folder with two small wheels that the test makes; nothing is fetched.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::program::{Run, command, run_with};
use crate::support::tool_tree::base;

/// Writes `greeting-1.0` or `greeting-2.0` as a wheel.
fn wheel(index: &Path, version: &str) {
    let script = "import sys, zipfile\n\
        folder, version = sys.argv[1:]\n\
        info = f'greeting-{version}.dist-info'\n\
        with zipfile.ZipFile(f'{folder}/greeting-{version}-py3-none-any.whl', 'w') as wheel:\n\
        \x20   wheel.writestr('greeting.py', f'VERSION = {version!r}\\n')\n\
        \x20   wheel.writestr(f'{info}/METADATA', f'Metadata-Version: 2.1\\nName: greeting\\nVersion: {version}\\n')\n\
        \x20   wheel.writestr(f'{info}/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
        \x20   wheel.writestr(f'{info}/RECORD', '')\n";
    let made = Command::new("python3").args(["-I", "-c", script]).arg(index).arg(version).status();
    assert!(made.expect("the tests need python3").success());
}

/// A project with one Python tool that needs `greeting`, and an index beside it.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let tool = dir.path().join("tools/note-add");
    fs::create_dir_all(&tool).unwrap();
    fs::create_dir(dir.path().join("index")).unwrap();
    for (name, text) in base("note_add") {
        let handler = "async def execute(args, context):\n    return {\"ok\": True, \"data\": 1}\n";
        match name {
            "handler.js" => fs::write(tool.join("handler.py"), handler).unwrap(),
            name => fs::write(tool.join(name), text).unwrap(),
        }
    }
    fs::write(dir.path().join("tools/requirements.txt"), "greeting\n").unwrap();
    dir
}

fn run(dir: &Path, args: &[&str]) -> Run {
    let index = dir.join("index");
    let mut command = command(dir);
    command.env("PIP_NO_INDEX", "1").env("PIP_FIND_LINKS", &index);
    command.env("PIP_CONFIG_FILE", "/dev/null");
    command.env("UV_OFFLINE", "1").env("UV_FIND_LINKS", &index).env("UV_CACHE_DIR", dir.join("uv"));
    run_with(command.args(args))
}

fn lock(dir: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(dir.join("tools/python.lock")).unwrap()).unwrap()
}

#[test]
fn packages_are_installed_on_command_locked_and_installed_alike_again() {
    let dir = project();
    wheel(&dir.path().join("index"), "1.0");
    let before = run(dir.path(), &["check"]);
    assert_eq!(before.code, 1);
    assert!(before.out.starts_with("error[T100]: the packages it needs"), "{}", before.out);

    let built = run(dir.path(), &["build", "--python-env", "--losses", "none"]);
    assert_eq!(built.code, 0, "{built:?}");
    assert!(built.err.contains(": 1 requirement, 1 package installed"), "{}", built.err);
    assert_eq!(run(dir.path(), &["check"]).code, 0);
    let first = lock(dir.path());
    let (id, locked) = first["environments"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(locked["packages"], serde_json::json!({"greeting": "1.0"}));
    let python = dir.path().join(".ghosthand/python").join(id).join("bin/python3");
    let ask = ["-I", "-c", "import greeting; print(greeting.VERSION)"];
    let said = Command::new(&python).args(ask).output().unwrap();
    assert_eq!(String::from_utf8(said.stdout).unwrap(), "1.0\n");

    // A newer version on the index changes nothing while the lock is kept.
    wheel(&dir.path().join("index"), "2.0");
    fs::remove_dir_all(dir.path().join(".ghosthand")).unwrap();
    assert_eq!(run(dir.path(), &["build", "--python-env", "--losses", "none"]).code, 0);
    assert_eq!(lock(dir.path()), first);
}

#[test]
fn what_cannot_be_installed_leaves_nothing_behind() {
    let dir = project();
    let built = run(dir.path(), &["build", "--python-env"]);
    assert_eq!(built.code, 1, "{built:?}");
    assert!(built.err.contains("the Python packages were not installed"), "{}", built.err);
    assert!(!dir.path().join("tools/python.lock").exists());
    let left = fs::read_dir(dir.path().join(".ghosthand/python")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn without_requirements_there_is_nothing_to_install() {
    let dir = project();
    fs::remove_file(dir.path().join("tools/requirements.txt")).unwrap();
    let built = run(dir.path(), &["build", "--python-env", "--losses", "none"]);
    assert_eq!(built.code, 0, "{built:?}");
    assert!(built.err.starts_with("no tool needs Python packages\n"), "{}", built.err);
    assert!(!dir.path().join(".ghosthand").exists());
}
