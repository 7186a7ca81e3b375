//! What a person sees who makes a mistake: exit codes, help, formats.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::support::program::{command, repository, run, run_with};

#[test]
fn wrong_usage_is_2_and_wrong_files_are_1() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["chekc"]).code, 2);
    assert_eq!(run(dir.path(), &[]).code, 2);
    let missing = run(dir.path(), &["check", "nowhere"]);
    assert_eq!(missing.code, 1);
    assert!(missing.err.starts_with("error: there is no directory `nowhere`"), "{}", missing.err);
    assert!(missing.err.contains("fix: "), "{}", missing.err);
    fs::write(dir.path().join("file"), "").unwrap();
    assert!(run(dir.path(), &["check", "file"]).err.contains("is not a directory"));
    let tool = run(&repository(), &["show", "tool", "kb_serch"]);
    assert_eq!(tool.code, 1);
    assert!(tool.err.contains("did you mean `kb_search`?"), "{}", tool.err);
    let target = run(&repository(), &["show", "tool", "kb_search", "--for", "openai"]);
    assert!(target.err.contains("did you mean `openai-chat`?"), "{}", target.err);
    let fault = run(dir.path(), &["faults", "T999"]);
    assert_eq!(fault.code, 1);
    assert!(fault.err.contains("there is no fault `T999`"), "{}", fault.err);
    assert!(!fault.err.contains("did you mean"), "{}", fault.err);
    let short = run(dir.path(), &["faults", "t12"]);
    assert!(short.err.contains("did you mean `T012`?"), "{}", short.err);
}

/// What our own checks find on a command line is wrong usage, as what the parser finds; and
/// nothing is opened or created for it.
#[test]
fn a_command_line_that_cannot_work_is_2_and_creates_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    fs::write(dir.path().join("text.txt"), "Labdien.").unwrap();
    let check = |args: &[&str], fix: &str| {
        let found = run(dir.path(), args);
        assert_eq!(found.code, 2, "{args:?}: {found:?}");
        assert!(found.err.contains(fix), "{args:?}: {found:?}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "{args:?} left something");
    };
    check(&["new", "z", "--module"], "give --lang py with --module");
    check(&["new", "read-result"], "choose another name");
    check(&["ledger", "resolve", "0123"], "--did-not-happen");
    check(&["ledger", "resolve", "0123", "--happened", "{"], "write JSON");
    check(&["cards", "edit", "lv:word:māja"], "--translation");
    check(&["cards", "make", "text.txt", "--from", "lv", "--to", "lv"], "different languages");
    check(&["serve", "--token", "ana=0123456789abcdef"], "--token-file FILE");
    check(&["serve", "--listen", "0.0.0.0:0", "--no-token"], "omit --no-token");
    check(&["mcp", "--listen", "0.0.0.0:0", "--no-token"], "omit --no-token");
    check(&["pen", "--lang", "en"], "ghostpen --help");
    check(&["pen", "--lang", "en", "lnit"], "did you mean `init`?");
    check(&["emit", "--schema", "-"], "name a file for one of them");
    check(&["encode", "--for", "mcp", "--schema", "-"], "name a file for one of them");
    check(&["lower", "--for", "antropic", "text.txt"], "did you mean `anthropic`?");
    check(&["decode", "--for", "antropic", "--schema", "x", "1"], "did you mean `anthropic`?");
    check(&["call", "anything", "{text: a}"], "single quotes");
    check(&["chat", " "], "type a message");
    check(&["mcp", "install", "claude-code", "--write"], "omit `--write`");
}

#[test]
fn an_address_that_is_taken_or_cannot_be_read_is_told_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let nothing = run(dir.path(), &["check"]);
    let here = dir.path().canonicalize().unwrap().display().to_string();
    assert!(nothing.err.contains(&format!("neither `{here}` nor a parent")), "{nothing:?}");
    fs::create_dir(dir.path().join("tools")).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for command in [["serve", "--listen"].as_slice(), &["mcp", "--listen"]] {
        let refused = run(dir.path(), &[command, &[&address]].concat());
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.err.contains(&format!("cannot listen on {address}")), "{refused:?}");
        assert!(refused.err.contains("fix: another program uses it"), "{refused:?}");
        let unread = run(dir.path(), &[command, &["somewhere"]].concat());
        assert_eq!(unread.code, 2, "{unread:?}");
        assert!(unread.err.contains("as in 127.0.0.1:7777"), "{unread:?}");
    }
}

#[test]
fn a_misspelt_variable_is_named_once_with_the_nearest() {
    let dir = tempfile::tempdir().unwrap();
    let with = |name: &str, value: &str, args: &[&str]| {
        run_with(command(dir.path()).args(args).env(name, value))
    };
    let found = with("GHOSTHAND_MODELS", "rehearsal", &["config"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert_eq!(found.err.matches("did you mean `GHOSTHAND_MODEL`?").count(), 1, "{found:?}");
    assert!(!with("GHOSTHAND_MODEL", "rehearsal", &["config"]).err.contains("warn"));
    let level = with("GHOSTHAND_LOG", "verbose", &["config"]);
    assert!(level.err.contains("GHOSTHAND_LOG is `verbose`; give one of off"), "{level:?}");
    let model = with("GHOSTHAND_MODEL", "x", &["config"]);
    assert_eq!(model.code, 1, "{model:?}");
    assert!(model.err.contains("$GHOSTHAND_MODEL: there is no provider `x`"), "{model:?}");
}

/// `ghostpen` is a program of its own, and also a name that `ghosthand` can have.
#[test]
fn a_link_named_ghostpen_is_ghostpen() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("ghostpen");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ghosthand"), &link).unwrap();
    fs::write(dir.path().join("draft.md"), "A short draft.").unwrap();
    let run = |program: &std::path::Path, args: &[&str]| {
        let mut command = std::process::Command::new(program);
        let command = command.current_dir(dir.path()).env("NO_COLOR", "1").args(args);
        run_with(command.stdin(Stdio::null()))
    };
    let args = ["thread", "draft.md", "--platform", "x", "--lang", "en"];
    let linked = run(&link, &args);
    let whole = run(env!("CARGO_BIN_EXE_ghosthand").as_ref(), &[&["pen"], &args[..]].concat());
    assert!(linked.code <= 1 && !linked.out.is_empty(), "{linked:?}");
    assert_eq!((linked.code, &linked.out, &linked.err), (whole.code, &whole.out, &whole.err));
}

/// A repeated key would silently lose the first value.
#[test]
fn a_repeated_key_is_refused_in_arguments() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "good"]);
    let call = run(dir.path(), &["call", "good", r#"{"text": "a", "text": "b"}"#]);
    assert_eq!(call.code, 2, "{call:?}");
    let twice = "the key `text` appears twice in one object at line 1 column 20";
    assert!(call.err.contains(twice), "{call:?}");
    let file = run(dir.path(), &["call", "good", "@args.json"]);
    assert!(file.err.contains("`- < args.json`"), "{file:?}");
}

#[test]
fn help_is_there_for_every_command() {
    let dir = tempfile::tempdir().unwrap();
    for command in [
        "new",
        "check",
        "build",
        "show",
        "test",
        "diff",
        "lock",
        "lower",
        "encode",
        "decode",
        "store",
        "call",
        "why",
        "approvals",
        "ledger",
        "audit",
        "metrics",
        "doctor",
        "faults",
        "completions",
    ] {
        let help = run(dir.path(), &[command, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.out.contains("Usage: ghosthand"), "{}", help.out);
        assert!(run(dir.path(), &["--help"]).out.contains(command));
    }
    let bash = run(dir.path(), &["completions", "bash"]);
    assert!(bash.out.contains("_ghosthand"), "{}", bash.out);
}

#[test]
fn faults_can_be_read_by_programs_and_by_github() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "note-add"]);
    let path = dir.path().join("tools/note-add/schema.json");
    let text = fs::read_to_string(&path).unwrap().replace("\"1.0.0\"", "\"one,two\"");
    fs::write(&path, text).unwrap();
    let json = run(dir.path(), &["check", "--format", "json"]);
    assert_eq!(json.code, 1);
    let value: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(value["errors"], 1);
    assert_eq!(value["faults"][0]["code"], "T015");
    assert_eq!(value["faults"][0]["place"]["file"], "tools/note-add/schema.json");
    assert_eq!(value["faults"][0]["place"]["line"], 3);
    let github = run(dir.path(), &["check", "--format", "github"]);
    assert!(
        github.out.starts_with(
            "::error file=tools/note-add/schema.json,line=3,col=14,endColumn=23,title=T015::"
        ),
        "{}",
        github.out
    );
}

#[test]
fn every_fault_is_explained_with_examples() {
    let dir = tempfile::tempdir().unwrap();
    let list = run(dir.path(), &["faults"]);
    let codes: Vec<_> =
        list.out.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(codes.len() > 50, "{}", list.out);
    for code in codes {
        let page = run(dir.path(), &["faults", &code.to_lowercase()]);
        assert_eq!(page.code, 0);
        if code.starts_with('P') {
            // What is wrong with a rule file; only its size cannot be shown.
            let shown = page.out.contains("a faulty rule");
            assert!(shown || code == "P002", "{}", page.out);
            continue;
        }
        assert!(page.out.contains("Bad") && page.out.contains("Good"), "{}", page.out);
        assert!(page.out.contains("output of `ghosthand check`"), "{}", page.out);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = command(dir.path())
        .args(["faults", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), b"".as_slice()));
}

#[test]
fn colour_is_off_in_pipes_and_on_when_wanted() {
    let dir = tempfile::tempdir().unwrap();
    assert!(!run(dir.path(), &["faults", "T001"]).out.contains('\u{1b}'));
    let forced =
        command(dir.path()).args(["faults", "T001", "--color", "always"]).output().unwrap();
    assert!(forced.stdout.contains(&0x1b));
}

/// Editors find the schema of a file by `$schema`; and what is missing is suggested for this
/// tool, not for another.
#[test]
fn a_contract_may_name_its_schema_and_a_missing_id_is_the_directorys() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "word-count"]);
    let path = dir.path().join("tools/word-count/schema.json");
    let text = fs::read_to_string(&path).unwrap();
    let named = text.replacen('{', "{\n  \"$schema\": \"https://example.com/tool.json\",", 1);
    fs::write(&path, named).unwrap();
    let check = run(dir.path(), &["check", "--deny-warnings"]);
    assert_eq!((check.code, check.out.as_str()), (0, ""), "{check:?}");
    fs::write(&path, text.replace("  \"toolId\": \"word_count\",\n", "")).unwrap();
    let check = run(dir.path(), &["check"]);
    assert!(check.out.contains("fix: add \"toolId\": \"word_count\""), "{check:?}");
}

/// Advice about a change is not a change of its own.
#[test]
fn one_change_is_counted_once() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "word-count"]);
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    let path = dir.path().join("tools/word-count/handler.js");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "\n// more\n").unwrap();
    let diff = run(dir.path(), &["diff"]);
    assert_eq!(diff.code, 1);
    assert!(diff.out.contains("give it a new one"), "{diff:?}");
    assert!(diff.err.contains("1 change; `ghosthand lock` accepts it"), "{diff:?}");
}
