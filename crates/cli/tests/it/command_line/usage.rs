//! What a person sees who makes a mistake: exit codes, help, formats.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::support::program::{command, repository, run};

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
