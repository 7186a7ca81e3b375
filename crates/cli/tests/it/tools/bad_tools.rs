//! One bad tool is one bad tool: it is left out and named everywhere, and the others run.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::support::program::{Run, command, exchange, run};

/// A project with a good tool, a broken one and a folder of pictures.
fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in ["good", "bad"] {
        assert_eq!(run(dir.path(), &["new", name]).code, 0);
    }
    spoil(dir.path());
    fs::create_dir(dir.path().join("tools/assets")).unwrap();
    dir
}

/// Two faults in the contract of `bad`.
fn spoil(dir: &Path) {
    let path = dir.join("tools/bad/schema.json");
    let text = fs::read_to_string(&path).unwrap();
    let text = text.replace("\"utility\"", "\"utilty\"").replace("\"1.0.0\"", "\"one\"");
    fs::write(path, text).unwrap();
}

fn mend(dir: &Path) {
    let path = dir.join("tools/bad/schema.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, text.replace("\"utilty\"", "\"utility\"").replace("\"one\"", "\"1.0.0\""))
        .unwrap();
}

const BAD: &str = "left out: bad: tools/bad/schema.json:3:14: ";
const ASSETS: &str = "left out: assets: tools/assets: the folder is empty";

#[track_caller]
fn names_both(found: &Run) {
    for line in [BAD, ASSETS] {
        let said = found.err.lines().filter(|said| said.starts_with(line)).count();
        assert_eq!(said, 1, "{line}\n{found:?}");
    }
    assert!(found.err.contains("(1 more fault)"), "{found:?}");
    assert!(found.err.contains("`ghosthand check` shows the rest"), "{found:?}");
}

#[test]
fn the_other_tools_run_and_the_bad_ones_are_named() {
    let dir = project();
    let called = run(dir.path(), &["call", "good", r#"{"text": "one two"}"#]);
    assert_eq!(called.code, 0, "{called:?}");
    assert!(called.out.starts_with(r#"{"words":2"#), "{called:?}");
    names_both(&called);
    let chatted = run(dir.path(), &["chat", "how many words are in 'one two'?"]);
    assert_eq!(chatted.code, 0, "{chatted:?}");
    names_both(&chatted);
    let replayed = run(dir.path(), &["replay"]);
    assert_eq!(replayed.code, 0, "{replayed:?}");
    names_both(&replayed);
    let listed = run(dir.path(), &["tools", "list"]);
    assert_eq!(listed.code, 0, "{listed:?}");
    assert!(listed.out.contains("good") && listed.out.contains("broken"), "{listed:?}");
    let broken = listed.out.lines().filter(|line| line.contains("  broken  "));
    let broken: Vec<_> = broken.map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(broken, ["bad"]);
    let is_empty = |line: &str| line.starts_with("assets ") && line.contains(" empty ");
    assert!(listed.out.lines().any(is_empty), "{listed:?}");
    let shown = run(dir.path(), &["show", "registry"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    names_both(&shown);
    let json = run(dir.path(), &["show", "registry", "--json"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["leftOut"][1]["name"], "bad");
    assert_eq!(json["tools"].as_array().unwrap().len(), 1);
    let doctor = run(dir.path(), &["doctor"]);
    assert!(doctor.out.contains("broken   bad "), "{doctor:?}");
}

#[test]
fn only_check_build_and_lock_fail() {
    let dir = project();
    for args in [["check"], ["build"], ["lock"]] {
        assert_eq!(run(dir.path(), &args).code, 1, "{args:?}");
    }
    assert!(run(dir.path(), &["lock"]).err.contains("bad"));
    mend(dir.path());
    // A folder without a tool is a warning.
    let check = run(dir.path(), &["check"]);
    assert_eq!(check.code, 0, "{check:?}");
    assert!(check.out.contains("warning[T104]: the folder is empty"), "{check:?}");
    assert!(check.err.contains("2 tools checked: 1 warning"), "{check:?}");
    let listed = run(dir.path(), &["tools", "list"]);
    let is_empty = |line: &str| line.starts_with("assets ") && line.contains(" empty ");
    assert!(listed.out.lines().any(is_empty), "{listed:?}");
    assert_eq!(run(dir.path(), &["check", "--deny-warnings"]).code, 1);
    let build = run(dir.path(), &["build", "--losses", "none"]);
    assert_eq!(build.code, 0, "{build:?}");
    let version = |out: &str| {
        let found = out
            .lines()
            .filter_map(|line| line.strip_prefix("1 tool").or(line.strip_prefix("2 tools")));
        found.filter_map(|rest| rest.split(" 1.0.").nth(1)).map(|rest| rest[..8].to_owned()).next()
    };
    let both = version(&build.out).unwrap();
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    // The version is made of the good tools alone.
    fs::remove_dir(dir.path().join("tools/assets")).unwrap();
    assert_eq!(version(&run(dir.path(), &["build", "--losses", "none"]).out).unwrap(), both);
    spoil(dir.path());
    let one = version(&run(dir.path(), &["show", "registry"]).err).unwrap();
    fs::remove_dir_all(dir.path().join("tools/bad")).unwrap();
    assert_eq!(version(&run(dir.path(), &["show", "registry"]).err).unwrap(), one);
}

#[test]
fn a_tool_that_is_asked_for_by_name_says_its_faults() {
    let dir = project();
    for args in [vec!["call", "bad"], vec!["why", "bad"]] {
        let found = run(dir.path(), &args);
        assert_eq!(found.code, 1, "{args:?} {found:?}");
        assert!(
            found.err.contains("error[T015]") && found.err.contains("error[T016]"),
            "{found:?}"
        );
        assert!(
            found.err.contains("error: `bad` is left out: 2 faults in `tools/bad`"),
            "{found:?}"
        );
        assert!(!found.err.contains(BAD), "once is enough: {found:?}");
    }
    let shown = run(dir.path(), &["show", "tool", "bad"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(shown.out.contains("error[T015]") && shown.out.contains("error[T016]"), "{shown:?}");
    let tested = run(dir.path(), &["test", "bad"]);
    assert_eq!(tested.code, 1, "{tested:?}");
    assert!(tested.out.contains("error[T015]"), "{tested:?}");
    let all = run(dir.path(), &["test"]);
    assert_eq!(all.code, 1, "{all:?}");
    assert!(all.out.contains("ok    runs as shown"), "{all:?}");
    assert!(all.out.contains("error[T015]"), "{all:?}");
}

#[test]
fn a_difference_is_told_for_the_others() {
    let dir = project();
    mend(dir.path());
    assert_eq!(run(dir.path(), &["lock"]).code, 0);
    spoil(dir.path());
    let found = run(dir.path(), &["diff"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(!found.out.contains("is gone"), "{found:?}");
    assert!(found.err.contains(BAD), "{found:?}");
    assert!(found.err.contains("every other tool matches"), "{found:?}");
}

#[test]
fn every_bad_entry_of_a_module_is_told_and_the_good_ones_run() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("tools")).unwrap();
    let module = "def say(text: str):\n    return text\n\n\nTOOLS = [\n    {},\n    5,\n    \
                  {\"function\": 3, \"schema\": {\"name\": \"x\"}},\n    {\"schema\": {}},\n    \
                  {\"function\": say, \"schema\": {\"name\": \"say\", \"description\": \"Say it.\", \
                  \"parameters\": {\"type\": \"object\", \"properties\": {\"text\": {\"type\": \
                  \"string\"}}, \"required\": [\"text\"]}}},\n    {\"function\": print},\n    \
                  {\"function\": say, \"ui_handlers\": 7, \"schema\": {\"name\": \"odd\"}},\n]\n";
    fs::write(dir.path().join("tools/m.py"), module).unwrap();
    let check = run(dir.path(), &["check"]);
    assert_eq!(check.code, 1, "{check:?}");
    for line in [6, 7, 8, 9, 11, 12] {
        assert!(check.out.contains(&format!("tools/m.py:{line}:")), "{line}: {check:?}");
    }
    let called = run(dir.path(), &["call", "m.say", r#"{"text": "hi"}"#]);
    assert_eq!((called.code, called.out.as_str()), (0, "\"hi\"\n"), "{called:?}");
    assert!(called.err.contains("left out: m.odd: tools/m.py:12:"), "{called:?}");
    let broken = run(dir.path(), &["call", "m.x"]);
    assert_eq!(broken.code, 1, "{broken:?}");
    assert!(broken.err.contains("`function` of `x` has the type `int`"), "{broken:?}");
}

/// Settings may ask for a person's agreement: without them no tool of the folder runs.
#[test]
fn a_module_does_not_run_without_its_settings() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "note", "--lang", "py", "--module"]).code, 0);
    let settings = dir.path().join("tools/tools.toml");
    let call = || run(dir.path(), &["call", "note.note", r#"{"text": "one two"}"#]);
    assert_eq!(call().code, 0);
    for text in ["[note\n", "[note]\nrequires_confirmatoin = true\n", "[noet]\nidempotent = true\n"]
    {
        fs::write(&settings, text).unwrap();
        let refused = call();
        assert_eq!(refused.code, 1, "{text}: {refused:?}");
        assert!(refused.err.contains("tools/tools.toml:"), "{text}: {refused:?}");
    }
    fs::write(&settings, "[other]\nidempotent = true\n").unwrap();
    let called = call();
    assert_eq!(called.code, 0, "{called:?}");
    assert!(called.err.contains("left out: tools.toml: tools/tools.toml:1:"), "{called:?}");
}

#[test]
fn a_tool_never_takes_the_place_of_one_of_ours() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(run(dir.path(), &["new", "good"]).code, 0);
    let refused = run(dir.path(), &["new", "query-tool-memory"]);
    assert!(refused.code == 2 && refused.err.contains("is a built-in tool"), "{refused:?}");
    let (from, to) = (dir.path().join("tools/good"), dir.path().join("tools/query-tool-memory"));
    fs::rename(from, &to).unwrap();
    let schema = fs::read_to_string(to.join("schema.json")).unwrap();
    let schema = schema.replace("\"good\"", "\"query_tool_memory\"");
    fs::write(to.join("schema.json"), schema).unwrap();
    assert!(run(dir.path(), &["check"]).out.contains("error[T026]"));
    let listed = run(dir.path(), &["tools", "list"]);
    let ours = listed.out.lines().find(|line| line.starts_with("query_tool_memory  on"));
    assert!(ours.unwrap().contains("Look up the tool calls"), "{listed:?}");
    assert!(listed.out.contains("query_tool_memory  broken"), "{listed:?}");
}

struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// While a server runs: named at the start, in the API, and again when a tool breaks or heals.
#[test]
fn a_server_drops_a_tool_that_breaks_and_takes_it_back_when_it_is_mended() {
    let dir = project();
    let mut child = command(dir.path())
        .args(["serve", "--listen", "127.0.0.1:0", "--no-token"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let _served = Served(child);
    let address = line.split("http://").nth(1).unwrap().trim().trim_end_matches('/').to_owned();
    let mut until = |wanted: &str| said.find(|line| line.contains(wanted)).expect("it is said");
    until(BAD);
    let get = |path: &str| -> Value {
        let (status, body) = exchange(&address, "GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    };
    let left_out = get("/api/tools/left-out");
    assert_eq!(left_out[0]["name"], "assets");
    assert_eq!((&left_out[1]["name"], &left_out[1]["path"]), (&json!("bad"), &json!("tools/bad")));
    assert_eq!(left_out[1]["faults"][0]["code"], "T015");
    assert_eq!(left_out[1]["faults"][0]["place"], "tools/bad/schema.json:3:14");
    let (status, body) = exchange(&address, "POST", "/api/call/bad", "{}");
    assert_eq!(status, 404);
    assert!(body.contains("left out because of its faults"), "{body}");
    let why = get("/api/tools/bad/why");
    assert!(why.to_string().contains("left out because of its faults"), "{why}");
    mend(dir.path());
    until("tools reloaded");
    assert_eq!(get("/api/tools/left-out").as_array().unwrap().len(), 1);
    let (status, _) = exchange(&address, "POST", "/api/call/bad", r#"{"text": "one"}"#);
    assert_eq!(status, 200);
    spoil(dir.path());
    until(BAD);
    let (status, _) = exchange(&address, "POST", "/api/call/bad", r#"{"text": "one"}"#);
    assert_eq!(status, 404);
    let (status, _) = exchange(&address, "POST", "/api/call/good", r#"{"text": "one"}"#);
    assert_eq!(status, 200);
}

#[test]
fn mcp_clients_get_the_others_and_are_told() {
    let dir = project();
    let mut child = command(dir.path())
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call",
        "params": { "name": "bad", "arguments": {} } });
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut answer = |id: u64| -> Value {
        let of_id = |line: &String| serde_json::from_str::<Value>(line).unwrap()["id"] == id;
        serde_json::from_str(&lines.find(of_id).unwrap()).unwrap()
    };
    writeln!(input, "{hello}").unwrap();
    let told = answer(1)["result"]["instructions"].as_str().unwrap().to_owned();
    assert!(told.contains("Not loaded because of faults in their files: assets, bad"), "{told}");
    writeln!(input, "{ready}\n{list}").unwrap();
    let tools = answer(2)["result"]["tools"].to_string();
    assert!(tools.contains("\"good\"") && !tools.contains("\"bad\""), "{tools}");
    writeln!(input, "{call}").unwrap();
    let refused = answer(3)["error"]["message"].to_string();
    assert!(refused.contains("not loaded because its files have faults"), "{refused}");
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert!(String::from_utf8(ended.stderr).unwrap().contains(BAD));
}

#[test]
fn the_list_of_a_chat_names_them_too() {
    let dir = project();
    let mut child = command(dir.path())
        .arg("chat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"/tools\n/why bad\n/quit\n").unwrap();
    let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    let listed = said.lines().find(|line| line.starts_with("  bad ")).unwrap();
    assert!(listed.contains("broken") && listed.contains("tools/bad/schema.json:3:14"), "{said}");
    assert!(said.contains("`bad` is left out because of its faults"), "{said}");
}
