//! The tools of other servers: approved, called, held back, and what bad servers get.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::support::client::{Client, Era, text};
use super::support::fixtures::Project;
use crate::support::program::{Run, run};

fn far_server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp/scripts/remote_server.py")
}

/// A project with one server `far` that behaves as `mode` says.
fn project(mode: &str, more: &str) -> Project {
    let project = Project::usual();
    let state = project.path().join("state/far.txt");
    project.write("state/.keep", "");
    let config = format!(
        "[mcp.far]\ncommand = 'python3'\nargs = [{:?}, {mode:?}, {state:?}]\n\
         write = ['state']\n{more}\n",
        far_server()
    );
    project.write("ghosthand.toml", &config);
    project
}

/// The same, with everything approved, and `echo` believed that it only reads.
fn approved(mode: &str, more: &str) -> Project {
    let project = project(mode, more);
    good(run(project.path(), &["mcp", "import", "far", "--yes"]));
    trust(&project);
    project
}

#[track_caller]
fn trust(project: &Project) {
    good(run(project.path(), &["mcp", "trust", "far", "echo", "--yes"]));
}

#[track_caller]
fn good(run: Run) -> String {
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    run.out
}

fn call(project: &Project, tool: &str, args: &str) -> Run {
    run(project.path(), &["call", tool, args])
}

#[test]
fn a_servers_tools_are_used_under_its_prefix_and_our_policy() {
    let project = project("good", "");
    let before = run(project.path(), &["mcp", "list"]);
    assert!(before.err.contains("ghosthand mcp import far"), "{}", before.err);
    assert_eq!(call(&project, "far.echo", "{}").code, 1, "nothing was approved yet");
    let refused = run(project.path(), &["mcp", "import", "far"]);
    assert_eq!(refused.code, 1, "nobody agreed");
    let shown = good(run(project.path(), &["mcp", "import", "far", "--yes"]));
    assert!(shown.contains("Says it back."), "{shown}");
    let unknown = call(&project, "far.echo", r#"{"text":"hello"}"#);
    assert!(unknown.err.contains("wants to run"), "it says so itself: {}", unknown.err);
    let nobody = run(project.path(), &["mcp", "trust", "far", "echo"]);
    assert_eq!(nobody.code, 1, "nobody agreed");
    trust(&project);
    let said = good(call(&project, "far.echo", r#"{"text":"hello"}"#));
    assert_eq!(said.trim(), r#""hello""#);
    assert_eq!(good(call(&project, "echo", r#"{"text":"ours"}"#)).trim(), r#"{"said":"ours"}"#);
    let asked = call(&project, "far.keep", r#"{"text":"a"}"#);
    assert!(
        asked.err.contains("wants to run"),
        "it does not say that it only reads: {}",
        asked.err
    );
    assert!(!project.path().join("state/far.txt").exists());
    good(run(project.path(), &["mcp", "call", "far", "keep", r#"{"text":"b"}"#, "--yes"]));
    assert_eq!(std::fs::read_to_string(project.path().join("state/far.txt")).unwrap(), "b\n");
    let failed = call(&project, "far.echo", r#"{"text":"fail"}"#);
    assert!(failed.out.contains("it did not work"), "{}", failed.out);
    let wrong = call(&project, "far.echo", r#"{"text":7}"#);
    assert!(wrong.out.contains("VALIDATION"), "checked before it goes out: {}", wrong.out);
    let ledger = good(run(project.path(), &["ledger", "list"]));
    assert!(ledger.contains("far.keep"), "{ledger}");
}

#[test]
fn the_operators_word_decides_what_a_tool_does_and_which_are_there() {
    let more = "effects = { keep = 'reads' }\ntools = ['keep']";
    let project = project("good", more);
    good(run(project.path(), &["mcp", "import", "far", "--yes"]));
    let list = good(run(project.path(), &["mcp", "list"]));
    assert!(list.contains("far.keep  read_only") && !list.contains("far.echo"), "{list}");
    good(call(&project, "far.keep", r#"{"text":"c"}"#));
    let project = approved("good", "ask = 'always'");
    let missing = run(project.path(), &["mcp", "trust", "far", "ecko", "--yes"]);
    assert!(missing.err.contains("did you mean `echo`?"), "{}", missing.err);
    assert!(call(&project, "far.echo", "{}").err.contains("wants to run"));
}

#[test]
fn a_changed_definition_is_held_back_until_it_is_approved() {
    let project = approved("changes", "");
    good(call(&project, "far.echo", r#"{"text":"a"}"#));
    project.write("state/far.txt", "now");
    let held = call(&project, "far.echo", r#"{"text":"b"}"#);
    assert_eq!(held.code, 1);
    assert!(held.out.contains("ghosthand diff"), "{}{}", held.out, held.err);
    good(run(project.path(), &["lock"]));
    let diff = run(project.path(), &["diff"]);
    assert_eq!(diff.code, 1);
    assert!(diff.out.contains("far.echo") && diff.out.contains(".ssh"), "{}", diff.out);
    assert!(diff.err.contains("ghosthand mcp import far"), "{}", diff.err);
    let seen = run(project.path(), &["mcp", "inspect", "far"]);
    assert_eq!((seen.code, seen.err.contains("description was")), (1, true), "{}", seen.err);
    let good_still = call(&project, "far.keep", r#"{"text":"x"}"#);
    assert!(good_still.err.contains("wants to run"), "only what changed is held back");
    good(run(project.path(), &["mcp", "import", "far", "--yes"]));
    let changed = call(&project, "far.echo", r#"{"text":"c"}"#);
    assert!(changed.err.contains("wants to run"), "it is another one: {}", changed.err);
    trust(&project);
    good(call(&project, "far.echo", r#"{"text":"d"}"#));
    good(run(project.path(), &["diff"]));
}

#[test]
fn imported_tools_stay_when_ours_change() {
    let project = approved("good", "");
    let mut client = Client::start(project.path(), Era::Old, json!({}));
    project.tool("newcomer", json!({}), "return { ok: true, data: {} };");
    while client.hear()["method"] != "notifications/tools/list_changed" {}
    let listed = client.ask("tools/list", json!({})).to_string();
    assert!(listed.contains("newcomer") && listed.contains("far_echo"), "{listed}");
    assert_eq!(client.close(), 0);
}

#[test]
fn a_name_never_shadows_another() {
    let project = approved("shadows", "");
    let listed = good(run(project.path(), &["mcp", "list", "--json"]));
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let ids: Vec<_> =
        listed[0]["tools"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(ids.len(), 6, "{ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("far.") && id.len() <= 64), "{ids:?}");
    let unique: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{ids:?}");
    let ours = good(call(&project, "echo", r#"{"text":"mine"}"#));
    assert_eq!(ours.trim(), r#"{"said":"mine"}"#);
}

#[test]
fn hidden_text_is_taken_out_and_bad_schemas_cost_only_their_tool() {
    let project = project("poisons", "");
    let shown = run(project.path(), &["mcp", "import", "far", "--yes"]);
    assert!(shown.out.contains(r"\u{200b}"), "a person sees what is hidden");
    assert!(!shown.out.contains('\u{1b}'), "nothing moves the cursor");
    assert!(shown.err.contains("invisible characters"), "{}", shown.err);
    assert!(shown.err.contains("`bad` is left out"), "{}", shown.err);
    assert!(shown.err.contains("`deep` is left out"), "{}", shown.err);
    let mut client = Client::start(project.path(), Era::New, json!({}));
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let echo = tools.iter().find(|tool| tool["name"] == "far_echo").unwrap();
    let said = echo["description"].as_str().unwrap();
    assert!(said.starts_with("From the MCP server `far`: Says it back."), "{said}");
    assert!(said.chars().count() < 2_100);
    assert!(!said.chars().any(|c| matches!(c, '\u{200b}' | '\u{202e}' | '\u{e0041}' | '\u{1b}')));
}

#[test]
fn a_huge_result_is_refused_and_the_next_call_works() {
    let project = approved("huge", "result_bytes = 100000");
    let huge = call(&project, "far.echo", "{}");
    assert_eq!(huge.code, 1);
    assert!(huge.out.contains("more than 100000 bytes"), "{}", huge.out);
}

#[test]
fn a_silent_server_and_an_endless_one_are_left() {
    let project = approved("silent", "idle_ms = 300");
    let silent = call(&project, "far.echo", "{}");
    assert!(silent.out.contains("took too long"), "{}", silent.out);
    let project = approved("endless", "idle_ms = 60000\ntotal_ms = 700");
    let endless = call(&project, "far.echo", "{}");
    assert!(endless.out.contains("took too long"), "{}", endless.out);
}

#[test]
fn garbage_on_standard_output_is_skipped() {
    let project = approved("garbage", "");
    let said = good(call(&project, "far.echo", r#"{"text":"still here"}"#));
    assert_eq!(said.trim(), r#""still here""#);
}

#[test]
fn a_list_without_an_end_is_cut() {
    let project = approved("lists", "");
    let list = good(run(project.path(), &["mcp", "list"]));
    assert!(list.lines().count() < 20, "{list}");
}

#[test]
fn a_server_that_cannot_be_started_says_why() {
    let project = Project::usual();
    project.write("ghosthand.toml", "[mcp.far]\ncommand = 'no-such-program'\n");
    let failed = run(project.path(), &["mcp", "import", "far", "--yes"]);
    assert_eq!(failed.code, 1);
    assert!(failed.err.contains("`no-such-program` cannot be run"), "{}", failed.err);
    let unknown = run(project.path(), &["mcp", "inspect", "faar"]);
    assert!(unknown.err.contains("did you mean `far`?"), "{}", unknown.err);
}

#[test]
fn a_server_of_the_old_era_may_stumble_over_the_new_one() {
    let project = approved("stumbles", "");
    let said = good(call(&project, "far.echo", r#"{"text":"up again"}"#));
    assert_eq!(said.trim(), r#""up again""#);
}

#[test]
fn a_fence_keeps_a_server_from_what_it_was_not_given() {
    let project = project("good", "");
    let outside = project.path().join("outside.txt");
    let config = format!(
        "[mcp.far]\ncommand = 'python3'\nargs = [{:?}, 'good', {outside:?}]\nask = 'never'\n",
        far_server()
    );
    project.write("ghosthand.toml", &config);
    good(run(project.path(), &["mcp", "import", "far", "--yes"]));
    let refused = call(&project, "far.keep", r#"{"text":"a"}"#);
    assert_ne!(refused.code, 0, "{}", refused.out);
    assert!(!outside.exists());
}

#[test]
fn a_server_that_crashes_is_started_again_then_left_alone_for_a_while() {
    let project = approved("crashes", "");
    let mut client = Client::start(project.path(), Era::New, json!({}));
    let first = client.call("far_echo", json!({ "text": "1" }));
    assert!(text(&first).contains("stopped working"), "{first}");
    let mut said = String::new();
    for number in 2..6 {
        let next = client.call("far_echo", json!({ "text": number.to_string() }));
        assert_eq!(next["isError"], true);
        said = text(&next).to_owned();
        if said.contains("next attempt in") {
            break;
        }
    }
    assert!(said.contains("next attempt in"), "{said}");
    assert_eq!(client.call("echo", json!({ "text": "x" }))["isError"], false);
}

#[test]
fn all_calls_share_one_child_and_none_is_left_behind() {
    let project = approved("reports", "");
    let mut client = Client::start(project.path(), Era::New, json!({}));
    for number in 0..3 {
        let params = json!({
            "name": "far_echo", "arguments": { "text": number.to_string() },
            "_meta": { "progressToken": "p" }
        });
        let done = client.ask("tools/call", params);
        assert_eq!(text(&done), number.to_string());
    }
    let steps: Vec<_> = client.heard.iter().map(|one| &one["params"]["message"]).collect();
    let said =
        |number: u32| steps.iter().filter(|step| ***step == format!("step {number}")).count();
    assert_eq!((said(1), said(2)), (3, 3), "{steps:?}");
    let children = servers_below(client.pid());
    assert_eq!(children.len(), 1, "{children:?}");
    assert_eq!(client.close(), 0);
    let gone = |pid: &u32| !Path::new(&format!("/proc/{pid}/cmdline")).exists();
    wait_until(|| children.iter().all(gone));
}

/// The processes below one that run the far server.
fn servers_below(parent: u32) -> Vec<u32> {
    let children = |pid: u32| -> Vec<u32> {
        let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let listed =
            tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        listed
            .flat_map(|text| text.split_whitespace().flat_map(str::parse).collect::<Vec<u32>>())
            .collect()
    };
    let is_server = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains("remote_server.py")
    };
    let mut below = children(parent);
    let mut seen = 0;
    while let Some(pid) = below.get(seen).copied() {
        below.extend(children(pid));
        seen += 1;
    }
    below.into_iter().filter(is_server).collect()
}

/// Looks again and again; the test runner ends a wait that has no end.
fn wait_until(mut done: impl FnMut() -> bool) {
    while !done() {
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_ignores_what_it_does_not_know_is_asked_nothing_of_the_kind() {
    let project = approved("ignores", "");
    assert_eq!(good(call(&project, "far.echo", r#"{"text":"a"}"#)).trim(), r#""a""#);
    let heard = std::fs::read_to_string(project.path().join("state/far.txt")).unwrap();
    assert!(heard.starts_with("initialize\n"), "{heard}");
    assert!(!heard.contains("server/discover"), "it would be waited for in vain: {heard}");
}

#[test]
fn a_server_that_speaks_the_new_era_alone_is_reached_all_the_same() {
    let project = approved("new", "");
    assert_eq!(good(call(&project, "far.echo", r#"{"text":"a"}"#)).trim(), r#""a""#);
}
