//! Paths that are not there, or that may not be used: named, with a way on, and no fault of ours.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::support::program::{Run, command, run, run_with};

/// The path is named, a fix is given, and the code says that the person can mend it.
#[track_caller]
fn check(found: &Run, named: &str) {
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.err.contains("error: "), "{found:?}");
    assert!(found.err.contains(named), "{named} is not named: {found:?}");
    assert!(found.err.contains("fix: "), "{found:?}");
}

/// A project with one tool and one conversation.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "good"]).code, 0);
    let chat = run(dir.path(), &["chat", "hello", "--conversation", "c"]);
    assert!(chat.code <= 1, "{chat:?}");
    dir
}

#[test]
fn a_path_that_is_not_there_is_named() {
    let dir = project();
    fs::write(dir.path().join("file"), "x").unwrap();
    let call = ["call", "good", r#"{"text": "a"}"#];
    let with = |more: &[&'static str]| [&call, more].concat();
    let table: Vec<(Vec<&str>, &str)> = vec![
        (vec!["replay", "c", "--export", "/nosuch/x.md"], "/nosuch/x.md"),
        (vec!["mcp", "--project", "/nosuch"], "/nosuch"),
        (vec!["serve", "--token-file", "/nosuch"], "/nosuch"),
        (with(&["--rules", "/nosuch"]), "/nosuch"),
        (with(&["--dir", "/nosuch"]), "/nosuch"),
        (with(&["--store", "file/x.db"]), "file"),
        (with(&["--store", "tools"]), "tools"),
        (vec!["chat", "hi", "--store", "file/x.db"], "file"),
        (vec!["check", "/nosuch"], "/nosuch"),
        (vec!["build", "/nosuch"], "/nosuch"),
        (vec!["lock", "/nosuch"], "/nosuch"),
        (vec!["diff", "/nosuch"], "/nosuch"),
        (vec!["test", "--dir", "/nosuch"], "/nosuch"),
        (vec!["test", "nosuch/story.md"], "nosuch/story.md"),
        (vec!["show", "registry", "--dir", "/nosuch"], "/nosuch"),
        (vec!["show", "library", "--dir", "/nosuch"], "/nosuch"),
        (vec!["new", "x", "--dir", "file/tools"], "file/tools"),
        (vec!["tools", "import", "/nosuch"], "/nosuch"),
        (vec!["store", "check", "--store", "/nosuch"], "/nosuch"),
        (vec!["store", "export", "--store", "/nosuch"], "/nosuch"),
        (vec!["store", "export", "/nosuch/x.jsonl"], "/nosuch/x.jsonl"),
        (vec!["store", "import", "/nosuch"], "/nosuch"),
        (vec!["lower", "--for", "anthropic", "/nosuch"], "/nosuch"),
        (vec!["emit", "--schema", "/nosuch", "hi"], "/nosuch"),
        (vec!["cards", "make", "/nosuch"], "/nosuch"),
        (vec!["cards", "status", "--store", "file/x.db"], "file"),
    ];
    for (args, named) in table {
        check(&run(dir.path(), &args), named);
    }
}

#[test]
fn a_token_file_without_a_token_is_refused() {
    let dir = project();
    let path = dir.path().join("tokens.txt");
    let serve =
        || run(dir.path(), &["serve", "--listen", "127.0.0.1:0", "--token-file", "tokens.txt"]);
    for text in ["", " \n\n\t\n", "# nobody yet\n"] {
        fs::write(&path, text).unwrap();
        check(&serve(), "`tokens.txt` has no token");
    }
    fs::write(&path, "# people\nana=0123456789abcdef0123456789abcdef\nshort=secret1\n").unwrap();
    let wrong = serve();
    check(&wrong, "tokens.txt:3 is not a token");
    assert!(!wrong.err.contains("secret1"), "{wrong:?}");
}

/// A project that this user may only read. Root may write everywhere, so the program is run
/// as nobody where the test is root.
#[test]
fn a_project_that_cannot_be_written_is_named() {
    let dir = project();
    fs::remove_dir_all(dir.path().join(".ghosthand")).unwrap();
    let modes = [(dir.path().join("tools"), 0o555), (dir.path().to_owned(), 0o555)];
    for (path, mode) in &modes {
        fs::set_permissions(path, fs::Permissions::from_mode(*mode)).unwrap();
    }
    if may_write(dir.path()) && !may_become_nobody() {
        return;
    }
    let as_nobody = |args: &[&str]| {
        let mut program = command(dir.path());
        if may_write(dir.path()) {
            use std::os::unix::process::CommandExt;
            program.uid(65534).gid(65534);
        }
        run_with(program.env("HOME", "/nonexistent").args(args))
    };
    check(&as_nobody(&["call", "good", r#"{"text": "a"}"#]), ".ghosthand");
    check(&as_nobody(&["chat", "hi"]), ".ghosthand");
    check(&as_nobody(&["build", "--losses", "none"]), "tools/tool_registry.json");
    check(&as_nobody(&["lock"]), "tools/tools.lock");
    check(&as_nobody(&["new", "other"]), "tools/other");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Commands that only read create nothing, also where they could.
#[test]
fn what_only_reads_works_in_a_project_that_cannot_be_written() {
    const READING: [&[&str]; 17] = [
        &["check"],
        &["show", "registry"],
        &["show", "tool", "good"],
        &["show", "cost"],
        &["tools", "list"],
        &["why", "good"],
        &["config"],
        &["models"],
        &["doctor"],
        &["approvals", "list"],
        &["ledger", "list"],
        &["audit"],
        &["metrics"],
        &["replay"],
        &["cards", "status"],
        &["cards", "known"],
        &["pen", "drafts", "--lang", "en"],
    ];
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "good"]).code, 0);
    let before = fs::read_dir(dir.path()).unwrap().count();
    for (path, mode) in [("tools", 0o555), ("", 0o555)] {
        let path = dir.path().join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let is_root = may_write(dir.path());
    for args in READING {
        let mut program = command(dir.path());
        if is_root && may_become_nobody() {
            use std::os::unix::process::CommandExt;
            program.uid(65534).gid(65534);
        }
        let found = run_with(program.env("HOME", "/nonexistent").args(args));
        // There are no runs yet, which is no fault of the folder.
        let is_fine = found.code == 0 || found.err.contains("there are no runs");
        assert!(is_fine, "{args:?}: {found:?}");
        let after = fs::read_dir(dir.path()).unwrap().count();
        assert_eq!(after, before, "{args:?} left something: {found:?}");
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_store_that_cannot_be_written_or_is_damaged_is_not_served() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "good"]).code, 0);
    let call = ["call", "good", r#"{"text": "a"}"#];
    assert_eq!(run(dir.path(), &call).code, 0);
    let store = dir.path().join(".ghosthand/store.db");
    let sound = fs::read(&store).unwrap();
    if may_become_nobody() {
        use std::os::unix::process::CommandExt;
        let folder = dir.path().join(".ghosthand");
        let allow = |files: u32, below: u32| {
            for entry in fs::read_dir(&folder).unwrap() {
                let mode = fs::Permissions::from_mode(files);
                fs::set_permissions(entry.unwrap().path(), mode).unwrap();
            }
            fs::set_permissions(&folder, fs::Permissions::from_mode(below)).unwrap();
        };
        allow(0o444, 0o555);
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for args in [&call[..], &["serve", "--listen", "127.0.0.1:0"]] {
            let mut program = command(dir.path());
            if may_write(&folder) {
                program.uid(65534).gid(65534);
            }
            let found = run_with(program.env("HOME", "/nonexistent").args(args));
            assert_ne!(found.code, 0, "{found:?}");
            assert!(found.err.contains("store.db cannot be written: "), "{}", found.err);
            assert!(
                found.err.contains("fix: make the file and its folder writable"),
                "{}",
                found.err
            );
        }
        fs::set_permissions(dir.path().join(".ghosthand"), fs::Permissions::from_mode(0o755))
            .unwrap();
        fs::set_permissions(&store, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let mut damaged = sound;
    let from = damaged.len() / 2;
    damaged[from..].fill(0xa5);
    fs::write(&store, &damaged).unwrap();
    let found = run(dir.path(), &["serve", "--listen", "127.0.0.1:0"]);
    assert_ne!(found.code, 0, "{found:?}");
    assert!(found.err.contains("store.db is damaged: "), "{}", found.err);
    assert!(found.err.contains("fix: restore a backup"), "{}", found.err);
    assert_eq!(fs::read(&store).unwrap(), damaged);
}

fn may_write(dir: &Path) -> bool {
    let path = dir.join(".try");
    let wrote = fs::write(&path, "").is_ok();
    let _ = fs::remove_file(path);
    wrote
}

/// The binary must be readable for others, which it is not in every folder of root's.
fn may_become_nobody() -> bool {
    use std::os::unix::process::CommandExt;
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_ghosthand"));
    program.arg("--version").uid(65534).gid(65534);
    program.output().is_ok_and(|output| output.status.success())
}
