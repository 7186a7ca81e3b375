//! `ghosthand call` and what goes with it: real handlers, a real store, a person's answers.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::program::{Run, copy_unlocked, repository, run};

/// The sample tools with their knowledge base and calendar, in a directory of their own.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["tools", "kb", "calendar"] {
        copy_unlocked(&repository().join(folder), &dir.path().join(folder));
    }
    dir
}

fn json(run: &Run) -> Value {
    let value = serde_json::from_str(&run.out);
    assert!(value.is_ok(), "{run:?}");
    value.unwrap()
}

const EVENT: &str = r#"{"title": "Clock talk", "start_time": "2027-02-06T14:00:00Z",
    "end_time": "2027-02-06T15:00:00Z", "attendees": ["ana@example.org"]}"#;

fn events(dir: &Path) -> usize {
    let text = fs::read_to_string(dir.join("calendar/calendar.ics")).unwrap();
    text.matches("SUMMARY:Clock talk").count()
}

/// The beginning of the id of the one request that waits.
fn waiting(dir: &Path) -> String {
    let list = run(dir, &["approvals", "list"]);
    assert_eq!(list.code, 0, "{list:?}");
    list.out.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn a_handler_runs_and_its_result_alone_is_on_stdout() {
    let dir = project();
    let found = run(dir.path(), &["call", "validate_email", r#"{"email": "ana@gmial.com"}"#]);
    assert_eq!(found.code, 0, "{found:?}");
    assert_eq!(json(&found)["suggestion"], "ana@gmail.com");
    assert!(found.err.starts_with("validate_email run (default.run)"), "{}", found.err);
    let spelled = run(dir.path(), &["call", "validate-email", r#"{"email": "ana@gmial.com"}"#]);
    assert_eq!(spelled.out, found.out, "as its directory is spelled: {spelled:?}");
    let search = run(dir.path(), &["call", "kb_search", r#"{"query": "tide clock"}"#]);
    assert_eq!(json(&search)["results"][0]["id"], "project:tide-clock", "{search:?}");
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_runs() {
    let dir = project();
    let check = |args: &[&str], kind: &str| {
        let found = run(dir.path(), args);
        assert_eq!(found.code, 1, "{found:?}");
        assert_eq!(json(&found)["type"], kind, "{found:?}");
    };
    check(&["call", "validate_email", r#"{"mail": 1}"#], "VALIDATION");
    check(&["call", "validate_emial", "{}"], "NOT_FOUND");
    check(&["call", "end_voice_session", r#"{"reason": "user_request"}"#], "MODE_RESTRICTED");
    let voice = run(
        dir.path(),
        &["call", "end_voice_session", r#"{"reason": "user_request"}"#, "--mode", "voice"],
    );
    assert_eq!(voice.code, 0, "{voice:?}");
    assert!(voice.err.contains("intent: END_VOICE_SESSION"), "{}", voice.err);
}

/// TK-16: an id must come from a search of the same conversation.
#[test]
fn tk_16_a_document_is_given_only_after_a_search_has_shown_it() {
    let dir = project();
    let get = ["call", "kb_get", r#"{"id": "project:tide-clock"}"#, "--conversation", "c1"];
    let early = run(dir.path(), &get);
    assert_eq!(json(&early)["type"], "PERMANENT", "{early:?}");
    let search = run(
        dir.path(),
        &["call", "kb_search", r#"{"query": "tide clock"}"#, "--conversation", "c1"],
    );
    assert_eq!(search.code, 0, "{search:?}");
    let found = run(dir.path(), &get);
    assert_eq!(json(&found)["title"], "The Tide Clock", "{found:?}");
    let other = run(
        dir.path(),
        &["call", "kb_get", r#"{"id": "project:tide-clock"}"#, "--conversation", "c2"],
    );
    assert_eq!(other.code, 1, "{other:?}");
}

/// TK-12: only a person's answer over this channel runs it, once, in another process.
#[test]
fn tk_12_a_write_waits_for_a_person_and_runs_once() {
    let dir = project();
    let asked = run(dir.path(), &["call", "calendar_create_event", EVENT]);
    assert_eq!(json(&asked)["type"], "CONFIRMATION_REQUIRED", "{asked:?}");
    assert!(asked.err.contains("title: Clock talk"), "{}", asked.err);
    assert_eq!(events(dir.path()), 0);
    let id = waiting(dir.path());
    let approved = run(dir.path(), &["approvals", "approve", &id]);
    assert_eq!(approved.code, 0, "{approved:?}");
    assert_eq!(events(dir.path()), 1);
    let again = run(dir.path(), &["approvals", "approve", &id]);
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(events(dir.path()), 1);
    let ledger = run(dir.path(), &["ledger", "list"]);
    assert!(
        ledger.out.contains("done       20") && ledger.out.contains("  calendar_create_event\n"),
        "{}",
        ledger.out
    );
}

#[test]
fn a_write_that_is_declined_does_not_run_and_the_model_reads_why() {
    let dir = project();
    run(dir.path(), &["call", "calendar_create_event", EVENT]);
    let id = waiting(dir.path());
    let declined = run(dir.path(), &["approvals", "decline", &id, "--reason", "Tuesdays are full"]);
    assert_eq!((declined.code, declined.out.as_str()), (0, ""), "{declined:?}");
    assert!(declined.err.contains("(Tuesdays are full). It was not run."), "{}", declined.err);
    assert_eq!(events(dir.path()), 0);
    assert_eq!(run(dir.path(), &["approvals", "approve", &id]).code, 1);
    assert_eq!(events(dir.path()), 0);
}

#[test]
fn a_tool_that_changed_after_the_question_is_asked_about_again() {
    let dir = project();
    run(dir.path(), &["call", "calendar_create_event", EVENT]);
    let id = waiting(dir.path());
    let handler = dir.path().join("tools/calendar-create-event/handler.js");
    let text = fs::read_to_string(&handler).unwrap();
    fs::write(&handler, format!("{text}\n// another tool now\n")).unwrap();
    let answered = run(dir.path(), &["approvals", "approve", &id]);
    assert_eq!(answered.code, 1, "{answered:?}");
    assert!(answered.err.contains("did not run: it needs another approval"), "{answered:?}");
    assert_ne!(waiting(dir.path()), id);
    assert_eq!(events(dir.path()), 0);
}

#[test]
fn the_same_write_again_is_shown_to_a_person_with_the_earlier_result() {
    let dir = project();
    let first = run(dir.path(), &["call", "calendar_create_event", EVENT, "--yes"]);
    assert_eq!(first.code, 0, "{first:?}");
    let second = run(dir.path(), &["call", "calendar_create_event", EVENT]);
    assert_eq!(json(&second)["type"], "CONFIRMATION_REQUIRED", "{second:?}");
    assert!(second.err.contains("before: the same was done"), "{}", second.err);
    assert_eq!(events(dir.path()), 1);
}

/// TK-19: a line per call, and no argument's content in it.
#[test]
fn tk_19_the_audit_has_every_call_and_no_content() {
    let dir = project();
    run(dir.path(), &["call", "validate_email", r#"{"email": "canary@example.org"}"#]);
    run(dir.path(), &["call", "validate_email", "{}"]);
    run(dir.path(), &["call", "calendar_create_event", EVENT]);
    let audit = run(dir.path(), &["audit"]);
    assert_eq!(audit.out.lines().count(), 3, "{}", audit.out);
    assert!(!audit.out.contains("canary") && audit.out.contains("string(18)"), "{}", audit.out);
    let metrics = json(&run(dir.path(), &["metrics"]));
    assert_eq!(metrics["tools"]["validate_email"]["executionCount"], 1);
    assert_eq!(metrics["tools"]["validate_email"]["refusedCount"], 1);
}

#[test]
fn rules_of_the_operator_deny_and_broken_rules_stop_everything() {
    let dir = project();
    let rules = dir.path().join("rules.toml");
    fs::write(&rules, "[[rule]]\nid = \"no-mail\"\neffect = \"deny\"\ntools = [\"validate_*\"]\nbecause = \"not here\"\n").unwrap();
    let args = ["call", "validate_email", r#"{"email": "a@example.org"}"#, "--rules", "rules.toml"];
    let denied = run(dir.path(), &args);
    assert_eq!(denied.code, 1, "{denied:?}");
    assert!(denied.err.contains("config.no-mail"), "{}", denied.err);
    fs::write(&rules, "[[rule]]\neffect = \"perhaps\"\n").unwrap();
    let broken = run(dir.path(), &args);
    assert_eq!((broken.code, broken.out.as_str()), (1, ""), "{broken:?}");
    assert!(broken.err.contains("rules.toml:"), "{}", broken.err);
}

#[test]
fn the_doctor_tries_the_sandbox() {
    let dir = tempfile::tempdir().unwrap();
    let found = run(dir.path(), &["doctor"]);
    assert_eq!(found.code, 0, "{found:?}");
    assert!(found.out.contains("seccomp") && !found.out.contains("OPEN"), "{}", found.out);
    let kinds =
        ["JavaScript handlers", "MCP servers", "MCP servers with the network", "Python tools"];
    for kind in kinds {
        let told = found.out.split(&format!("{kind}\n")).nth(1).unwrap_or_default();
        let told: Vec<_> = told.lines().take_while(|line| !line.starts_with("yes")).collect();
        let parts = ["privileges", "user", "limits", "files", "system calls", "signals"];
        for part in parts {
            let holds = |line: &&str| line.starts_with(&format!("ok       {part} "));
            assert!(told.iter().any(holds), "{kind}: {part}: {}", found.out);
        }
        let tried = told.iter().any(|line| line.starts_with("ok       interpreter    /"));
        assert_eq!(tried, kind == "Python tools", "{kind}: {}", found.out);
    }
}

#[test]
fn why_names_the_stage_and_the_rule_and_runs_nothing() {
    let dir = project();
    let asks = run(dir.path(), &["why", "calendar_create_event", EVENT]);
    assert_eq!(asks.code, 0, "{asks:?}");
    assert!(asks.out.contains("contract.confirmation"), "{}", asks.out);
    assert_eq!(waiting(dir.path()), "");
    let refused = run(dir.path(), &["why", "end_voice_session", r#"{"reason": "user_request"}"#]);
    assert!(refused.out.contains("mode.not-allowed"), "{}", refused.out);
    assert_eq!(run(dir.path(), &["audit"]).out, "");
}
