//! The dialect commands: `show tool --for`, `lower`, `encode`, `decode`, the loss report.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use fake_providers::Turn;
use serde_json::{Value, json};

use crate::support::model_project::FarSide;
use crate::support::program::{Run, command, repository, run};

const SCHEMA: &str = r#"{"type": "object", "additionalProperties": false, "required": ["query"],
    "properties": {"query": {"type": "string", "minLength": 3}, "limit": {"type": "integer", "default": 5},
                   "tags": {"type": "object", "additionalProperties": {"type": "string"}}}}"#;

fn with_schema(args: &[&str]) -> Run {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("schema.json"), SCHEMA).unwrap();
    run(dir.path(), args)
}

#[test]
fn a_tool_is_shown_as_its_provider_gets_it() {
    let shown = run(&repository(), &["show", "tool", "kb_search", "--for", "anthropic"]);
    let wire: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!((shown.code, &wire["name"]), (0, &json!("kb_search")));
    assert_eq!(wire["input_schema"]["type"], "object");
    let strict = run(&repository(), &["show", "tool", "kb_search", "--for", "openai-chat-strict"]);
    let wire: Value = serde_json::from_str(&strict.out).unwrap();
    assert_eq!(wire["function"]["strict"], true);
    assert!(strict.err.contains("re-encoded: /properties/filters"), "{}", strict.err);
}

#[test]
fn a_schema_is_lowered_with_its_plan_and_notes() {
    let lowered = with_schema(&["lower", "--for", "anthropic-strict", "schema.json"]);
    assert_eq!(lowered.code, 0, "{lowered:?}");
    let value: Value = serde_json::from_str(&lowered.out).unwrap();
    for field in ["schema", "plan", "notes", "faults"] {
        assert!(value.get(field).is_some(), "{field} is missing: {}", lowered.out);
    }
    assert_eq!(value["enforcement"], "strict");
    assert_eq!(value["faults"], json!([]));
    assert!(value["notes"].as_array().unwrap().iter().any(|note| note["keyword"] == "minLength"));
}

#[test]
fn a_schema_with_no_sound_spelling_is_a_fault_with_place_and_fix() {
    let dir = tempfile::tempdir().unwrap();
    let remote =
        r#"{"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}}"#;
    fs::write(dir.path().join("s.json"), remote).unwrap();
    let lowered = run(dir.path(), &["lower", "--for", "mcp", "s.json"]);
    assert_eq!(lowered.code, 1, "{lowered:?}");
    let value: Value = serde_json::from_str(&lowered.out).unwrap();
    assert_eq!(value["faults"][0]["pointer"], "/properties/a/$ref");
    assert!(value["faults"][0]["fix"].is_string() && value["schema"].is_null(), "{}", lowered.out);
}

#[test]
fn arguments_go_over_the_wire_and_come_back() {
    for target in
        ["anthropic", "anthropic-strict", "openai-chat-strict", "gemini-parameters", "ollama"]
    {
        let args = r#"{"query":"clock","tags":{"a":"b"}}"#;
        let wire = with_schema(&["encode", "--for", target, "--schema", "schema.json", args]);
        assert_eq!(wire.code, 0, "{target}: {wire:?}");
        let back =
            with_schema(&["decode", "--for", target, "--schema", "schema.json", wire.out.trim()]);
        let value: Value = serde_json::from_str(&back.out).unwrap();
        assert_eq!(value, json!({"query": "clock", "limit": 5, "tags": {"a": "b"}}), "{target}");
    }
}

#[test]
fn what_does_not_fit_the_contract_is_refused_after_decoding() {
    let wire = r#"{"query": "ab", "limit": null, "tags": null, "made_up": 1}"#;
    let back =
        with_schema(&["decode", "--for", "openai-chat-strict", "--schema", "schema.json", wire]);
    assert_eq!(back.code, 1);
    assert!(
        back.err.contains("/query: `ab` is too short; use at least 3 characters"),
        "{}",
        back.err
    );
    assert!(back.err.contains("`made_up` is unknown"), "{}", back.err);
    let wire = r#"{"query": "abc", "made_up": 1}"#;
    let stripped =
        with_schema(&["decode", "--strip", "--for", "mcp", "--schema", "schema.json", wire]);
    assert_eq!((stripped.code, stripped.err.as_str()), (0, "dropped /made_up\n"), "{stripped:?}");
}

#[test]
fn json_can_come_from_standard_input() {
    let mut child = command(&repository())
        .args(["lower", "--for", "gemini", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(SCHEMA.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["schema"].is_object());
}

#[test]
fn wrong_targets_and_wrong_json_teach() {
    let target = with_schema(&["lower", "--for", "antropic", "schema.json"]);
    assert_eq!(target.code, 2, "{target:?}");
    assert!(target.err.contains("did you mean `anthropic`?"), "{}", target.err);
    let missing = with_schema(&["lower", "--for", "mcp", "none.json"]);
    assert!(missing.err.contains("`none.json` cannot be read"), "{}", missing.err);
    let broken = with_schema(&["encode", "--for", "mcp", "--schema", "schema.json", "{"]);
    assert!(broken.err.contains("is not valid JSON"), "{}", broken.err);
    let unfit =
        with_schema(&["encode", "--for", "openai-chat-strict", "--schema", "schema.json", "[1]"]);
    assert_eq!(unfit.code, 1, "{unfit:?}");
}

/// TK-05: lossy drops are listed in the output of a build, with file and field.
#[test]
fn tk_05_a_build_reports_what_providers_do_not_get() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["new", "word-count"]);
    let build = run(dir.path(), &["build"]);
    assert_eq!(build.code, 0, "{build:?}");
    assert!(build.out.contains("tools/word-count/schema.json"), "{}", build.out);
    assert!(build.out.contains("noted       "), "{}", build.out);
    assert!(build.out.contains("target                    exact  re-encoded"), "{}", build.out);
    let full = run(dir.path(), &["build", "--losses", "full"]);
    assert!(
        full.out.contains("#/parameters/properties/text/maxLength: `maxLength`"),
        "{}",
        full.out
    );
    let none = run(dir.path(), &["build", "--losses", "none"]);
    assert_eq!(none.out.lines().count(), 1, "{}", none.out);
    let text = fs::read_to_string(dir.path().join("tools/tool_registry.json")).unwrap();
    let registry: Value = serde_json::from_str(&text).unwrap();
    let schemas = &registry["tools"][0]["providerSchemas"];
    assert_eq!(schemas["openai"]["type"], "function");
    assert_eq!(schemas["geminiNative"]["parameters"]["type"], "OBJECT");
    assert_eq!(schemas["anthropic"]["input_schema"]["type"], "object");
}

/// TK-05: what a model is sent is what `show tool --for` shows, byte for byte.
#[test]
fn tk_05_a_model_gets_what_is_shown() {
    let far = FarSide::new();
    far.fake.otherwise(Turn::says("Good morning."));
    assert_eq!(far.run(&["chat", "Hello"]).code, 0);
    let requests = far.fake.requests();
    let sent = requests.first().unwrap().body["tools"].as_array().unwrap().clone();
    assert!(sent.len() > 5, "{sent:?}");
    let mut compared = 0;
    for tool in &sent {
        let name = tool["function"]["name"].as_str().unwrap();
        let shown = far.run(&["show", "tool", name, "--for", "openai-compatible"]);
        if shown.code != 0 {
            // The program's own tools are in no directory.
            assert_eq!(name, "query_tool_memory", "{shown:?}");
            continue;
        }
        let shown: Value = serde_json::from_str(&shown.out).unwrap();
        assert_eq!(shown.to_string(), tool.to_string());
        compared += 1;
    }
    assert!(compared > 5);
}

/// A value that the contract allows and the wire forbids is refused, not printed.
#[test]
fn what_the_wire_forbids_is_not_encoded() {
    let dir = tempfile::tempdir().unwrap();
    let open = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    fs::write(dir.path().join("open.json"), open).unwrap();
    let args = r#"{"a":"x","b":1}"#;
    let encode =
        |target: &str| run(dir.path(), &["encode", "--for", target, "--schema", "open.json", args]);
    let strict = encode("openai-chat-strict");
    assert_eq!((strict.code, strict.out.as_str()), (1, ""), "{strict:?}");
    assert!(strict.err.contains("cannot be sent to openai-chat-strict: /b:"), "{strict:?}");
    assert_eq!(encode("openai-chat").out.trim(), args);
    let lower = run(dir.path(), &["lower", "--for", "openai-chat-strict", "open.json"]);
    assert!(lower.out.contains("it is sent closed"), "{lower:?}");
}

/// A default that does not fit is nobody's fault.
#[test]
fn tk_08_a_default_that_does_not_fit_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let schema = r#"{"type":"object","properties":{"q":{"type":"string"},"cursor":{"type":"string","default":null}}}"#;
    fs::write(dir.path().join("s.json"), schema).unwrap();
    for target in dialect::targets() {
        let args = ["decode", "--for", target.name, "--schema", "s.json", r#"{"q":"x"}"#];
        let decoded = run(dir.path(), &args);
        assert_eq!(decoded.out.trim(), r#"{"q":"x"}"#, "{}: {decoded:?}", target.name);
    }
}
